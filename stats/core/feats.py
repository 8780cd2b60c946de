"""Achievements. Each is earned once, by the first hanchan that fulfils its condition.

They depend on the hanchan only, not on the order of changes. Stored months are read hanchan by hanchan only if an
achievement may have been earned in them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import NamedTuple

from league.core.periods import month_of
from stats.core.careers import Career, Stretch
from stats.core.statistics import Run


class Feat(StrEnum):
    FIRST_TOP = "first_top"
    TOPS_3 = "tops_3"
    TOPS_5 = "tops_5"
    TOPS_10 = "tops_10"
    HANCHAN_100 = "hanchan_100"
    HANCHAN_500 = "hanchan_500"
    RAW_60 = "raw_60"
    RAW_80 = "raw_80"
    YAKUMAN = "yakuman"
    NO_LAST = "no_last"
    FOUR_SEATS = "four_seats"
    EVERYBODY = "everybody"


EVERYBODY_FROM = 8
"""Minimum number of opponents for the achievement of beating every opponent."""

NO_LAST_FROM = 10
"""Minimum hanchan for a month without last place, if the league has no monthly minimum."""

SEATS = 4


class FeatSeat(NamedTuple):
    """A player's line in a hanchan. `met`: opponents at the table; `beaten`: those who placed lower."""

    hanchan: int
    day: date
    seat: int
    placement: int
    players: int
    raw: int | None
    has_yakuman: bool
    met: tuple[int, ...]
    beaten: tuple[int, ...]


class PlayedMonth(NamedTuple):
    """A player's month up to its `last` day: its career, its hanchan in order of play, or both."""

    last: date
    is_over: bool
    career: Career | None = None
    seats: Sequence[FeatSeat] = ()


class Achieved(NamedTuple):
    """An achievement with its day and hanchan; `hanchan` is None if a whole month earned it."""

    feat: Feat
    day: date
    hanchan: int | None

    @property
    def month(self) -> str:
        return month_of(self.day).key


@dataclass(slots=True)
class _SoFar:
    """A player's state up to and including a hanchan. `run`: current streak of tops. `won`: seats with a top."""

    games: int = 0
    run: int = 0
    raw: int = 0
    yakuman: int = 0
    won: set[int] = field(default_factory=set)
    met: set[int] = field(default_factory=set)
    beaten: set[int] = field(default_factory=set)

    def play(self, seat: FeatSeat) -> None:
        is_top = seat.placement == 1
        self.games += 1
        self.run = self.run + 1 if is_top else 0
        self.raw = max(self.raw, seat.raw or 0)
        self.yakuman += seat.has_yakuman
        if is_top:
            self.won.add(seat.seat)
        self.met.update(seat.met)
        self.beaten.update(seat.beaten)

    def add(self, month: Career) -> None:
        """Add a whole month. `run` is the month's longest streak until `end` is called."""
        tops, best = _tops(month), month.records
        self.games += tops.games
        self.run = max(self.run + tops.first, tops.longest)
        if best and best.highest_raw:
            self.raw = max(self.raw, best.highest_raw.raw or 0)
        self.yakuman += month.tally.yakuman
        self.won.update(seat for seat, tally in month.seats.items() if tally.first)
        self.met.update(month.met)
        self.beaten.update(opponent for opponent, (_, above, *_) in month.met.items() if above)

    def end(self, month: Career, before: int) -> None:
        """Set `run` to the streak at the end of a month. `before`: the streak at its beginning."""
        tops = _tops(month)
        self.run = tops.current + (before if tops.current == tops.games else 0)


def _tops(month: Career) -> Stretch:
    return month.runs[list(Run).index(Run.FIRST)]


CONDITIONS: Mapping[Feat, Callable[[_SoFar], bool]] = {
    Feat.FIRST_TOP: lambda so_far: bool(so_far.won),
    Feat.TOPS_3: lambda so_far: so_far.run >= 3,
    Feat.TOPS_5: lambda so_far: so_far.run >= 5,
    Feat.TOPS_10: lambda so_far: so_far.run >= 10,
    Feat.HANCHAN_100: lambda so_far: so_far.games >= 100,
    Feat.HANCHAN_500: lambda so_far: so_far.games >= 500,
    Feat.RAW_60: lambda so_far: so_far.raw >= 60_000,
    Feat.RAW_80: lambda so_far: so_far.raw >= 80_000,
    Feat.YAKUMAN: lambda so_far: so_far.yakuman > 0,
    Feat.FOUR_SEATS: lambda so_far: len(so_far.won) == SEATS,
    Feat.EVERYBODY: lambda so_far: len(so_far.met) == len(so_far.beaten) >= EVERYBODY_FROM,
}
"""Conditions on the state after a hanchan. The month without last place is checked separately."""


def earned(months: Iterable[PlayedMonth], minimum: int) -> dict[Feat, Achieved]:
    """Return a player's achievements; months in order. `minimum`: the league's minimum hanchan per month.

    Months returned by `in_question` must have their hanchan.
    """
    found: dict[Feat, Achieved] = {}
    so_far = _SoFar()
    for month in months:
        if month.career is not None and not month.seats:
            run = so_far.run
            so_far.add(month.career)
            so_far.end(month.career, run)
        for seat in month.seats:
            so_far.play(seat)
            for feat in CONDITIONS.keys() - found.keys():
                if CONDITIONS[feat](so_far):
                    found[feat] = Achieved(feat, seat.day, seat.hanchan)
        if month.is_over and _is_clear(month, minimum or NO_LAST_FROM):
            found.setdefault(Feat.NO_LAST, Achieved(Feat.NO_LAST, month.last, None))
    return found


def in_question(months: Iterable[PlayedMonth]) -> Iterator[PlayedMonth]:
    """Yield the stored months in which one of the hanchan may have earned an achievement."""
    so_far, left = _SoFar(), set(CONDITIONS)
    for month in months:
        for seat in month.seats:
            so_far.play(seat)
        if month.career is None or month.seats:
            continue
        met, run = set(so_far.met), so_far.run
        so_far.add(month.career)
        true = {feat for feat in left if CONDITIONS[feat](so_far)}
        # Possible only if all opponents met before are met again by the month's end.
        may_be = Feat.EVERYBODY in left and len(so_far.beaten) >= EVERYBODY_FROM and met <= so_far.beaten
        if true or may_be:
            yield month
        left -= true
        so_far.end(month.career, run)


def _is_clear(month: PlayedMonth, least: int) -> bool:
    """Return whether a month has at least `least` hanchan and no last place."""
    if month.career is not None:
        lasts = month.career.runs[list(Run).index(Run.LAST)]
        return lasts.games >= least and not lasts.longest
    return len(month.seats) >= least and all(seat.placement < seat.players for seat in month.seats)
