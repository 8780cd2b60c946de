"""Invented seasons, seeded: leagues of very different sizes, a few players who never miss an evening, results that score.

Plain Python without Django. The same seed gives the same seasons to the last stick.
"""

import random
from bisect import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scoring.core import Bust, FinishedGame, ScoredGame, ScoringRules, score

ZONES = ("Asia/Tokyo", "Asia/Tokyo", "Asia/Tokyo", "Europe/Berlin", "America/New_York", "Australia/Sydney")
BOUNDARY = time(6, 0)
"""When the league's day ends: what is played after midnight belongs to the evening before."""

BEGINS = time(19, 0)
LASTS = timedelta(minutes=55)
"""What a hanchan takes; twelve rounds of an evening end before the day does."""

SKEW = 0.8
"""The player at place n of the regulars sits down n ** -SKEW times as often as the first."""

HISTORY = timedelta(weeks=156)
"""How long a steady league has played before its last month: once a week."""

ONE_BUST_IN = 20
ONE_TIE_IN = 50


@dataclass(frozen=True)
class Season:
    """What a league has played: how many hanchan by how many players, on which days how many.

    `seating`: who sits down: "regulars" more often than others, "everybody" alike, or in "rounds" without a break.
    """

    slug: str
    players: int
    zone: str
    days: tuple[tuple[date, int], ...]
    tables: int
    seating: str = "regulars"

    @property
    def hanchan(self) -> int:
        """How many hanchan there are in all."""
        return sum(count for _, count in self.days)


class Played(NamedTuple):
    """One hanchan: when, where, who by their place among the league's players, and what came of it."""

    day: date
    moment: datetime
    table: int
    round: int
    players: tuple[int, ...]
    scored: ScoredGame


def crowd(hanchan: int, leagues: int, last: date, seed: int = 1) -> list[Season]:
    """Return log-normal leagues over five years that make so many hanchan in all; a hundred hanchan a player."""
    dice = random.Random(seed)
    weights = [dice.lognormvariate(0, 0.9) for _ in range(leagues)]
    sizes = apportioned(hanchan, weights)
    return [
        Season(f"crowd-{number}", max(16, size // 50), ZONES[number % len(ZONES)], _evenings(size, last, 5 * 365), 10)
        for number, size in enumerate(sizes)
    ]


def apportioned(total: int, weights: Sequence[float]) -> list[int]:
    """Return whole shares of a total by weight that add up to it exactly."""
    marks = [round(total * part / sum(weights)) for part in accumulate(weights)]
    return [high - low for low, high in zip([0, *marks], marks, strict=False)]


def steady(hanchan: int, last: date, *, players: int, in_last_month: int) -> Season:
    """Return a league that differs from other steady leagues in nothing but how much was played before its last month.

    The same evenings, the same months and years, the same players; with enough hanchan everybody plays in every month.
    """
    first_of_month = last.replace(day=1)
    recent = [first_of_month + timedelta(days=number) for number in range((last - first_of_month).days + 1)]
    weeks = [first_of_month - timedelta(days=1, weeks=number) for number in range(HISTORY.days // 7)]
    days = (*_shared(hanchan - in_last_month, weeks[::-1]), *_shared(in_last_month, recent))
    return Season(f"steady-{hanchan}", players, "Asia/Tokyo", days, 40, "everybody")


def _shared(hanchan: int, days: Sequence[date]) -> tuple[tuple[date, int], ...]:
    """Return days with even shares of the hanchan, without those on which none is played."""
    shares = apportioned(hanchan, [1.0] * len(days))
    return tuple((day, count) for day, count in zip(days, shares, strict=True) if count)


def weekend(last: date) -> Season:
    """Return an event: 128 players, ten rounds of thirty-two tables on one day, 320 hanchan."""
    return Season("weekend", 128, "Asia/Tokyo", ((last, 320),), 32, "rounds")


def _evenings(hanchan: int, last: date, span: int) -> tuple[tuple[date, int], ...]:
    """Return the days of play, oldest first: a dozen hanchan each, or more where that is not days enough."""
    count = max(1, min(hanchan // 12, span))
    days = [last - timedelta(days=span * number // count) for number in range(count)]
    return _shared(hanchan, days[::-1])


def played(season: Season, rules: ScoringRules, seed: int = 1) -> Iterator[Played]:
    """Yield the hanchan of a season in order of play."""
    dice = random.Random(f"{seed} {season.slug}")
    seated = SEATINGS[season.seating](dice, season.players)
    zone = ZoneInfo(season.zone)
    for day, count in season.days:
        begins = datetime.combine(day, BEGINS, zone).astimezone(UTC)
        tables = max(min(season.tables, count), -(-count // 12))
        for number in range(count):
            round_, table = divmod(number, tables)
            players = seated(table, round_)
            game = random_game(dice, rules)
            yield Played(day, begins + round_ * LASTS, table + 1, round_ + 1, players, score(game, rules))


Seated = Callable[[int, int], tuple[int, ...]]
"""Who plays at a table in a round, both counted from 0."""


def _regulars(dice: random.Random, players: int) -> Seated:
    """Let the regulars sit down more often than the others."""
    marks = list(accumulate((place + 1) ** -SKEW for place in range(players)))

    def seated(_table: int, _round: int) -> tuple[int, ...]:
        some: dict[int, None] = {}
        while len(some) < 4:
            some[bisect(marks, dice.random() * marks[-1])] = None
        return tuple(some)

    return seated


def _everybody(dice: random.Random, players: int) -> Seated:
    """Deal all players out before anybody comes again; who is left over when fewer than four are, waits."""
    deck: list[int] = []

    def seated(_table: int, _round: int) -> tuple[int, ...]:
        if len(deck) < 4:
            deck[:] = dice.sample(range(players), players)
        return tuple(deck.pop() for _ in range(4))

    return seated


def _rounds(_dice: random.Random, players: int) -> Seated:
    """Let everybody play every round, each time with others."""
    quarter = players // 4

    def seated(table: int, round_: int) -> tuple[int, ...]:
        return tuple(seat * quarter + (table + seat * round_) % quarter for seat in range(4))

    return seated


SEATINGS: dict[str, Callable[[random.Random, int], Seated]] = {
    "regulars": _regulars,
    "everybody": _everybody,
    "rounds": _rounds,
}


def random_game(dice: random.Random, rules: ScoringRules) -> FinishedGame:
    """Return an ordinary game of four: one in fifty with a tie, one in twenty with a player bust by a win."""
    total = 4 * (rules.start_points or 0) // 100
    cuts = sorted(dice.sample(range(1, total), 3))
    raw = [high - low for low, high in zip([0, *cuts], [*cuts, total], strict=True)]
    if dice.randrange(ONE_TIE_IN) == 0:
        raw[0] = raw[1] = (raw[0] + raw[1]) // 2
        raw[2] += total - sum(raw)
    busts: tuple[Bust, ...] = ()
    if dice.randrange(ONE_BUST_IN) == 0:
        winner = raw.index(max(raw))
        loser = min((seat for seat in range(4) if seat != winner), key=raw.__getitem__)
        raw[winner], raw[loser] = raw[winner] + raw[loser] + 9, -9
        busts = (Bust(loser, "win", (winner,)),)
    return FinishedGame(tuple(100 * score for score in raw), busts=busts)
