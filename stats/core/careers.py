"""Careers: the sums of a player's hanchan in a form that can be added, so that stored months need no seats.

docs/adr/0055 describes when months are stored, and in which form.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import date
from functools import reduce
from itertools import chain, groupby
from operator import itemgetter
from typing import Any, NamedTuple

from stats.core.statistics import (
    BELONGS,
    HeadToHead,
    Meeting,
    PlayedHanchan,
    Records,
    Run,
    Tally,
    by_seat,
    met_in,
    records,
    summed,
    tally,
)

Counts = tuple[int, ...]
"""Numbers that are added element by element."""

SHOWN = 10
"""Number of latest placements stored."""

STEPS_KEPT = 60
"""Above this number of hanchan in a month, the curve has one step per day."""


class Stretch(NamedTuple):
    """A streak within some hanchan: its length at their beginning, at their end, and at its longest.

    `games`: number of hanchan. `first_at`, `longest_at`: the hanchan that completed these, if recorded; 0 for none.
    """

    games: int
    first: int
    current: int
    longest: int
    first_at: int = 0
    longest_at: int = 0

    def before(self, later: "Stretch") -> "Stretch":
        """Return the streak over these hanchan followed by the later ones."""
        is_all = self.first == self.games
        joined = self.current + later.first
        lengths = (self.longest, self.longest_at), (joined, later.first_at), (later.longest, later.longest_at)
        longest, at = max(lengths, key=itemgetter(0))
        return Stretch(
            self.games + later.games,
            self.first + (later.first if is_all else 0),
            later.current + (self.current if later.current == later.games else 0),
            longest,
            later.first_at if is_all and later.first else self.first_at,
            at,
        )


class PlayedDay(NamedTuple):
    """A day's hanchan. `day`: as in PlayedHanchan. `halves`: twice the sum of placements.

    `gains`: points in 1/1000 pt in order of play, including points on the total only, one per hanchan or summed.
    """

    day: int
    hanchan: int
    halves: int
    gains: Counts

    @property
    def on(self) -> date:
        return date.fromordinal(self.day)


class LastHanchan(NamedTuple):
    session: int
    placement: int
    sharing: int
    players: int


@dataclass(frozen=True, slots=True)
class Career:
    """A player's hanchan in sums. Careers that are added must not share a day.

    `players`: size of the largest table. `evenings`: the sessions, each with the result of its last hanchan. `records`:
    None without hanchan. `met`: HeadToHead values by opponent. `held`: all sessions of the league on these days.
    """

    players: int = 0
    evenings: tuple[LastHanchan, ...] = ()
    days: tuple[PlayedDay, ...] = ()
    recent: tuple[int, ...] = ()
    seats: Mapping[int, Tally] = field(default_factory=dict)
    runs: tuple[Stretch, ...] = (Stretch(0, 0, 0, 0),) * len(Run)
    records: Records | None = None
    met: Mapping[int, Counts] = field(default_factory=dict)
    held: tuple[int, ...] = ()

    @property
    def tally(self) -> Tally:
        return summed(self.seats.values())

    @property
    def streaks(self) -> dict[Run, Stretch]:
        return dict(zip(Run, self.runs, strict=True))

    @property
    def last_hanchan(self) -> Tally:
        return summed(
            Tally._make(count * each for each in tally([PlayedHanchan(0, 0, *places, None, 0)]))
            for places, count in Counter((each.placement, each.sharing, each.players) for each in self.evenings).items()
        )

    @property
    def opponents(self) -> tuple[HeadToHead, ...]:
        """One line per opponent, most meetings first."""
        lines = (HeadToHead(opponent, *counts) for opponent, counts in self.met.items())
        return tuple(sorted(lines, key=lambda line: (-line.games, -line.above, line.opponent)))

    def against(self, opponent: int) -> HeadToHead | None:
        return HeadToHead(opponent, *self.met[opponent]) if opponent in self.met else None


def career_of(games: Sequence[PlayedHanchan], meetings: Iterable[Meeting], held: Iterable[int] = ()) -> Career:
    """Return the career of these hanchan; `games` in order of play. `held`: as in Career."""
    evenings = {game.session: LastHanchan(game.session, game.placement, game.sharing, game.players) for game in games}
    return Career(
        players=max((game.players for game in games), default=0),
        evenings=tuple(evenings.values()),
        days=tuple(_day(day, tuple(together)) for day, together in groupby(games, key=lambda game: game.day)),
        recent=tuple(game.placement for game in games[-SHOWN:]),
        seats=by_seat(games),
        runs=tuple(_stretch([BELONGS[run](game) for game in games]) for run in Run),
        records=records(games),
        met=dict(_added({meeting.opponent: met_in(meeting)} for meeting in meetings)),
        held=tuple(sorted(held)),
    )


def joined(parts: Sequence[Career]) -> Career:
    return Career(
        players=max((part.players for part in parts), default=0),
        evenings=tuple({each.session: each for part in parts for each in part.evenings}.values()),
        days=tuple(chain.from_iterable(part.days for part in parts)),
        recent=tuple(chain.from_iterable(part.recent for part in parts))[-SHOWN:],
        seats={seat: Tally._make(counts) for seat, counts in sorted(_added(part.seats for part in parts))},
        runs=tuple(reduce(Stretch.before, runs) for runs in zip(*(part.runs for part in parts), strict=True))
        or Career().runs,
        records=_standing_out([part.records for part in parts if part.records]),
        met=dict(_added(part.met for part in parts)),
        held=tuple(sorted({session for part in parts for session in part.held})),
    )


PARTS = [part.name for part in fields(Career)]
"""Fields of a career in stored order."""

HELD = PARTS.index("held")
"""Position of `held`, which is the same for all players and stored once."""


RUN_KEPT = 4
"""Number of Stretch values stored; the hanchan themselves are not needed."""


def as_json(career: Career) -> list[Any]:
    is_long = sum(each.hanchan for each in career.days) > STEPS_KEPT
    return [
        career.players,
        career.evenings,
        [each._replace(gains=(sum(each.gains),)) for each in career.days] if is_long else career.days,
        career.recent,
        career.seats,
        [run[:RUN_KEPT] for run in career.runs],
        [each or () for each in career.records or ()],
        career.met,
        career.held,
    ]


def from_json(kept: Sequence[Any]) -> Career:
    players, evenings, days, recent, seats, runs, best, met, held = kept
    return replace(
        from_parts(seats, runs, best, met),
        players=players,
        evenings=tuple(map(LastHanchan._make, evenings)),
        days=tuple(PlayedDay(day, hanchan, halves, tuple(gains)) for day, hanchan, halves, gains in days),
        recent=tuple(recent),
        held=tuple(held),
    )


def from_parts(seats: Mapping[str, Any], runs: Sequence[Any], best: Sequence[Any], met: Mapping[str, Any]) -> Career:
    return Career(
        seats={int(seat): Tally._make(counts) for seat, counts in seats.items()},
        runs=tuple(Stretch(*run) for run in runs),
        records=Records._make(PlayedHanchan._make(each) if each else None for each in best) if best else None,
        met={int(opponent): tuple(counts) for opponent, counts in met.items()},
    )


def _day(day: int, games: Sequence[PlayedHanchan]) -> PlayedDay:
    gains = tuple(game.points + game.total_only for game in games)
    return PlayedDay(day, len(games), sum(game.halves for game in games), gains)


def _stretch(belongs: Sequence[bool]) -> Stretch:
    runs = [(does, sum(1 for _ in together)) for does, together in groupby(belongs)]
    if not runs:
        return Stretch(0, 0, 0, 0)
    first, *_, last = (*runs, runs[-1])
    longest = max((length for does, length in runs if does), default=0)
    return Stretch(len(belongs), first[1] if first[0] else 0, last[1] if last[0] else 0, longest)


def _added(parts: Iterable[Mapping[int, Counts]]) -> Iterator[tuple[int, Counts]]:
    found: dict[int, list[Counts]] = {}
    for part in parts:
        for key, counts in part.items():
            found.setdefault(key, []).append(counts)
    for key, lines in found.items():
        yield key, tuple(map(sum, zip(*lines, strict=True))) if len(lines) > 1 else tuple(lines[0])


def _standing_out(parts: Sequence[Records]) -> Records | None:
    """Return the best records of all parts; if tied, the earliest."""
    wholes = [records([game for game in same if game]) for same in zip(*parts, strict=True)]
    return Records._make(whole and whole[place] for place, whole in enumerate(wholes)) if wholes else None
