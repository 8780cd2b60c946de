import json
import math
import random
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openskill.models import PlackettLuce

from stats.core.ratings import prediction, skill
from stats.core.ratings.prediction import Judged, PredictionVerdict, gain, likelihood
from stats.core.ratings.replay import WORTH, RatedSeat, RatedTable, RatingChange, State, change, replay
from stats.models import PlayerRating

START, DAY = datetime(2025, 11, 1, tzinfo=UTC), date(2025, 11, 1)


@pytest.mark.parametrize(
    ("placements", "expected"),
    [
        pytest.param((1, 2, 3, 4), (1530, 1510, 1490, 1470), id="four new players"),
        pytest.param((1, 2, 3), (1530, 1500, 1470), id="three new players"),
        pytest.param((1, 1, 3, 4), (1520, 1520, 1490, 1470), id="two share the first place"),
        pytest.param((1, 2, 2, 4), (1530, 1500, 1500, 1470), id="two share the second place"),
        pytest.param((1, 2, 2, 2), (1530, 1490, 1490, 1490), id="three share the second place"),
        pytest.param((1, 1, 1, 1), (1500, 1500, 1500, 1500), id="all are level"),
        pytest.param((1, 1, 3), (1515, 1515, 1470), id="two of three share the first place"),
    ],
)
def test_tenhou_rating_after_the_first_hanchan(placements: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert [state.tenhou for state in played([placements]).values()] == [1000 * each for each in expected]


@given(players=st.sampled_from([3, 4]), data=st.data(), hanchan=st.integers(0, 1000))
def test_tenhou_rating_follows_its_formula(players: int, data: st.DataObject, hanchan: int) -> None:
    ratings = data.draw(st.lists(st.integers(-100_000, 3_000_000), min_size=players, max_size=players))
    placement = data.draw(st.integers(1, players))
    sharing = data.draw(st.integers(1, players - placement + 1))
    bases = {3: (30, 0, -30), 4: (30, 10, -10, -30)}[players]
    worth = Fraction(sum(bases[placement - 1 : placement - 1 + sharing]), sharing)
    factor = max(1 - Fraction(2, 1000) * hanchan, Fraction(1, 5))
    exact = 1000 * factor * (worth + (Fraction(sum(ratings), 1000 * players) - Fraction(ratings[0], 1000)) / 40)
    expected = math.floor(abs(exact) + Fraction(1, 2)) * (1 if exact >= 0 else -1)
    assert change(WORTH[players, placement, sharing], sum(ratings), players, ratings[0], hanchan) == expected


ORACLE = PlackettLuce(mu=25.0, sigma=25 / 3, beta=4 * 25 / 6, tau=0.0)


@given(beliefs=st.lists(st.tuples(st.floats(-20, 70), st.floats(0.5, 9)), min_size=3, max_size=4), data=st.data())
def test_skill_rating_matches_the_reference_library(beliefs: list[tuple[float, float]], data: st.DataObject) -> None:
    places = st.integers(1, len(beliefs))
    placements = sorted(data.draw(st.lists(places, min_size=len(beliefs), max_size=len(beliefs))))
    teams = [[ORACLE.rating(mu=mu, sigma=sigma)] for mu, sigma in beliefs]
    expected = ORACLE.rate(teams, ranks=[float(place) for place in placements])
    found, _ = skill.updated(beliefs, placements)
    for (mu, sigma), [theirs] in zip(found, expected, strict=True):
        assert mu == pytest.approx(theirs.mu, abs=1e-9)
        assert sigma == pytest.approx(theirs.sigma, abs=1e-9)


def test_equal_ratings_predict_like_chance() -> None:
    for players in (3, 4):
        assert gain(likelihood([0.3] * players), players) == 0
        assert gain(skill.updated([skill.NEW] * players, range(1, players + 1))[1], players) == 0


def test_prediction_gain_follows_the_predicted_likelihood() -> None:
    # 3/6 · 2/3 at a table of 3 : 2 : 1, against one in six.
    assert likelihood([3, 2, 1]) == pytest.approx(1 / 3)
    assert gain(1 / 3, 3) == round(prediction.UNIT * math.log(2))
    assert gain(likelihood([1, 2, 3]), 3) < 0


def test_skill_rating_predicts_the_likelihood_of_an_order() -> None:
    beliefs = [(30.0, 4.0), (25.0, 8.0), (20.0, 2.0)]
    scale = math.sqrt(sum(sigma**2 + (50 / 3) ** 2 for _, sigma in beliefs))
    one, two, three = (math.exp(mu / scale) for mu, _ in beliefs)
    _, likely = skill.updated(beliefs, (1, 2, 3))
    assert likely == pytest.approx(one / (one + two + three) * two / (two + three))


@pytest.mark.parametrize(
    ("judged", "verdict"),
    [
        pytest.param(Judged(99, 99 * 5000, 99 * 5000**2), PredictionVerdict.TOO_FEW, id="99"),
        pytest.param(Judged(100, 100 * 5000, 100 * 5000**2), PredictionVerdict.BETTER, id="each gains"),
        pytest.param(Judged(100, -100 * 5000, 100 * 5000**2), PredictionVerdict.WORSE, id="each loses"),
        pytest.param(Judged(100, 0, 100 * 5000**2), PredictionVerdict.UNDECIDED, id="as many gain as lose"),
        pytest.param(Judged(100, 100 * 950, 100 * 5000**2), PredictionVerdict.UNDECIDED, id="just within"),
        pytest.param(Judged(100, 100 * 1000, 100 * 5000**2), PredictionVerdict.BETTER, id="just beyond"),
    ],
)
def test_prediction_verdict_follows_the_confidence_interval(judged: Judged, verdict: PredictionVerdict) -> None:
    assert judged.verdict is verdict


def test_both_ratings_separate_strong_and_weak_players() -> None:
    dice = random.Random(3)
    strengths = [(player - 3.5) * 0.4 for player in range(8)]
    states: dict[int, State] = defaultdict(State)
    tables: list[RatedTable] = []
    for hanchan in range(1200):
        table = dice.sample(range(8), 4)
        luck = {player: strengths[player] - math.log(-math.log(dice.random())) for player in table}
        table.sort(key=lambda player: -luck[player])
        tables.append(RatedTable(hanchan, START, DAY, [(place, 1, player) for place, player in enumerate(table, 1)]))
    gains = [rated.gains for rated in replay(tables, states) if rated.gains]
    assert len(gains) == 1200
    for gained in zip(*gains, strict=True):
        assert Judged(1200, sum(gained), sum(gain * gain for gain in gained)).verdict is PredictionVerdict.BETTER
    assert sorted(states, key=lambda player: states[player].skill)[-1] == 7


def played(hanchan: list[tuple[int, ...]]) -> dict[int, State]:
    states: dict[int, State] = defaultdict(State)
    list(replay(tables_of(hanchan), states))
    return states


def tables_of(hanchan: list[tuple[int, ...]]) -> list[RatedTable]:
    return [
        RatedTable(
            number,
            START + timedelta(hours=number),
            DAY + timedelta(days=number // 3),
            [(place, placements.count(place), player) for player, place in enumerate(placements)],
        )
        for number, placements in enumerate(hanchan)
    ]


def test_player_without_opponents_has_no_opponents_mean() -> None:
    assert PlayerRating(opponents_sum=0, met=0).opponents == 0
    state = played([(1, 2, 3, 4)])[0]
    assert PlayerRating(opponents_sum=state.opponents, met=state.met).opponents == 1_500_000
    assert skill.shown(*skill.NEW) == 1_500_000


def test_only_tables_of_three_or_four_are_rated() -> None:
    assert [table.counts for table in tables_of([(1, 2), (1, 2, 3), (1, 2, 2, 2), (1, 1, 1)])] == [
        False,
        True,
        True,
        True,
    ]


def test_rated_hanchan_stores_reason_and_resulting_state() -> None:
    hanchan = [(1, 2, 3, 4), (1, 2, 2, 4), (1, 2, 3)] * 30
    states: dict[int, State] = defaultdict(State)
    rated = list(replay(tables_of(hanchan), states))
    assert [each.gains is None for each in rated[:3]] == [False, True, False]
    rows = []
    for each in rated:
        kept = [RatedSeat._make(seat) for seat in json.loads(json.dumps(each.seats))]
        assert kept == each.seats
        table = sum(seat.rating_before for seat in kept)
        rows.append(RatingChange(each.table.hanchan, each.table.day, len(kept), table, kept[1]))
    assert rated[-1].seats[1].state(rated[-1].table.day) == states[1]
    assert [row.seat.hanchan for row in rows] == list(range(1, 91))
    assert rows[0].seat.rating_before == 1_500_000
    assert (rows[0].mean, rows[0].factor, rows[0].worth, rows[0].tenhou_change) == (1_500_000, 1000, 10_000, 10_000)
    assert (rows[1].seat.sharing, rows[1].worth, rows[2].players) == (2, 0, 3)
    for before, after in pairwise(rows):
        assert after.seat.rating_before == before.seat.tenhou
        assert (after.seat.mu_before, after.seat.sigma_before) == (before.seat.mu, before.seat.sigma)
        assert after.skill_change == after.skill - before.skill
        factor = change(after.worth, after.table, after.players, after.seat.rating_before, after.seat.hanchan - 1)
        assert after.tenhou_change == factor
