"""Where the parts of the points are kept, and that they are the columns which the explanation adds up to."""

import random
from dataclasses import replace

import pytest

from league.core.results import COLUMNS, PART_COLUMNS, derived
from league.models import Seat
from scoring.core import Card, FinishedGame, Ledger, Part, ScoringError, ScoringRules, load_cards, score
from scoring.core.ruleset import BustEnds, BustRule
from tests.budget import budget
from tests.scoring.games import random_game, random_rules

READY = [card for card in load_cards() if not card.ruleset.missing]

GAMES_PER_CARD = budget(1_000)
RULE_SETS = budget(400)
GAMES_PER_RULE_SET = 20


def test_every_part_of_scoring_has_its_column() -> None:
    assert set(PART_COLUMNS) == set(Part)
    assert set(PART_COLUMNS.values()) <= set(COLUMNS)
    assert set(COLUMNS) <= {field.name for field in Seat._meta.get_fields()}


def as_explained(game: FinishedGame, rules: ScoringRules) -> list[dict[str, int]] | str:
    """Return the columns of every seat, added up from the lines that explain its points, or the reason against it."""
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


def test_points_that_were_given_as_a_whole_are_base() -> None:
    given = (45_000, 9_000, -20_000, -34_000)
    rows = as_derived(FinishedGame((), points=given), READY[0].ruleset)
    assert [(row["points"], row["base"], row["oka"], row["uma"]) for row in rows if isinstance(row, dict)] == [
        (points, points, 0, 0) for points in given
    ]


def same(game: FinishedGame, rules: ScoringRules) -> bool:
    return as_derived(game, rules) == as_explained(game, rules)


@pytest.mark.at_random
@pytest.mark.parametrize("card", READY, ids=lambda card: card.key)
def test_columns_of_random_games_are_those_of_the_explanation_under_every_card(card: Card) -> None:
    rules = card.ruleset
    dice = random.Random(f"parts {rules}")
    for _ in range(GAMES_PER_CARD):
        game = random_game(dice, rules)
        assert same(game, rules), game


@pytest.mark.parametrize("ends", BustEnds)
def test_who_is_bust_is_told_where_nothing_is_paid_for_it(ends: BustEnds) -> None:
    rules = replace(READY[0].ruleset, start_points=25000, bust=BustRule(ends))
    for raw in ((60000, 30000, 10000, 0), (60000, 30000, 10100, -100), (60000, 30000, 9900, 100)):
        assert same(FinishedGame(raw), rules)
    busted = [seat[COLUMNS.index("is_bust")] for seat in derived(FinishedGame((60000, 30000, 10000, 0)), rules)]
    assert busted == [False, False, False, ends is BustEnds.ZERO_OR_BELOW]


def test_points_of_what_was_derived_add_up_to_the_ranking_points() -> None:
    dice = random.Random(30)
    for _ in range(RULE_SETS):
        rules = random_rules(dice)
        rows = as_derived(random_game(dice, rules), rules)
        for seat in rows if isinstance(rows, list) else ():
            assert seat["points"] == sum(seat[column] for column in set(PART_COLUMNS.values()))
