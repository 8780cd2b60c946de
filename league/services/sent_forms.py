"""Handling each form submission once: a double click, a reload or a retry has no further effect."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from league.models import SentForm

KEPT_FOR = timedelta(days=3)
"""Long enough for a page left open over a weekend."""

_STORES = re.compile(r"\b(INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\S+\s+(AS\s+\S+\s+)?SET)\b", re.IGNORECASE)
_SAVEPOINT = re.compile(r"(RELEASE |ROLLBACK TO )?SAVEPOINT (\S+)")


class Writes:
    """Execute wrapper that counts a connection's writing statements.

    Statements rolled back to a savepoint are not counted.
    """

    def __init__(self) -> None:
        self.count = 0
        self._counts: dict[str, int] = {}

    def __call__(self, execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:  # noqa: FBT001
        done = execute(sql, params, many, context)
        if (savepoint := _SAVEPOINT.match(sql)) is not None:
            what, name = savepoint.groups()
            if what is None:
                self._counts[name] = self.count
            elif what.startswith("ROLLBACK"):
                self.count = self._counts[name]
        elif _STORES.search(sql):
            self.count += 1
        return done


def begin_form(digest: str) -> SentForm:
    """Store a form's digest in the current transaction. Raise IntegrityError if it was submitted before.

    A concurrent submission of the same form waits here until this transaction ends.
    """
    return SentForm.objects.create(digest=digest)


def end_form(note: SentForm, answer: str) -> None:
    """Store the URL the response redirects to; without one delete the digest, so that the form can be sent again."""
    if answer:
        note.answer = answer
        note.save(update_fields=["answer"])
    else:
        note.delete()


def answer_of(digest: str) -> str:
    """Return the redirect URL of a form that was submitted before; "" if it was not. One query."""
    return SentForm.objects.filter(digest=digest).values_list("answer", flat=True).first() or ""


def forget_sent_forms() -> int:
    count, _ = SentForm.objects.filter(sent_at__lt=timezone.now() - KEPT_FOR).delete()
    return count
