"""What hanchan of one player come to, in a form that adds up: months make a career without looking at them again.

docs/adr/0030 says when months are kept.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import reduce
from itertools import chain, groupby
from operator import add
from typing import Any

from stats.core.statistics import (
    BELONGS,
    HeadToHead,
    Meeting,
    PlayedHanchan,
    Records,
    Run,
    Streak,
    Tally,
    by_seat,
    head_to_head,
    most_frequent_first,
    records,
)

Counts = tuple[int, ...]
"""Numbers that are added one by one."""

Kept = tuple[int | None, ...]
"""The values of a PlayedHanchan; none where no hanchan stands out."""

Gains = tuple[tuple[date, tuple[int, ...]], ...]
"""What each hanchan brought with what lies on the total only, in 1/1000 pt, by day in order of play."""

SHOWN = 10
"""So many of the latest placements are kept."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """How a run goes in some hanchan: at their beginning, at their end, at its longest. `games`: how many they are."""

    games: int
    first: int
    current: int
    longest: int

    def before(self, later: "Stretch") -> "Stretch":
        """Return how it goes in these hanchan and later ones together."""
        return Stretch(
            self.games + later.games,
            self.first + (later.first if self.first == self.games else 0),
            later.current + (self.current if later.current == later.games else 0),
            max(self.longest, later.longest, self.current + later.first),
        )


@dataclass(frozen=True, slots=True)
class Career:
    """Hanchan of one player, on days on which no other part of a career has any.

    `players`: at the largest table. `seats`: for each seat the values of a Tally. `records`: those of Records, in their
    order, each with the values of a PlayedHanchan. `met`: for each opponent the values of a HeadToHead but for who it is.
    """

    players: int = 0
    total_only: int = 0
    gains: Gains = ()
    recent: tuple[int, ...] = ()
    seats: Mapping[int, Counts] = field(default_factory=dict)
    runs: tuple[Stretch, ...] = (Stretch(0, 0, 0, 0),) * len(Run)
    records: tuple[Kept, ...] = ()
    met: Mapping[int, Counts] = field(default_factory=dict)

    @property
    def tally(self) -> Tally:
        """The counts of all hanchan."""
        return _tally(tuple(map(sum, zip(*self.seats.values(), strict=True))) or (0,) * TALLIED)

    @property
    def tallies(self) -> dict[int, Tally]:
        """The counts of every seat that was sat in, the first dealer's first."""
        return {seat: _tally(self.seats[seat]) for seat in sorted(self.seats)}

    @property
    def streaks(self) -> dict[Run, Streak]:
        """The streak of every kind."""
        return {run: Streak(stretch.current, stretch.longest) for run, stretch in zip(Run, self.runs, strict=True)}

    @property
    def best_and_worst(self) -> Records | None:
        """The hanchan that stand out; None when nothing was played."""
        return _records(self.records)

    @property
    def opponents(self) -> tuple[HeadToHead, ...]:
        """One line per opponent, the most frequent first."""
        return most_frequent_first(HeadToHead(opponent, *counts) for opponent, counts in self.met.items())

    def against(self, opponent: int) -> HeadToHead | None:
        """Return the meetings with one opponent; None where there was none."""
        return HeadToHead(opponent, *self.met[opponent]) if opponent in self.met else None


def career_of(
    games: Sequence[PlayedHanchan],
    gains: Iterable[tuple[date, int]],
    total_only: int,
    meetings: Iterable[Meeting],
) -> Career:
    """Return what these hanchan come to; `games` and what they brought on which day, in order of play."""
    days = groupby(gains, key=lambda gain: gain[0])
    best = records(games)
    return Career(
        players=max((game.players for game in games), default=0),
        total_only=total_only,
        gains=tuple((day, tuple(points for _, points in together)) for day, together in days),
        recent=tuple(game.placement for game in games[-SHOWN:]),
        seats={seat: _counts(tally) for seat, tally in by_seat(games).items()},
        runs=tuple(_stretch([BELONGS[run](game) for game in games]) for run in Run),
        records=tuple(_values(game) for game in best.in_order) if best else (),
        met={line.opponent: _met(line) for line in head_to_head(meetings)},
    )


