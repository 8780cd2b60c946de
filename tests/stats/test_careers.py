import json
import random
from collections.abc import Sequence
from datetime import date, timedelta
from itertools import pairwise

import pytest

from stats.core.careers import STEPS_KEPT, Career, as_json, career_of, from_json, joined
from stats.core.statistics import Meeting, PlayedHanchan, by_seat, records, tally

FIRST = date(2025, 1, 1)

Played = tuple[PlayedHanchan, tuple[Meeting, ...]]
"""A hanchan and the encounters of its players."""


def evenings(seed: int, count: int = 40) -> list[Played]:
    """Draw hanchan with few different scores, so that equal records and long streaks are common; some of three."""
    dice = random.Random(seed)
    played = []
    for number in range(count):
        players = dice.choice((4, 4, 3))
        sharing = dice.choice((1, 1, 2))
        placement = dice.randint(1, players + 1 - sharing)
        raw = dice.choice((-2000, 12000, 25000, 38000, None))
        points = dice.choice((-30000, 0, 30000))
        seat = dice.randrange(players)
        game = PlayedHanchan(
            number,
            seat,
            placement,
            sharing,
            players,
            raw,
            points,
            is_bust=(raw or 0) < 0,
            day=(FIRST + timedelta(days=number // 3)).toordinal(),
            session=number // 5,
            start=dice.choice((25000, 35000, None)),
            score_points=dice.choice((-4000, 1300)),
            uma=dice.choice((20000, -10000)),
            chips=dice.choice((0, -1, 3)),
            chombo=dice.choice((0, 0, 1)),
            yakuman=dice.choice((0, 0, 1)),
            busted_others=dice.choice((0, 0, 2)),
            total_only=dice.choice((0, 0, -40000)),
            ends_at_bust=dice.choice((False, True)),
        )
        others = dice.sample(range(100, 106), players - 1)
        meetings = tuple(Meeting(other, game.halves, dice.randint(2, 8), points, -points) for other in others)
        played.append((game, meetings))
    return played


def career(played: Sequence[Played]) -> Career:
    return career_of(
        [game for game, _ in played],
        [meeting for _, meetings in played for meeting in meetings],
        {game.session for game, _ in played},
    )


@pytest.mark.parametrize("seed", range(20))
def test_careers_of_parts_combine_to_the_whole(seed: int) -> None:
    played = evenings(seed)
    days = sorted({game.day for game, _ in played})
    edges = [days[0], *sorted(random.Random(seed).sample(days, 4)), days[-1] + 1]
    parts = [career([each for each in played if start <= each[0].day < end]) for start, end in pairwise(edges)]
    assert joined(parts) == career(played)
    assert joined([joined(parts[:2]), joined(parts[2:])]) == career(played)


@pytest.mark.parametrize("seed", range(5))
def test_career_equals_statistics_of_its_hanchan(seed: int) -> None:
    played = evenings(seed)
    games = [game for game, _ in played]
    found = career(played)
    assert found.tally == tally(games)
    assert found.seats == by_seat(games)
    assert found.records == records(games)
    assert [found.against(record.opponent) for record in found.opponents] == list(found.opponents)
    assert found.against(1) is None
    assert found.recent == tuple(game.placement for game in games[-10:])
    assert [points for day in found.days for points in day.gains] == [game.points + game.total_only for game in games]
    assert sum(day.hanchan for day in found.days) == len(games)
    assert sum(day.halves for day in found.days) == found.tally.halves
    last = {game.session: game for game in games}
    assert found.last_hanchan.places == tally(last.values()).places
    assert found.held == tuple(sorted(last))


def test_career_of_a_long_month_is_stored_by_day() -> None:
    few, many = career(evenings(3, STEPS_KEPT)), career(evenings(3, STEPS_KEPT + 1))
    assert from_json(json.loads(json.dumps(as_json(few)))) == few
    kept = from_json(json.loads(json.dumps(as_json(many))))
    assert [len(day.gains) for day in kept.days] == [1] * len(many.days)
    assert [day.on.toordinal() for day in kept.days] == [day.day for day in many.days]
    assert [sum(day.gains) for day in kept.days] == [sum(day.gains) for day in many.days]
    assert kept.tally == many.tally


def test_empty_careers_can_be_combined() -> None:
    nothing = career([])
    assert joined([]) == joined([nothing, nothing]) == nothing == Career()
    assert (nothing.tally, nothing.records, nothing.opponents) == (tally([]), None, ())
    played = evenings(1)
    assert joined([nothing, career(played), nothing]) == career(played)
