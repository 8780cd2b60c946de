"""Time in a tournament: countdown clock, opening periods, and days by a pattern such as "every Friday at 10:00"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import Enum, StrEnum
from itertools import groupby

from tournaments.core.length import MINUTES


@dataclass(frozen=True, slots=True)
class RoundClock:
    """A countdown stored as times instead of ticks, so that it needs no running process.

    `used`: time elapsed before the last start; `started_at`: None while paused.
    """

    length: timedelta
    used: timedelta = timedelta()
    started_at: datetime | None = None

    def gone(self, now: datetime) -> timedelta:
        """Return the elapsed time. If `now` is before the last start, the clock does not run backwards."""
        return self.used + (max(timedelta(), now - self.started_at) if self.started_at else timedelta())

    def left(self, now: datetime) -> timedelta:
        return self.length - self.gone(now)

    def ends_at(self) -> datetime | None:
        """Return when the countdown ends, None while paused."""
        return None if self.started_at is None else self.started_at + self.length - self.used

    def started(self, now: datetime) -> RoundClock:
        return self if self.started_at else replace(self, started_at=now)

    def paused(self, now: datetime) -> RoundClock:
        return replace(self, used=self.gone(now), started_at=None) if self.started_at else self


class Phase(Enum):
    SOON = "soon"
    OPEN = "open"
    OVER = "over"


def phase_of(begins: datetime | None, ends: datetime | None, now: datetime) -> Phase:
    """Return the phase of a period; without `begins` it has always been open, without `ends` it never ends."""
    if ends is not None and ends <= now:
        return Phase.OVER
    return Phase.SOON if begins is not None and now < begins else Phase.OPEN


class BlockDays(StrEnum):
    TOGETHER = "together"  # one session for all blocks
    SAME_DAY = "same_day"  # a session per block, one after another on the same day
    IN_TURN = "in_turn"  # a session per block, each on the next day of the pattern


@dataclass(frozen=True, slots=True)
class DayPattern:
    """A pattern of session days. `step`: days between sessions (0: all on one day).

    `start`: start time of a day's first session; the day's other sessions follow every `minutes`. Without it, sessions
    have a date only.
    """

    first: date
    step: int = 7
    blocks: BlockDays = BlockDays.IN_TURN
    start: time | None = None
    minutes: int = MINUTES


@dataclass(frozen=True, slots=True)
class PlannedSession:
    number: int
    block: str
    date: date
    start_time: time | None = None


def moments(pattern: DayPattern, wanted: Sequence[tuple[int, str]]) -> Iterator[PlannedSession]:
    """Yield the date and time of each wanted session (number and block, in order).

    A session that would start after midnight still has the date of the day before, with a start time after 0:00.
    """
    if pattern.blocks is BlockDays.IN_TURN:
        turns = [[each] for each in wanted]
    else:
        turns = [list(group) for _, group in groupby(wanted, key=lambda each: each[0])]
    place = 0
    for turn, sessions in enumerate(turns):
        day = pattern.first + timedelta(days=pattern.step * turn)
        place = place if pattern.step == 0 else 0
        for number, block in sessions:
            later = timedelta(minutes=place * pattern.minutes)
            start = (datetime.combine(day, pattern.start) + later).time() if pattern.start else None
            yield PlannedSession(number, block, day, start)
            place += 1
