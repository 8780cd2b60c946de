"""Invented seasons, seeded: plain Python without Django. The same seed gives the same seasons to the last stick."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import accumulate
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scoring.core import Bust, FinishedGame, ScoringRules

ZONE = "Asia/Tokyo"
BEGINS = time(19, 0)
LASTS = timedelta(minutes=55)
"""What a hanchan takes; twelve rounds of an evening end before the league's day does."""

HISTORY = 156
"""So many weeks a steady league has played before its last month: once a week."""

ONE_BUST_IN, ONE_TIE_IN = 20, 50


@dataclass(frozen=True)
class Season:
    """What a league has played: how many hanchan by how many players, on which days how many."""

    slug: str
    players: int
    days: tuple[tuple[date, int], ...]
    tables: int

    @property
    def hanchan(self) -> int:
        return sum(count for _, count in self.days)


class Played(NamedTuple):
    """One hanchan: when, where, who by their place among the league's players, and how it ended."""

    day: date
    moment: datetime
    table: int
    round: int
    players: tuple[int, ...]
    game: FinishedGame


def crowd(hanchan: int, leagues: int, last: date) -> list[Season]:
    """Return log-normal leagues over five years that make so many hanchan in all; a dozen hanchan an evening."""
    dice = random.Random(1)
    sizes = apportioned(hanchan, [dice.lognormvariate(0, 0.9) for _ in range(leagues)])
    seasons = []
    for number, size in enumerate(sizes):
        evenings = max(1, min(size // 12, 5 * 365))
        days = [last - timedelta(days=5 * 365 * evening // evenings) for evening in range(evenings)]
        seasons.append(Season(f"crowd-{number}", max(16, size // 50), _shared(size, days[::-1]), 10))
    return seasons


def steady(hanchan: int, last: date, *, players: int, in_last_month: int, slug: str = "steady") -> Season:
    """Return a league that differs from other steady ones in nothing but how much was played before its last month."""
    first = last.replace(day=1)
    recent = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    weeks = [first - timedelta(days=1, weeks=number) for number in range(HISTORY)]
    days = (*_shared(hanchan - in_last_month, weeks[::-1]), *_shared(in_last_month, recent))
    return Season(f"{slug}-{hanchan}", players, days, 40)


def weekend(last: date) -> Season:
    """Return an event: 128 players, ten rounds of thirty-two tables on one day, 320 hanchan."""
    return Season("weekend", 128, ((last, 320),), 32)


def apportioned(total: int, weights: Sequence[float]) -> list[int]:
    """Return whole shares of a total by weight that add up to it exactly."""
    marks = [round(total * part / sum(weights)) for part in accumulate(weights)]
    return [high - low for low, high in zip([0, *marks], marks, strict=False)]


def _shared(hanchan: int, days: Sequence[date]) -> tuple[tuple[date, int], ...]:
    shares = apportioned(hanchan, [1.0] * len(days))
    return tuple((day, count) for day, count in zip(days, shares, strict=True) if count)


def played(season: Season, rules: ScoringRules) -> Iterator[Played]:
    """Yield the hanchan of a season in order of play; all players are dealt out before one comes again."""
    dice = random.Random(season.slug)
    deck: list[int] = []
    for day, count in season.days:
        begins = datetime.combine(day, BEGINS, ZoneInfo(ZONE)).astimezone(UTC)
        tables = max(min(season.tables, count), -(-count // 12))
        for number in range(count):
            round_, table = divmod(number, tables)
            if len(deck) < 4:
                deck = dice.sample(range(season.players), season.players)
            players = tuple(deck.pop() for _ in range(4))
            yield Played(day, begins + round_ * LASTS, table + 1, round_ + 1, players, random_game(dice, rules))


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