def joined(parts: Sequence[Career]) -> Career:
    """Return what the parts of a career are together, in order of time."""
    return Career(
        players=max((part.players for part in parts), default=0),
        total_only=sum(part.total_only for part in parts),
        gains=tuple(chain.from_iterable(part.gains for part in parts)),
        recent=tuple(chain.from_iterable(part.recent for part in parts))[-SHOWN:],
        seats=_added(part.seats for part in parts),
        runs=tuple(reduce(Stretch.before, runs) for runs in zip(*(part.runs for part in parts), strict=True))
        or Career().runs,
        records=_standing_out([part.records for part in parts if part.records]),
        met=_added(part.met for part in parts),
    )


# --- As it is kept ---------------------------------------------------------------------------------------------------

SHAPE = 3
"""The form in which careers are kept; with another number, what is kept is put together anew."""


def as_json(career: Career) -> list[Any]:
    """Return a career as JSON knows it."""
    return [
        career.players,
        career.total_only,
        [[day.isoformat(), points] for day, points in career.gains],
        career.recent,
        career.seats,
        [[each.games, each.first, each.current, each.longest] for each in career.runs],
        career.records,
        career.met,
    ]


def from_json(kept: Sequence[Any]) -> Career:
    """Return the career that was kept."""
    players, total_only, gains, recent, seats, runs, best, met = kept
    return Career(
        players,
        total_only,
        tuple((date.fromisoformat(day), tuple(points)) for day, points in gains),
        tuple(recent),
        {int(seat): tuple(counts) for seat, counts in seats.items()},
        tuple(Stretch(*each) for each in runs),
        tuple(tuple(values) for values in best),
        {int(opponent): tuple(counts) for opponent, counts in met.items()},
    )


# --- Numbers ---------------------------------------------------------------------------------------------------------

TALLIED = 12
"""So many numbers a Tally has."""


def _counts(tally: Tally) -> Counts:
    sums = tally.games, tally.points, tally.raw, tally.halves
    return *sums, *tally.places, tally.lasts, tally.busts, tally.plus, tally.without_raw


def _tally(counts: Counts) -> Tally:
    games, points, raw, halves, first, second, third, fourth, *rest = counts
    return Tally(games, points, raw, halves, (first, second, third, fourth), *rest)


def _met(line: HeadToHead) -> Counts:
    return line.games, line.above, line.below, line.lead_halves, line.points, line.their_points, line.lead_squares


def _values(game: PlayedHanchan | None) -> Kept:
    if game is None:
        return ()
    kept = (game.hanchan, game.seat, game.placement, game.sharing, game.players, game.raw, game.points)
    return *kept, int(game.is_bust)


def _hanchan(values: Sequence[Any]) -> PlayedHanchan | None:
    if not values:
        return None
    hanchan, seat, placement, sharing, players, raw, points, is_bust = values
    return PlayedHanchan(hanchan, seat, placement, sharing, players, raw, points, bool(is_bust))


def _stretch(belongs: Sequence[bool]) -> Stretch:
    single = (Stretch(1, int(does), int(does), int(does)) for does in belongs)
    return reduce(Stretch.before, single, Stretch(0, 0, 0, 0))


def _added(parts: Iterable[Mapping[int, Counts]]) -> dict[int, Counts]:
    found: dict[int, Counts] = {}
    for part in parts:
        for key, counts in part.items():
            found[key] = tuple(map(add, found[key], counts)) if key in found else counts
    return found


def _standing_out(parts: Sequence[tuple[Kept, ...]]) -> tuple[Kept, ...]:
    """Return the hanchan that stand out among those that do in each part; of equal ones the earliest."""
    wholes = [records([game for values in same if (game := _hanchan(values))]) for same in zip(*parts, strict=True)]
    return tuple(_values(whole.in_order[place] if whole else None) for place, whole in enumerate(wholes))


def _records(kept: Sequence[Kept]) -> Records | None:
    """Return what stands out as it was kept: with the most points and the fewest, and by raw score where any is known."""
    highest, lowest, most, fewest = map(_hanchan, kept) if kept else (None,) * 4
    return Records(highest, lowest, most, fewest) if most is not None and fewest is not None else None
