"""Results that could not be stored when they arrived: kept as typed until an organiser completes or dismisses them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid5

from django.db import transaction
from django.utils import timezone

from league.models import Hanchan, HeldResult, Revision, Session
from league.services.history import Actor, Change, write_revision
from league.services.photos import CleanedPhoto, store_held_photo, take_over_photo

MAX_FIELDS = 150
MAX_SENTENCE_LENGTH = 500

MAX_HELD_RESULTS = 100
"""Unsettled held results per table."""


@dataclass(frozen=True, slots=True)
class RejectionReason:
    reason: HeldResult.Reason
    sentence: str = ""


@dataclass(frozen=True, slots=True)
class Submission:
    client_key: UUID
    typed: Mapping[str, list[str]]
    entered_at: datetime | None = None
    picture: CleanedPhoto | None = None


@transaction.atomic
def store_held_result(
    *, session: Session, table: int, sent: Submission, refused: RejectionReason, by: Actor
) -> HeldResult | None:
    """Hold a result that could not be stored; one with the same key is replaced.

    Return None if too many are waiting at the table.
    """
    Session.objects.select_for_update().get(pk=session.pk)
    held = _held(session, table, sent, refused, by)
    if held is not None and held.settled_at is None and sent.picture is not None:
        store_held_photo(held, sent.picture)
    return held


def _held(session: Session, table: int, sent: Submission, refused: RejectionReason, by: Actor) -> HeldResult | None:
    facts = {
        "table": table,
        # Without NUL characters, which databases refuse, and limited in size.
        "typed": {
            _plain(name): [_plain(text) for text in texts[:MAX_FIELDS]]
            for name, texts in list(sent.typed.items())[:MAX_FIELDS]
        },
        "reason": refused.reason,
        "sentence": _plain(refused.sentence),
        "device": by.device,
        "source": by.source,
        "entered_at": sent.entered_at,
    }
    key = sent.client_key
    known = HeldResult.objects.filter(client_key=key).first()
    if known is not None and known.session_id != session.pk:
        # Another session holds a result under this key; use a derived key, the same for every retry.
        key = uuid5(key, str(session.pk))
        known = HeldResult.objects.filter(client_key=key).first()
    if known is not None:
        if known.settled_at is None:
            for name, value in facts.items():
                setattr(known, name, value)
            known.save()
        return known
    if session.held_results.filter(table=table, settled_at=None).count() >= MAX_HELD_RESULTS:
        return None
    return HeldResult.objects.create(league=session.league, session=session, client_key=key, **facts)


def _plain(text: str) -> str:
    return text.replace("\0", "")[:MAX_SENTENCE_LENGTH]


def settle_held_result(held: HeldResult, hanchan: Hanchan, by: Actor) -> None:
    take_over_photo(held, hanchan, by)
    held.settled_at, held.settled_by, held.hanchan = timezone.now(), by.name, hanchan
    held.save(update_fields=["settled_at", "settled_by", "hanchan"])


@transaction.atomic
def dismiss_held_result(*, held: HeldResult, reason: str, by: Actor) -> HeldResult:
    current = HeldResult.objects.select_for_update().get(pk=held.pk)
    if current.settled_at is None:
        current.settled_at, current.settled_by = timezone.now(), by.name
        current.settled_reason = reason.strip()
        current.save(update_fields=["settled_at", "settled_by", "settled_reason"])
        change = Change(Revision.Action.WITHDRAWN, before={"typed": current.typed}, reason=reason.strip())
        write_revision(held.league, current, change, by)
    return current
