import json
import random
from collections import Counter
from collections.abc import Callable
from itertools import groupby, pairwise

import pytest

from stats.core.league_records import (
    RUNS,
    Held,
    LeagueRecords,
    RecordKind,
    RecordSeat,
    as_json,
    evening_winners,
    from_json,
    joined,
    records_of,
)
from stats.core.statistics import Run


def season(seed: int, evenings: int = 12) -> list[RecordSeat]:
    """Draw sessions of a few hanchan among seven players, with few different scores so that records are often equal."""
    dice, rows, hanchan = random.Random(seed), [], 0
    for evening in range(evenings):
        for _ in range(dice.randint(1, 5)):
            hanchan += 1
            players = dice.sample(range(1, 8), dice.choice((4, 4, 3)))
            by_points = dice.random() < 0.1
            for place, player in enumerate(players):
                raw = None if by_points else dice.choice((-2000, 12000, 25000, 41000))
                points = dice.choice((-30000, -5000, 8000, 42000))
                day = f"2025-01-{evening + 1:02}"
                rows.append(RecordSeat(hanchan, 100 + evening, day, player, place, place + 1, raw, points, 0))
    return rows


def by_hand(rows: list[RecordSeat]) -> dict[RecordKind, tuple[int, int | None]]:
    with_raw = [row for row in rows if row.raw is not None]
    gaps = []
    for hanchan, group in groupby(rows, key=lambda row: row.hanchan):
        scores = [row.raw for row in group]
        if None not in scores:
            gaps.append((max(scores) - min(scores), hanchan))  # type: ignore[type-var, operator]
    highest = max(with_raw, key=lambda row: row.raw or 0)
    lowest = min(with_raw, key=lambda row: row.raw or 0)
    most, fewest = max(rows, key=lambda row: row.points), min(rows, key=lambda row: row.points)
    return {
        RecordKind.HIGHEST_RAW: (highest.raw or 0, highest.hanchan),
        RecordKind.LOWEST_RAW: (lowest.raw or 0, lowest.hanchan),
        RecordKind.MOST_POINTS: (most.points, most.hanchan),
        RecordKind.FEWEST_POINTS: (fewest.points, fewest.hanchan),
        RecordKind.CLOSEST: min(gaps, key=lambda gap: gap[0]),
        RecordKind.WIDEST: max(gaps, key=lambda gap: gap[0]),
    }


def longest_by_hand(rows: list[RecordSeat], run: Run) -> dict[int, int]:
    sizes = Counter(row.hanchan for row in rows)
    rules: dict[Run, Callable[[RecordSeat], bool]] = {
        Run.FIRST: lambda row: row.placement == 1,
        Run.TOP_TWO: lambda row: row.placement <= 2,
        Run.NOT_LAST: lambda row: row.placement < sizes[row.hanchan],
    }
    goes_on = rules[run]
    longest: dict[int, int] = {}
    for player in {row.player for row in rows}:
        own = [goes_on(row) for row in rows if row.player == player]
        longest[player] = max((sum(1 for _ in group) for does, group in groupby(own) if does), default=0)
    return longest


@pytest.mark.parametrize("seed", range(20))
def test_records_match_an_independent_calculation(seed: int) -> None:
    rows = season(seed)
    found = records_of(rows)
    assert found.hanchan == rows[-1].hanchan
    assert {kind: (held.value, held.hanchan) for kind, held in found.held.items() if held.hanchan} == by_hand(rows)
    for place, run in enumerate(RUNS):
        assert {player: parts[place].longest for player, parts in found.streaks.items()} == longest_by_hand(rows, run)
    evenings = Counter((row.session, row.player) for row in rows)
    assert found.held[RecordKind.MOST_IN_EVENING].value == max(evenings.values())
    assert found.busiest is not None
    assert found.busiest[1] == max(Counter(row.player for row in rows).values())


@pytest.mark.parametrize("seed", range(20))
def test_records_of_parts_combine_to_the_whole(seed: int) -> None:
    rows = season(seed)
    days = sorted({row.day for row in rows})
    edges = [days[0], *sorted(random.Random(seed).sample(days[1:], 4)), "9"]
    parts = [records_of([row for row in rows if start <= row.day < end]) for start, end in pairwise(edges)]
    assert joined(parts) == records_of(rows)
    assert joined([joined(parts[:2]), LeagueRecords(), joined(parts[2:])]) == records_of(rows)
    assert from_json(json.loads(json.dumps(as_json(records_of(rows))))) == records_of(rows)


def row(player: int, placement: int, raw: int, points: int, hanchan: int = 1, session: int = 7) -> RecordSeat:
    return RecordSeat(hanchan, session, "2025-11-21", player, placement - 1, placement, raw, points, 0)


def test_session_is_won_by_the_highest_total() -> None:
    first = [row(1, 1, 40000, 30000), row(2, 2, 20000, -30000)]
    second = [row(2, 1, 60000, 70000, 2), row(1, 2, 0, -70000, 2)]
    level = [row(1, 1, 30000, 0, 3, 8), row(2, 2, 30000, 0, 3, 8)]
    assert evening_winners([*first, *second]) == {2: 1}
    assert evening_winners([*first, *second, *level]) == {2: 2, 1: 1}
    assert records_of([*first, *second]).held[RecordKind.BIGGEST_EVENING] == Held(40000, 2, None, 7, "2025-11-21")


def test_single_event_is_not_a_streak() -> None:
    found = records_of([row(1, 1, 40000, 1000), row(2, 2, 20000, -1000)])
    assert found.longest(Run.FIRST) is None
    assert found.longest(Run.TOP_TWO) is None
    assert LeagueRecords().busiest is None
    twice = joined([found, records_of([row(1, 1, 40000, 1000, 2, 8), row(2, 2, 20000, -1000, 2, 8)])])
    longest = twice.longest(Run.FIRST)
    assert longest is not None
    assert (longest[0], longest[1].longest, longest[1].longest_at) == (1, 2, 2)
