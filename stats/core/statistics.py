"""Aggregate statistics of a player's hanchan: exact counts, averages as fractions, streaks, opponents, seats.

A shared placement covers several places: averages use the mean of these places, counts (in twelfths) are split equally,
and streaks use the best one.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from math import isqrt
from typing import NamedTuple

from league.core.board_lines import TWELFTHS, halves_of
from league.core.numbers import rounded

PROVISIONAL_BELOW = 20
"""Below this number of hanchan, pages mark rates as provisional."""

RATE_FROM = 5
"""Minimum number of meetings with an opponent for a rate."""


class PlayedHanchan(NamedTuple):
    """One player's line in a hanchan, in 1/1000 pt. `players`: size of the table.

    `raw`: None if only the points are known. `day`: proleptic ordinal. `start`: start points, None if the rules do not
    define them. `score_points` and `uma`: parts of the ranking points. `busted_others`: number of players this player's
    wins busted. `ends_at_bust`: the rules end a hanchan when a player busts.
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
        """Twice the placement. A shared placement counts as the mean of the places it covers."""
        return halves_of(self.placement, self.sharing)

    def twelfths(self, place: int) -> int:
        covers = self.placement <= place < self.placement + self.sharing
        return TWELFTHS // self.sharing if covers else 0


class Tally(NamedTuple):
    """Counts over a player's hanchan. Tallies are added field by field.

    `first` … `fourth` and `lasts` are in twelfths. `raw` and `raw_squares` cover the hanchan with known raw scores (all
    but `without_raw`); `raw_points` and `placement_points` split their ranking points. `balance`: raw scores minus
    start points over `balanced` hanchan; `balance_first` … by placement, times twelve, over `balanced_first` …
    twelfths. `bustable`: hanchan that end when a player busts; `below_bustable`: those the player finished below zero.
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
        """How often the player finished in each place, in twelfths."""
        return self.first, self.second, self.third, self.fourth

    @property
    def average_placement(self) -> Fraction | None:
        return Fraction(self.halves, 2 * self.games) if self.games else None

    @property
    def average_points(self) -> Fraction | None:
        """Points per hanchan in 1/1000 pt, excluding points on the total only; None without hanchan."""
        return Fraction(self.points, self.games) if self.games else None

    @property
    def points_variance(self) -> Fraction | None:
        """The population variance of the points; None without hanchan."""
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
        """Mean of raw scores minus start points; None if unknown."""
        return Fraction(self.balance, self.balanced) if self.balanced else None

    @property
    def balances(self) -> tuple[Fraction | None, ...]:
        """The average balance per placement. A shared placement counts in equal parts for each place it covers."""
        sums = self.balance_first, self.balance_second, self.balance_third, self.balance_fourth
        parts = self.balanced_first, self.balanced_second, self.balanced_third, self.balanced_fourth
        return tuple(Fraction(total, part) if part else None for total, part in zip(sums, parts, strict=True))

    @property
    def top_two(self) -> int:
        return self.first + self.second

    @property
    def not_last(self) -> int:
        """Hanchan not finished in last place, in twelfths."""
        return TWELFTHS * self.games - self.lasts


PLACES = (1, 2, 3, 4)


def variance(count: int, total: int, squares: int) -> Fraction | None:
    """Return the population variance from count, sum and sum of squares."""
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
    """Return the half-width of the 95 % range of an average placement, rounded to hundredths; None without hanchan.

    This is how far luck alone moves the average of equal players: 1.96 times the standard error, where the variance of
    a placement among `players` is (players² - 1) / 12.
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
"""Conditions under which a hanchan extends a streak, by kind of streak."""


class Meeting(NamedTuple):
    """Two players at one table: twice their placements, and their points in 1/1000 pt."""

    opponent: int
    halves: int
    their_halves: int
    points: int
    their_points: int


class HeadToHead(NamedTuple):
    """Meetings with one opponent, from the player's side. `lead_squares`: sum of the squared leads (1/1000 pt)."""

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
        return self.games - self.above - self.below

    @property
    def rate(self) -> Fraction | None:
        """The share of meetings in which the player placed above the opponent; None below RATE_FROM meetings."""
        return Fraction(self.above, self.games) if self.games >= RATE_FROM else None

    @property
    def lead(self) -> int:
        """The average difference in placement in the player's favour, in 1/1000, rounded to hundredths."""
        return 10 * rounded(Fraction(100 * self.lead_halves, 2 * self.games))


def met_in(meeting: Meeting) -> tuple[int, ...]:
    """Return the counts of a HeadToHead for one meeting."""
    _, own, theirs, points, their_points = meeting
    above, below = int(own < theirs), int(own > theirs)
    return 1, above, below, theirs - own, points, their_points, (points - their_points) ** 2


class Records(NamedTuple):
    """Best and worst hanchan by raw score (if known) and by points. If tied, the earliest."""

    highest_raw: PlayedHanchan | None
    lowest_raw: PlayedHanchan | None
    most_points: PlayedHanchan
    fewest_points: PlayedHanchan


def records(games: Sequence[PlayedHanchan]) -> Records | None:
    if not games:
        return None
    with_raw = [game for game in games if game.raw is not None]
    return Records(
        highest_raw=max(with_raw, key=lambda game: game.raw or 0, default=None),
        lowest_raw=min(with_raw, key=lambda game: game.raw or 0, default=None),
        most_points=max(games, key=lambda game: game.points),
        fewest_points=min(games, key=lambda game: game.points),
    )
