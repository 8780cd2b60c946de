"""The clock of a round: how much is left of it at a moment, however often it stood still."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class RoundClock:
    """A clock that counts down. It is told by moments, not by ticks, so it is right after any sleep.

    `used`: what had gone by when it was last started; `started_at`: since when it goes, None where it stands still.
    """

    length: timedelta
    used: timedelta = timedelta()
    started_at: datetime | None = None

    def gone(self, now: datetime) -> timedelta:
        """Return how much has gone by; never less than before it was started, whatever a clock says."""
        return self.used + (max(timedelta(), now - self.started_at) if self.started_at else timedelta())

    def left(self, now: datetime, extra: timedelta = timedelta()) -> timedelta:
        """Return how much is left, negative once it is over; `extra` is what a table was given."""
        return self.length + extra - self.gone(now)

    def ends_at(self, extra: timedelta = timedelta()) -> datetime | None:
        """Return when it is over if nobody stops it; None where it stands still."""
        return None if self.started_at is None else self.started_at + self.length + extra - self.used

    def started(self, now: datetime) -> RoundClock:
        """Return the clock going; one that goes stays as it is."""
        return self if self.started_at else replace(self, started_at=now)

    def paused(self, now: datetime) -> RoundClock:
        """Return the clock standing still; one that stands still stays as it is."""
        return replace(self, used=self.gone(now), started_at=None) if self.started_at else self
