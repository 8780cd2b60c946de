"""When the sessions of a stage take place, by a pattern such as "every Friday from 4 December, at 10:00 and 12:00"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from enum import StrEnum
from itertools import groupby

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
    """When a session of a stage takes place; without a block all blocks play in it."""

    number: int
    block: str
    day: date
    start: time | None = None


def moments(pattern: DayPattern, wanted: Sequence[tuple[int, str]]) -> Iterator[SessionMoment]:
    """Yield when each of the wanted sessions (number and block, in order) takes place.

    A session that would begin after midnight still belongs to the day before: its start goes on from 0:00.
    """
    place = 0
    for turn, sessions in enumerate(_turns(pattern, wanted)):
        day = pattern.first + timedelta(days=pattern.step * turn)
        place = place if pattern.step == 0 else 0
        for number, block in sessions:
            yield SessionMoment(number, block, day, _start(pattern, place))
            place += 1


def _turns(pattern: DayPattern, wanted: Sequence[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    if pattern.blocks is BlockDays.IN_TURN:
        yield from ([each] for each in wanted)
        return
    for _, group in groupby(wanted, key=lambda each: each[0]):
        yield list(group)


def _start(pattern: DayPattern, place: int) -> time | None:
    if pattern.start is None:
        return None
    minutes = (pattern.start.hour * 60 + pattern.start.minute + place * pattern.minutes) % DAY_MINUTES
    return time(minutes // 60, minutes % 60)
