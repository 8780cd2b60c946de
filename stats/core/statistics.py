"""A player's hanchan in sums: exact counts, averages as fractions, streaks, opponents, seats.

A shared placement covers several places: averages take their middle, counts (in twelfths) split equally, and streaks
take the best of them.
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
    """One hanchan of one player, in 1/1000 pt. `players`: size of the table.

    `raw` None: only points are known. `day`: proleptic ordinal. `start`: start points, None if the rules do not say.
    `score_points` and `uma`: parts of the ranking points. `busted_others`: players busted by a win of this one.
    `ends_at_bust`: the rules end a hanchan when a player busts.
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
    """Counts of a player's hanchan; two can be added field by field.

    `first` … `fourth` and `lasts` are in twelfths. `raw` and `raw_squares` cover hanchan with known raw scores, not the
    `without_raw` others; `raw_points` and `placement_points` split their ranking points. `balance`: raw scores minus
    start points over `balanced` hanchan; `balance_first` … by place, times twelve, over `balanced_first` … twelfths.
    `bustable`: hanchan that end when a player busts; `below_bustable`: those finished below zero.
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
        """Points per hanchan in 1/1000 pt without those on the total only; None without hanchan."""
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
        """Mean of raw scores minus start points; None if unknown."""
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
"""Whether a hanchan extends a streak."""


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
    """Meetings with one opponent, from the player's side.

    `raw_lead`: summed over the `with_raw` meetings with known raw scores. `lead_squares`: sum of squared leads (1/1000
    pt).
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
    """Best and worst hanchan by raw score (if known) and by points. Of equal ones the earliest."""

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
