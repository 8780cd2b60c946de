"""Time in a tournament: a clock that counts down, whether something is open, and days by a pattern such as "every Friday at 10:00"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from enum import Enum, StrEnum
from itertools import groupby


@dataclass(frozen=True, slots=True)
class RoundClock:
    """A countdown stored as times, not ticks, so that it survives any pause.

    `used`: elapsed before the last start; `started_at`: None while stopped.
    """

    length: timedelta
    used: timedelta = timedelta()
    started_at: datetime | None = None

    def gone(self, now: datetime) -> timedelta:
        """Return the elapsed time, never less than before the start."""
        return self.used + (max(timedelta(), now - self.started_at) if self.started_at else timedelta())

    def left(self, now: datetime) -> timedelta:
        return self.length - self.gone(now)

    def ends_at(self) -> datetime | None:
        """Return when it ends if not stopped, None while stopped."""
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
    """Return the phase. No beginning: begun; no end: open-ended; an end in the past: over."""
    if ends is not None and ends <= now:
        return Phase.OVER
    return Phase.SOON if begins is not None and now < begins else Phase.OPEN


DAY_MINUTES = 24 * 60


class BlockDays(StrEnum):
    TOGETHER = "together"  # one session for all of them
    SAME_DAY = "same_day"  # a session each, one after another on the same day
    IN_TURN = "in_turn"  # a session each, every one on the next day of the pattern


@dataclass(frozen=True, slots=True)
class DayPattern:
    """The first day, the days from one to the next (0: all on one day), and the blocks.

    `start`: when the first session of a day begins; the others of that day follow every `minutes`. Without it there are
    days alone.
    """

    first: date
    step: int = 7
    blocks: BlockDays = BlockDays.IN_TURN
    start: time | None = None
    minutes: int = 120


@dataclass(frozen=True, slots=True)
class SessionMoment:
    number: int
    block: str
    day: date
    start: time | None = None


def moments(pattern: DayPattern, wanted: Sequence[tuple[int, str]]) -> Iterator[SessionMoment]:
    """Yield the time of each wanted session (number and block, in order).

    A session that would begin after midnight belongs to the day before and starts after 0:00.
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
            yield SessionMoment(number, block, day, _start(pattern, place))
            place += 1


def _start(pattern: DayPattern, place: int) -> time | None:
    if pattern.start is None:
        return None
    minutes = (pattern.start.hour * 60 + pattern.start.minute + place * pattern.minutes) % DAY_MINUTES
    return time(minutes // 60, minutes % 60)
