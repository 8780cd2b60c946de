"""Parts of a career, however it is cut, come to what all of its hanchan come to."""

import json
import random
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

import pytest

from stats.core.careers import Career, as_json, career_of, from_json, joined
from stats.core.statistics import (
    Meeting,
    PlayedHanchan,
    by_seat,
    head_to_head,
    records,
    streaks,
    tally,
)

FIRST = date(2025, 1, 1)

Evening = tuple[date, PlayedHanchan, int, tuple[Meeting, ...]]
"""A day, a hanchan of it, what lies on the total only, and the meetings at the table."""


def evenings(seed: int, count: int = 40) -> list[Evening]:
    """Return hanchan of few different scores, so that equal records and long streaks are common; some with three players."""
    dice = random.Random(seed)
    played = []
    for number in range(count):
        players = dice.choice((4, 4, 3))
        sharing = dice.choice((1, 1, 2))
        placement = dice.randint(1, players + 1 - sharing)
        raw = dice.choice((-2000, 12000, 25000, 38000, None))
        points = dice.choice((-30000, 0, 30000))
        seat = dice.randrange(players)
        game = PlayedHanchan(number, seat, placement, sharing, players, raw, points, is_bust=(raw or 0) < 0)
        others = dice.sample(range(100, 106), players - 1)
        meetings = tuple(Meeting(other, game.halves, dice.randint(2, 8), points, -points) for other in others)
        played.append((FIRST + timedelta(days=number // 3), game, dice.choice((0, 0, -40000)), meetings))
    return played


def career(played: Sequence[Evening]) -> Career:
    return career_of(
        [game for _, game, _, _ in played],
        [(day, game.points + total_only) for day, game, total_only, _ in played],
        sum(total_only for _, _, total_only, _ in played),
        [meeting for _, _, _, meetings in played for meeting in meetings],
    )


@pytest.mark.parametrize("seed", range(20))
def test_parts_come_to_the_whole(seed: int) -> None:
    played = evenings(seed)
    days = sorted({day for day, *_ in played})
    cuts = sorted(random.Random(seed).sample(days, 4))
    edges = [FIRST, *cuts, days[-1] + timedelta(days=1)]
    parts = [career([each for each in played if start <= each[0] < end]) for start, end in pairwise(edges)]
    assert joined(parts) == career(played)
    assert joined([joined(parts[:2]), joined(parts[2:])]) == career(played)


@pytest.mark.parametrize("seed", range(5))
def test_a_career_says_what_its_hanchan_say(seed: int) -> None:
    played = evenings(seed)
    games = [game for _, game, _, _ in played]
    found = career(played)
    assert found.tally == tally(games)
    assert found.tallies == by_seat(games)
    assert found.streaks == streaks(games)
    assert found.best_and_worst == records(games)
    assert found.opponents == head_to_head(meeting for *_, meetings in played for meeting in meetings)
    assert [found.against(record.opponent) for record in found.opponents] == list(found.opponents)
    assert found.against(1) is None
    assert found.recent == tuple(game.placement for game in games[-10:])
    assert [points for _, gained in found.gains for points in gained] == [
        game.points + total_only for _, game, total_only, _ in played
    ]


def test_a_career_is_kept_as_json() -> None:
    found = career(evenings(3))
    assert from_json(json.loads(json.dumps(as_json(found)))) == found


def test_nothing_played_is_a_career_too() -> None:
    nothing = career([])
    assert joined([]) == joined([nothing, nothing]) == nothing == Career()
    assert (nothing.tally, nothing.best_and_worst, nothing.opponents) == (tally([]), None, ())
    played = evenings(1)
    assert joined([nothing, career(played), nothing]) == career(played)
