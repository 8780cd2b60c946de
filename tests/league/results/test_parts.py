import random
from dataclasses import replace
from datetime import timedelta

import pytest

from league.core.results import COLUMNS, PART_COLUMNS, Likeness, derived, likeness_in_time, most_like
from league.models import Player
from league.services.results import HanchanResult, plain_seats
from scoring.core import Bust, Card, FinishedGame, Ledger, ScoringError, ScoringRules, load_cards, score
from scoring.core.ruleset import BustEnds, BustRule
from tests.budget import budget
from tests.scoring.games import random_game, random_rules

READY = [card for card in load_cards() if not card.ruleset.missing]

GAMES_PER_CARD = budget(1_000)


def as_explained(game: FinishedGame, rules: ScoringRules) -> list[dict[str, int]] | str:
    """Return each seat's columns, summed from the lines that explain its points, or the reason why there are none."""
    try:
        scored = score(game, rules)
    except ScoringError as error:
        return error.code
    busted = {bust.seat for bust in game.busts}
    rows = []
    for number, seat in enumerate(scored.seats):
        row = dict.fromkeys(COLUMNS, 0) | {
            "placement": seat.placement,
            "sharing": seat.sharing,
            "is_bust": number in busted or rules.is_bust(game.raw[number]),
            "points": seat.points[Ledger.RANKING],
            "settlement": seat.points[Ledger.SETTLEMENT],
            "total_only": seat.total_only,
        }
        for line in seat.lines:
            row[PART_COLUMNS[line.part]] += line.points
        rows.append(row)
    return rows


def as_derived(game: FinishedGame, rules: ScoringRules) -> list[dict[str, int]] | str:
    try:
        return [dict(zip(COLUMNS, values, strict=True)) for values in derived(game, rules)]
    except ScoringError as error:
        return error.code


def test_points_given_as_a_whole_are_stored_as_base() -> None:
    given = (45_000, 9_000, -20_000, -34_000)
    rows = as_derived(FinishedGame((), points=given), READY[0].ruleset)
    assert [(row["points"], row["base"], row["oka"], row["uma"]) for row in rows if isinstance(row, dict)] == [
        (points, points, 0, 0) for points in given
    ]


def same(game: FinishedGame, rules: ScoringRules) -> bool:
    return as_derived(game, rules) == as_explained(game, rules)


@pytest.mark.at_random
@pytest.mark.parametrize("card", READY, ids=lambda card: card.key)
def test_columns_of_random_games_equal_the_explanation(card: Card) -> None:
    rules = card.ruleset
    dice = random.Random(f"parts {rules}")
    for _ in range(GAMES_PER_CARD):
        game = random_game(dice, rules)
        assert same(game, rules), game


@pytest.mark.parametrize("ends", BustEnds)
def test_bust_without_prize_is_marked(ends: BustEnds) -> None:
    rules = replace(READY[0].ruleset, start_points=25000, bust=BustRule(ends))
    for raw in ((60000, 30000, 10000, 0), (60000, 30000, 10100, -100), (60000, 30000, 9900, 100)):
        assert same(FinishedGame(raw), rules)
    busted = [seat[COLUMNS.index("is_bust")] for seat in derived(FinishedGame((60000, 30000, 10000, 0)), rules)]
    assert busted == [False, False, False, ends is BustEnds.ZERO_OR_BELOW]


def test_derived_columns_add_up_to_the_ranking_points() -> None:
    dice = random.Random(30)
    for _ in range(budget(400)):
        rules = random_rules(dice)
        rows = as_derived(random_game(dice, rules), rules)
        for seat in rows if isinstance(rows, list) else ():
            assert seat["points"] == sum(seat[column] for column in set(PART_COLUMNS.values()))


def test_unpaid_riichi_is_marked_as_a_bust() -> None:
    cards = (card.ruleset for card in load_cards())
    rules = next(rules for rules in cards if rules.bust is not None and rules.bust.illegal_riichi)
    start = rules.start_points or 25000
    game = FinishedGame((4 * start - 2100, 900, 700, 500), busts=(Bust(1, "riichi"),))
    people = tuple(Player(pk=number, name=str(number)) for number in range(4))
    seats = plain_seats(HanchanResult(people, game), replace(rules, uma=(20_000, 10_000, -10_000, -20_000)))
    assert [seat.is_bust for seat in seats] == [False, True, False, False]


ONE = {"青木": 31700, "石田": 31300, "上野": 25500, "江口": 11500}


@pytest.mark.parametrize(
    ("other", "minutes", "expected"),
    [
        pytest.param(ONE, 11 * 60, Likeness.EQUAL, id="equal ones of an evening"),
        pytest.param(ONE, 13 * 60, None, id="equal ones of another day"),
        pytest.param(ONE | {"青木": 34700, "江口": 8500}, 24, Likeness.NEAR, id="a digit and the filled score"),
        pytest.param(ONE | {"青木": 31300, "石田": 31700}, 0, Likeness.NEAR, id="two names changed round"),
        pytest.param(ONE | {"青木": 30700}, 25, None, id="similar ones of two hanchan"),
        pytest.param(ONE | {"青木": 41700, "石田": 22300, "上野": 24500}, 0, None, id="three scores differ"),
        pytest.param(ONE | {"小川": 11500}, 0, None, id="five people"),
        pytest.param({"青木": 31700, "石田": 31300, "上野": 25500, "小川": 11500}, 0, None, id="somebody else"),
    ],
)
def test_likeness_is_of_players_scores_and_time(other: dict[str, int], minutes: int, expected: Likeness | None) -> None:
    assert likeness_in_time(ONE, other, timedelta(minutes=minutes)) == expected
    assert likeness_in_time(other, ONE, timedelta(minutes=minutes)) == expected


def test_most_similar_result_counts() -> None:
    near = ONE | {"青木": 30700}
    assert most_like(ONE, [near, ONE]) == Likeness.EQUAL
    assert most_like(ONE, [{"青木": 0}, near]) == Likeness.NEAR
    assert most_like(ONE, []) is None
