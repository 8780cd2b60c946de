"""What a player's hanchan add up to: exact counts, averages as fractions, streaks, opponents, seats.

A shared placement covers several places. Averages take the middle of them and counts give each an equal part, so that
a table always adds up to one first and one last place; counts are therefore kept in twelfths. A streak goes by the
best of the places that a placement covers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import isqrt

from league.core.numbers import rounded
from league.core.placements import TWELFTHS, halves_of

PROVISIONAL_BELOW = 20
"""Fewer hanchan than this and a rate says little; pages mark it."""

RATE_FROM = 5
"""Meetings with an opponent from which a rate is given."""


@dataclass(frozen=True, slots=True)
class PlayedHanchan:
    """One hanchan as one player played it. Points are in 1/1000 pt, `players` is the size of the table.

    `raw` is None where only the points are known.
    """

    hanchan: int
    seat: int
    placement: int
    sharing: int
    players: int
    raw: int | None
    points: int
    is_bust: bool = False

    @property
    def halves(self) -> int:
        """Twice the placement, the middle of the places covered when it is shared."""
        return halves_of(self.placement, self.sharing)

    def twelfths(self, place: int) -> int:
        """Return how much of a place the player took."""
        covers = self.placement <= place < self.placement + self.sharing
        return TWELFTHS // self.sharing if covers else 0


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts of some hanchan of one player. `places` and `lasts` are in twelfths, first place first.

    `raw` is the sum of the raw scores, which `without_raw` of the hanchan do not have.
    """

    games: int
    points: int
    raw: int
    halves: int
    places: tuple[int, int, int, int]
    lasts: int
    busts: int
    plus: int
    without_raw: int = 0

    @property
    def average_placement(self) -> Fraction | None:
        """The mean placement; None when nothing was played."""
        return Fraction(self.halves, 2 * self.games) if self.games else None

    @property
    def top_two(self) -> int:
        """First and second places, in twelfths."""
        return self.places[0] + self.places[1]

    @property
    def not_last(self) -> int:
        """Hanchan not finished in last place, in twelfths."""
        return TWELFTHS * self.games - self.lasts


def tally(games: Iterable[PlayedHanchan]) -> Tally:
    """Return what these hanchan add up to."""
    games = tuple(games)
    first, second, third, fourth = (sum(game.twelfths(place) for game in games) for place in (1, 2, 3, 4))
    return Tally(
        games=len(games),
        points=sum(game.points for game in games),
        raw=sum(game.raw or 0 for game in games),
        halves=sum(game.halves for game in games),
        places=(first, second, third, fourth),
        lasts=sum(game.twelfths(game.players) for game in games),
        busts=sum(game.is_bust for game in games),
        plus=sum(game.points > 0 for game in games),
        without_raw=sum(game.raw is None for game in games),
    )


def by_seat(games: Sequence[PlayedHanchan]) -> dict[int, Tally]:
    """Return a tally for every seat that was sat in, the first dealer's first."""
    seats = sorted({game.seat for game in games})
    return {seat: tally(game for game in games if game.seat == seat) for seat in seats}


