"""What a player's hanchan add up to: exact counts, averages as fractions, streaks, opponents, seats.

A shared placement covers several places. Averages take the middle of them and counts give each an equal part, so that
a table always adds up to one first and one last place; counts are therefore kept in twelfths. A streak goes by the
best of the places that a placement covers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

from league.core.board_lines import TWELFTHS, halves_of
from league.core.numbers import rounded

PROVISIONAL_BELOW = 20
"""Fewer hanchan than this and a rate says little; pages mark it."""

RATE_FROM = 5
"""Meetings with an opponent from which a rate is given."""


class PlayedHanchan(NamedTuple):
    """One hanchan as one player played it. Points are in 1/1000 pt, `players` is the size of the table.

    `raw` is None where only the points are known. `day`: its number in the calendar of Python, 1 the first day of year 1.
    `start`: what everybody began with, None where the rules do not say. `score_points` and `uma`: of the ranking points,
    what follows from the score and what from the placement. `busted_others`: how many a win of the player sent below.
    `ends_at_bust`: whether the rules end a hanchan when somebody is bust.
    """

    hanchan: int
    seat: int
    placement: int
    sharing: int
    players: int
    raw: int | None
    points: int
    is_bust: bool = False
    day: int = 1
    session: int = 0
    start: int | None = None
    score_points: int = 0
    uma: int = 0
    chips: int = 0
    chombo: int = 0
    yakuman: int = 0
    busted_others: int = 0
    total_only: int = 0
    ends_at_bust: bool = False

    @property
    def halves(self) -> int:
        """Twice the placement, the middle of the places covered when it is shared."""
        return halves_of(self.placement, self.sharing)

    def twelfths(self, place: int) -> int:
        covers = self.placement <= place < self.placement + self.sharing
        return TWELFTHS // self.sharing if covers else 0


class Tally(NamedTuple):
    """The counts of some hanchan of one player; any two add up field by field.

    `first` … `fourth` and `lasts` are in twelfths. `raw` and `raw_squares` are sums over the hanchan whose raw scores are
    known, which `without_raw` of them are not; `raw_points` and `placement_points` split the ranking points of the same.
    `balance`: raw scores less what everybody began with, where both are known, in `balanced` hanchan; `balance_first` …
    give it to the places taken, times twelve, and `balanced_first` … say of how many twelfths. `bustable`: hanchan that
    end when somebody is bust; `below_bustable`: those of them finished below zero.
    """

    games: int = 0
    points: int = 0
    points_squares: int = 0
    raw: int = 0
    raw_squares: int = 0
    without_raw: int = 0
    halves: int = 0
    first: int = 0
    second: int = 0
    third: int = 0
    fourth: int = 0
    lasts: int = 0
    busts: int = 0
    below_zero: int = 0
    plus: int = 0
    raw_points: int = 0
    placement_points: int = 0
    balance: int = 0
    balanced: int = 0
    balance_first: int = 0
    balance_second: int = 0
    balance_third: int = 0
    balance_fourth: int = 0
    balanced_first: int = 0
    balanced_second: int = 0
    balanced_third: int = 0
    balanced_fourth: int = 0
    chips: int = 0
    chombo: int = 0
    yakuman: int = 0
    busted_others: int = 0
    total_only: int = 0
    bustable: int = 0
    below_bustable: int = 0

    @property
    def places(self) -> tuple[int, int, int, int]:
        """How often each place was taken, in twelfths."""
        return self.first, self.second, self.third, self.fourth

    @property
    def average_placement(self) -> Fraction | None:
        return Fraction(self.halves, 2 * self.games) if self.games else None

    @property
    def average_points(self) -> Fraction | None:
        """Points a hanchan in 1/1000 pt, without what lies on the total only; None when nothing was played."""
        return Fraction(self.points, self.games) if self.games else None

    @property
    def points_variance(self) -> Fraction | None:
        """The variance of the points, divided by n; None when nothing was played."""
        return variance(self.games, self.points, self.points_squares)

    @property
    def with_raw(self) -> int:
        return self.games - self.without_raw

    @property
    def average_raw(self) -> Fraction | None:
        return Fraction(self.raw, self.with_raw) if self.with_raw else None

    @property
    def raw_variance(self) -> Fraction | None:
        return variance(self.with_raw, self.raw, self.raw_squares)

    @property
    def average_balance(self) -> Fraction | None:
        """The mean of raw scores less what everybody began with; None where that is not known."""
        return Fraction(self.balance, self.balanced) if self.balanced else None

    @property
    def balances(self) -> tuple[Fraction | None, ...]:
        """The same for each place; a shared one counts for every place it covers, by equal parts."""
        sums = self.balance_first, self.balance_second, self.balance_third, self.balance_fourth
        parts = self.balanced_first, self.balanced_second, self.balanced_third, self.balanced_fourth
        return tuple(Fraction(total, part) if part else None for total, part in zip(sums, parts, strict=True))

    @property
    def top_two(self) -> int:
        return self.first + self.second

    @property
    def bottom_two(self) -> int:
        return self.third + self.fourth

    @property
    def not_last(self) -> int:
        """Hanchan not finished in last place, in twelfths."""
        return TWELFTHS * self.games - self.lasts


PLACES = (1, 2, 3, 4)


def variance(count: int, total: int, squares: int) -> Fraction | None:
    """Return the variance of so many values, divided by their number, from their sum and that of their squares."""
    return Fraction(squares * count - total * total, count * count) if count else None


def summed(tallies: Iterable[Tally]) -> Tally:
    return Tally._make(map(sum, zip(*tallies, strict=True))) if (tallies := tuple(tallies)) else Tally()


def tally(games: Iterable[PlayedHanchan]) -> Tally:
    return summed(_of_one(game) for game in games)


def _of_one(game: PlayedHanchan) -> Tally:
    raw, start, places = game.raw, game.start, [game.twelfths(place) for place in PLACES]
    known, is_below = raw is not None, raw is not None and raw < 0
    is_balanced = raw is not None and start is not None
    balance = raw - start if raw is not None and start is not None else 0
    return Tally._make(
        (
            1,
            game.points,
            game.points * game.points,
            raw or 0,
            (raw or 0) ** 2,
            int(not known),
            game.halves,
            *places,
            game.twelfths(game.players),
            int(game.is_bust),
            int(is_below),
            int(game.points > 0),
            game.score_points if known else 0,
            game.uma if known else 0,
            balance,
            int(is_balanced),
            *(balance * place for place in places),
            *(place if is_balanced else 0 for place in places),
            game.chips,
            game.chombo,
            game.yakuman,
            game.busted_others,
            game.total_only,
            int(known and game.ends_at_bust),
            int(is_below and game.ends_at_bust),
        )
    )


def by_seat(games: Iterable[PlayedHanchan]) -> dict[int, Tally]:
    found: dict[int, list[Tally]] = {}
    for game in games:
        found.setdefault(game.seat, []).append(_of_one(game))
    return {seat: summed(found[seat]) for seat in sorted(found)}


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


class Meeting(NamedTuple):
    """Two players at one table: twice their placements, and their points in 1/1000 pt.

    `raw_lead`: by how much the player's raw score was higher; None where raw scores are not known.
    """

    opponent: int
    halves: int
    their_halves: int
    points: int
    their_points: int
    raw_lead: int | None = None


class HeadToHead(NamedTuple):
    """What the meetings with one opponent add up to, seen from the player.

    `raw_lead` is a sum over the meetings whose raw scores are known, which are `with_raw`. `lead_squares`: the sum of the
    squares of by how many 1/1000 pt the player had more.
    """

    opponent: int
    games: int
    above: int
    below: int
    lead_halves: int
    points: int
    their_points: int
    with_raw: int = 0
    raw_lead: int = 0
    lead_squares: int = 0

    @property
    def level(self) -> int:
        return self.games - self.above - self.below

    @property
    def rate(self) -> Fraction | None:
        """The part of the meetings finished above the opponent; None below five meetings."""
        return Fraction(self.above, self.games) if self.games >= RATE_FROM else None

    @property
    def lead(self) -> int:
        """By how many places the player finished better on average, in 1/1000 and rounded to hundredths."""
        return 10 * rounded(Fraction(100 * self.lead_halves, 2 * self.games))

    @property
    def average_raw_lead(self) -> Fraction | None:
        """By how much the player's raw score was higher on average; None where raw scores are not known."""
        return Fraction(self.raw_lead, self.with_raw) if self.with_raw else None


def met_in(meeting: Meeting) -> tuple[int, ...]:
    """Return the counts of a HeadToHead for one meeting."""
    _, own, theirs, points, their_points, raw_lead = meeting
    known, squares = raw_lead is not None, (points - their_points) ** 2
    above, below = int(own < theirs), int(own > theirs)
    return 1, above, below, theirs - own, points, their_points, int(known), raw_lead or 0, squares


class Records(NamedTuple):
    """The hanchan that stand out: by raw score, where any is known, and by points. Of equal ones the earliest."""

    highest_raw: PlayedHanchan | None
    lowest_raw: PlayedHanchan | None
    most_points: PlayedHanchan
    fewest_points: PlayedHanchan


def records(games: Sequence[PlayedHanchan]) -> Records | None:
    """Return the hanchan that stand out; None when nothing was played. `games` in order of play."""
    if not games:
        return None
    with_raw = [game for game in games if game.raw is not None]
    return Records(
        highest_raw=max(with_raw, key=lambda game: game.raw or 0, default=None),
        lowest_raw=min(with_raw, key=lambda game: game.raw or 0, default=None),
        most_points=max(games, key=lambda game: game.points),
        fewest_points=min(games, key=lambda game: game.points),
    )
