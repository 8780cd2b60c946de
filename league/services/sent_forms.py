"""A form does its work once, however often it is sent: a second press, a reload, a phone that tries again."""

import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from league.models import SentForm

KEPT_FOR = timedelta(days=3)
"""A page that was left open over a weekend is still known on Monday."""

_STORES = re.compile(r"\b(INSERT\s+INTO|DELETE\s+FROM|UPDATE\s+\S+\s+(AS\s+\S+\s+)?SET)\b", re.IGNORECASE)
_SAVEPOINT = re.compile(r"(RELEASE |ROLLBACK TO )?SAVEPOINT (\S+)")


class Writes:
    """Counts writing statements of a connection, as an execute wrapper.

    Statements rolled back to a savepoint do not count.
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
    """Store a form's digest in the current transaction. IntegrityError if already processed.

    Concurrent submissions of the same form wait here.
    """
    return SentForm.objects.create(digest=digest)


def end_form(note: SentForm, answer: str) -> None:
    """Keep where the answer of a form led; forget the note of one that did nothing, since it may be sent again."""
    if answer:
        note.answer = answer
        note.save(update_fields=["answer"])
    else:
        note.delete()


def answer_of(digest: str) -> str:
    """Return where the answer of a form led that has done its work; empty if it has not. One query."""
    return SentForm.objects.filter(digest=digest).values_list("answer", flat=True).first() or ""


def forget_sent_forms() -> int:
    count, _ = SentForm.objects.filter(sent_at__lt=timezone.now() - KEPT_FOR).delete()
    return count
