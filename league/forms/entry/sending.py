"""How a result was sent: under which name, when it was typed, and whether the phone had to keep it for a while."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.http import QueryDict
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from league.models import Session
from league.services.held_results import Submission
from league.services.photos import CleanedPhoto
from league.services.results import ResultError, TableAndTime

CLOCKS_DIFFER = timedelta(minutes=5)
"""A phone's clock may be ahead by so much."""

NOT_TYPED = {"csrfmiddlewaretoken", "device", "unsent", "entered_at", "do"}


@dataclass(frozen=True, slots=True)
class Sending:
    """What a phone says about a result besides the result."""

    client_key: UUID | None
    entered_at: datetime | None
    was_kept: bool
    data: QueryDict

    @classmethod
    def read(cls, data: QueryDict) -> Sending:
        """Return what can be read; what makes no sense is taken for unsaid."""
        key = None
        with suppress(ValueError):
            key = UUID(data.get("client_key", ""))
        return cls(key, _moment(data.get("entered_at", "")), data.get("unsent") == "1", data)

    def placed(self, placing: TableAndTime, session: Session, table: int | None) -> TableAndTime:
        """Return where and when it was played: what was typed on the evening was played then, not when it arrived.

        `table` is the only one that a table link enters results for, on its own evening: else raises ResultError.
        """
        moment = placing.played_at
        if table is not None and moment is not None and session.league.day_of(moment) != session.date:
            raise ResultError("not_this_evening")
        if (
            moment is None
            and self.was_kept
            and self.entered_at
            and session.league.day_of(self.entered_at) == session.date
        ):
            moment = self.entered_at
        return replace(placing, played_at=moment, table=placing.table if table is None else table)

    def sent(self, picture: CleanedPhoto | None) -> Submission | None:
        """Return the result as typed, to be held with its photo; None for one without a name, which cannot have come from a phone."""
        if self.client_key is None:
            return None
        typed = {name: texts for name, texts in self.data.lists() if name not in NOT_TYPED}
        return Submission(self.client_key, typed, self.entered_at, picture)


def _moment(text: str) -> datetime | None:
    """Return when something was typed; None for what no phone of these weeks can have meant."""
    moment, now = None, timezone.now()
    with suppress(ValueError):
        moment = parse_datetime(text)
    if moment is None or timezone.is_naive(moment) or abs(moment.year - now.year) > 1:
        return None
    return moment if moment <= now + CLOCKS_DIFFER else None
