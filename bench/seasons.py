"""Random seasons from a seed, in plain Python without Django. The same seed always gives the same results."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo

from scoring.core import Bust, FinishedGame, ScoringRules

ZONE = "Asia/Tokyo"
BEGINS = time(19, 0)
LASTS = timedelta(minutes=55)
"""Length of a hanchan. Twelve rounds end before the league's day does."""

HISTORY = 156
"""Number of weekly sessions a steady league played before its last month."""

ONE_BUST_IN, ONE_TIE_IN = 20, 50


@dataclass(frozen=True)
class Season:
    slug: str
    players: int
    days: tuple[tuple[date, int], ...]
    tables: int


class Played(NamedTuple):
    """One hanchan: time, table, players as indexes into the league's players, and the result."""

    day: date
    moment: datetime
    table: int
    round: int
    players: tuple[int, ...]
    game: FinishedGame


def crowd(leagues: int, last: date) -> list[Season]:
    days = tuple((last - timedelta(weeks=week), 4) for week in range(25, -1, -1))
    return [Season(f"crowd-{number}", 16, days, 4) for number in range(leagues)]


def steady(hanchan: int, last: date, *, players: int, in_last_month: int, slug: str = "steady") -> Season:
    """Return a league that differs from other steady ones only in the number of hanchan before its last month."""
    first = last.replace(day=1)
    recent = [first + timedelta(days=number) for number in range((last - first).days + 1)]
    weeks = [first - timedelta(days=1, weeks=number) for number in range(HISTORY)]
    days = (*_shared(hanchan - in_last_month, weeks[::-1]), *_shared(in_last_month, recent))
    return Season(f"{slug}-{hanchan}", players, days, 40)


def weekend(last: date) -> Season:
    return Season("weekend", 128, ((last, 320),), 32)


def _shared(hanchan: int, days: Sequence[date]) -> tuple[tuple[date, int], ...]:
    """Split the hanchan over the days as evenly as possible, omitting days without any."""
    marks = [hanchan * number // len(days) for number in range(len(days) + 1)]
    shares = (high - low for low, high in pairwise(marks))
    return tuple((day, count) for day, count in zip(days, shares, strict=True) if count)


def played(season: Season, rules: ScoringRules) -> Iterator[Played]:
    """Yield the hanchan of a season in order of play. Everyone plays once before anyone plays again."""
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
    """Return a random four-player game: one in fifty with a tie, one in twenty with a bust by a win."""
    total = 4 * (rules.start_points or 0) // 100
    raw = [high - low for low, high in pairwise([0, *sorted(dice.sample(range(1, total), 3)), total])]
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