def placement_margin(games: int, players: int = 4) -> Fraction | None:
    """Return the half-width of the 95 % range of an average placement, rounded to hundredths.

    It is what luck alone does to equal players: 1.96 times the standard error, the variance of a placement among
    `players` being (players² - 1) / 12. None when nothing was played.
    """
    if games == 0:
        return None
    doubled = isqrt(4 * 196**2 * (players**2 - 1) // (12 * games))
    return Fraction((doubled + 1) // 2, 100)


class Run(StrEnum):
    """What a streak is made of."""

    FIRST = "first"
    TOP_TWO = "top_two"
    NOT_LAST = "not_last"
    NOT_FIRST = "not_first"
    BOTTOM_HALF = "bottom_half"
    LAST = "last"


BELONGS: Mapping[Run, Callable[[PlayedHanchan], bool]] = {
    Run.FIRST: lambda game: game.placement == 1,
    Run.TOP_TWO: lambda game: game.placement <= 2,
    Run.NOT_LAST: lambda game: game.placement < game.players,
    Run.NOT_FIRST: lambda game: game.placement > 1,
    Run.BOTTOM_HALF: lambda game: game.placement > 2,
    Run.LAST: lambda game: game.placement == game.players,
}
"""Whether a hanchan goes on with a streak."""


@dataclass(frozen=True, slots=True)
class Streak:
    """The run that is going on, and the longest there was, in hanchan."""

    current: int
    longest: int


def streaks(games: Sequence[PlayedHanchan]) -> dict[Run, Streak]:
    """Return the streak of every kind; `games` in order of play."""
    return {run: _streak(belongs(game) for game in games) for run, belongs in BELONGS.items()}


def _streak(belongs: Iterable[bool]) -> Streak:
    current = longest = 0
    for does in belongs:
        current = current + 1 if does else 0
        longest = max(longest, current)
    return Streak(current, longest)


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two players at one table: twice their placements, and their points in 1/1000 pt."""

    opponent: int
    halves: int
    their_halves: int
    points: int
    their_points: int


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """What the meetings with one opponent add up to, seen from the player.

    `lead_squares`: the sum of the squares of by how many 1/1000 pt the player had more.
    """

    opponent: int
    games: int
    above: int
    below: int
    lead_halves: int
    points: int
    their_points: int
    lead_squares: int = 0

    @property
    def level(self) -> int:
        """Hanchan in which both had the same placement."""
        return self.games - self.above - self.below

    @property
    def rate(self) -> Fraction | None:
        """The part of the meetings finished above the opponent; None below five meetings."""
        return Fraction(self.above, self.games) if self.games >= RATE_FROM else None

    @property
    def lead(self) -> int:
        """By how many places the player finished better on average, in 1/1000 and rounded to hundredths."""
        return 10 * rounded(Fraction(100 * self.lead_halves, 2 * self.games))


def head_to_head(meetings: Iterable[Meeting]) -> tuple[HeadToHead, ...]:
    """Return one line per opponent, the most frequent first."""
    met: dict[int, list[Meeting]] = {}
    for meeting in meetings:
        met.setdefault(meeting.opponent, []).append(meeting)
    return most_frequent_first(_against(opponent, together) for opponent, together in met.items())


def most_frequent_first(lines: Iterable[HeadToHead]) -> tuple[HeadToHead, ...]:
    """Return the lines of opponents as they are listed."""
    return tuple(sorted(lines, key=lambda line: (-line.games, -line.above, line.opponent)))


def _against(opponent: int, meetings: Sequence[Meeting]) -> HeadToHead:
    return HeadToHead(
        opponent=opponent,
        games=len(meetings),
        above=sum(meeting.halves < meeting.their_halves for meeting in meetings),
        below=sum(meeting.halves > meeting.their_halves for meeting in meetings),
        lead_halves=sum(meeting.their_halves - meeting.halves for meeting in meetings),
        points=sum(meeting.points for meeting in meetings),
        their_points=sum(meeting.their_points for meeting in meetings),
        lead_squares=sum((meeting.points - meeting.their_points) ** 2 for meeting in meetings),
    )


@dataclass(frozen=True, slots=True)
class Records:
    """The hanchan that stand out: by raw score, where any is known, and by points. Of equal ones the earliest."""

    highest_raw: PlayedHanchan | None
    lowest_raw: PlayedHanchan | None
    most_points: PlayedHanchan
    fewest_points: PlayedHanchan

    @property
    def in_order(self) -> tuple[PlayedHanchan | None, ...]:
        """All of them."""
        return self.highest_raw, self.lowest_raw, self.most_points, self.fewest_points


def records(games: Sequence[PlayedHanchan]) -> Records | None:
    """Return the hanchan that stand out; None when nothing was played. `games` in order of play."""
    if not games:
        return None
    with_raw = [game for game in games if game.raw is not None]
    return Records(
        highest_raw=max(with_raw, key=_raw, default=None),
        lowest_raw=min(with_raw, key=_raw, default=None),
        most_points=max(games, key=lambda game: game.points),
        fewest_points=min(games, key=lambda game: game.points),
    )


def _raw(game: PlayedHanchan) -> int:
    return game.raw or 0
