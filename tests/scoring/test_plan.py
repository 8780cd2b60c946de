"""The quick steps for plain games give what the careful path gives, part by part, or the same refusal."""

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from scoring.core import Bust, FinishedGame, Ledger, Part, ScoringError, ScoringRules, load_cards, read_ruleset, score
from scoring.core.plan import plan_for
from scoring.core.scoring import score_carefully
from scoring.core.steps import HIGHEST, KEYS, LOWEST
from tests.budget import budget
from tests.scoring.games import random_rules

RULE_SETS = budget(1_200)
GAMES_PER_CARD = budget(600)
GAMES_PER_RULE_SET = 12

CARDS = [pytest.param(card.ruleset, id=card.key) for card in load_cards()]
READY = [pytest.param(card.ruleset, id=card.key) for card in load_cards() if not card.ruleset.missing]
ANSWERS = {
    "tie": {"rank": "shared", "uma": "split", "oka": "split"},
    "split": {"unit": "0.1", "remainder": "one_each_nearest"},
}


def ways_to_stand(players: int) -> list[tuple[int, ...]]:
    """Return every order that players can end in, ties of all shapes included: how many have less, by seat."""
    ranks = {tuple(map(sorted(levels).index, levels)) for levels in product(range(players), repeat=players)}
    return sorted(ranks)


def in_that_order(less: tuple[int, ...], total: int, dozens: int) -> tuple[int, ...]:
    """Return scores in hundreds that end in this order, so many dozens of them apart; dozens divide by three and four."""
    apart = [12 * dozens * number for number in less]
    each, over = divmod(total // 100 - sum(apart), len(less))
    assert not over
    return tuple(100 * (each + hundreds) for hundreds in apart)


def outcome(game: FinishedGame, rules: ScoringRules, *, carefully: bool) -> Any:
    """Return all that scoring says of a game, or why it refuses."""
    try:
        scored = (score_carefully if carefully else score)(game, rules)
    except ScoringError as error:
        return error.code, error.seat, error.values, str(error)
    parts = {ledger: list(scored.parts(ledger).items()) for ledger in Ledger}
    return scored.order, scored.ranking, scored.settlement, scored.total_only, parts


def check(game: FinishedGame, rules: ScoringRules) -> None:
    assert outcome(game, rules, carefully=False) == outcome(game, rules, carefully=True), (game, rules)


def plain_games(dice: random.Random, rules: ScoringRules, count: int) -> Iterator[FinishedGame]:
    """Yield games without sticks, busts, chombo and chips; some are close or tied, below zero or off the hundreds."""
    players = rules.players or 4
    total = players * (rules.start_points or 0) // 100
    for _ in range(count):
        spread = dice.choice((30, 300, 400, 2_000))
        scores = [total // players + dice.randint(-spread, spread) for _ in range(players - 1)]
        if dice.random() < 0.3:
            scores[0] = scores[-1]
        raw = [100 * score for score in (*scores, total - sum(scores))]
        if dice.random() < 0.02:
            raw[0] += dice.choice((50, 1, 100))
            raw[1] -= dice.choice((50, 1, 100))
        dice.shuffle(raw)
        yield FinishedGame(tuple(raw))


@pytest.mark.at_random
@pytest.mark.parametrize("players", [3, 4])
def test_every_order_has_a_key_of_its_own_whatever_the_scores(players: int) -> None:
    ways = ways_to_stand(players)
    assert len(ways) == {3: 13, 4: 75}[players]
    keys = [KEYS[players](tuple(100 * number for number in less)) for less in ways]
    assert len(set(keys)) == len(ways)
    assert keys == [KEYS[players](in_that_order(less, players * 25_000, 9)) for less in ways]


@pytest.mark.parametrize("rules", CARDS)
def test_every_card_scores_every_order_as_the_careful_path(rules: ScoringRules) -> None:
    players = rules.players or 4
    total = players * (rules.start_points or 25_000)
    answered = read_ruleset(
        {name: value for card in load_cards() if card.ruleset is rules for name, value in card.parameters.items()}
        | {name: value for name, value in ANSWERS.items() if name in rules.unset}
    )
    for less, dozens in product(ways_to_stand(players), (1, 3, 7, 11)):
        game = FinishedGame(in_that_order(less, total, dozens))
        check(game, rules)
        check(game, answered)


@pytest.mark.at_random
@pytest.mark.parametrize("rules", READY)
def test_a_card_scores_thousands_of_games_as_the_careful_path(rules: ScoringRules) -> None:
    for game in plain_games(random.Random(5), rules, GAMES_PER_CARD):
        check(game, rules)


@pytest.mark.parametrize("seed", range(4))
def test_random_rules_score_plain_games_as_the_careful_path(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(RULE_SETS // 4):
        rules = random_rules(dice)
        for game in plain_games(dice, rules, GAMES_PER_RULE_SET):
            check(game, rules)


@pytest.mark.at_random
@pytest.mark.parametrize("rules", READY)
def test_most_games_of_every_card_are_plain(rules: ScoringRules) -> None:
    start, players = rules.start_points or 0, rules.players or 0
    scores = (start + 1_200, start - 500, start - 700, start)[:players]
    assert plan_for(rules).known_order(FinishedGame(scores)) is not None


RULES = read_ruleset(
    {
        "players": 4,
        "start_points": 25000,
        "return_points": 30000,
        "uma": [20, 10, -10, -20],
        "leftover": "top",
        "rounding": {"mode": "half_up", "basis": "raw", "unit": 1, "top_absorbs": True},
        "bust": {"ends": "below_zero", "prize": 10, "win": "first", "other": "none"},
        **ANSWERS,
    }
)
RAW = (31700, 31300, 25500, 11500)


@pytest.mark.parametrize(
    ("game", "rules"),
    [
        pytest.param(FinishedGame(RAW, deposits=(1, 0)), RULES, id="deposits of two players"),
        pytest.param(FinishedGame(RAW, deposits=(0, 0, 0, 0)), RULES, id="nobody's deposits"),
        pytest.param(FinishedGame(RAW, chips=(1, -1)), RULES, id="chips of two players"),
        pytest.param(FinishedGame(RAW, chombo=(0, 0, 0, 0)), RULES, id="nobody's chombo"),
        pytest.param(FinishedGame((31700, 31300, 25500, 10500), 1), RULES, id="a stick left"),
        pytest.param(FinishedGame((31700, 31300, 25500, 12500), -1), RULES, id="less than no stick"),
        pytest.param(FinishedGame((60000, 25000, 16000, -1000)), RULES, id="a bust that nobody explains"),
        pytest.param(FinishedGame((60000, 25000, 16000, -1000), busts=(Bust(3, "win", (0,)),)), RULES, id="a bust"),
        pytest.param(FinishedGame((60000, 25000, 15000, 0)), RULES, id="exactly nothing is not bust"),
        pytest.param(FinishedGame((31750, 31250, 25500, 11500)), RULES, id="not in hundreds"),
        pytest.param(FinishedGame((31701, 31299, 25500, 11500)), RULES, id="one point moved"),
        pytest.param(FinishedGame((31700, 31300, 25500, 11400)), RULES, id="a hundred short"),
        pytest.param(FinishedGame((35000, 35000, 30000)), RULES, id="three of four"),
        pytest.param(FinishedGame(()), RULES, id="nobody"),
        pytest.param(FinishedGame(()), ScoringRules(), id="nobody under no rules"),
        pytest.param(FinishedGame(RAW), ScoringRules(), id="no rules"),
        pytest.param(FinishedGame(RAW), replace(RULES, return_points=None), id="rules that cannot score yet"),
        pytest.param(FinishedGame((25000,) * 4), replace(RULES, tie=None), id="a tie that the rules leave open"),
        pytest.param(FinishedGame((30000, 30000, 30000, 10000)), replace(RULES, split=None), id="an open remainder"),
    ],
)
def test_what_is_not_plain_is_left_to_the_careful_path(game: FinishedGame, rules: ScoringRules) -> None:
    check(game, rules)


@pytest.mark.parametrize("lowest", [LOWEST - 100, LOWEST, LOWEST + 100, -10_100, -10_000, -9_900, -100, 0, 100, 200])
@pytest.mark.parametrize("floor", [None, -1_000_000, -10_000, -9_900, 0])
@pytest.mark.parametrize("ends", [None, "never", "below_zero", "zero_or_below"])
def test_the_lowest_plain_score_is_where_care_begins(lowest: int, floor: int | None, ends: str | None) -> None:
    parameters: dict[str, Any] = {
        "players": 4,
        "start_points": 25000,
        "return_points": 30000,
        "uma": [20, 10, -10, -20],
    }
    if ends is not None:
        parameters["bust"] = {"ends": ends, "prize": 0 if ends == "never" else 10}
    if floor is not None:
        parameters["below_zero_floor"] = floor
    rules = read_ruleset(parameters)
    rest = 100_000 - lowest
    for top in (rest - 30_000, rest - 70_000):
        check(FinishedGame((top, lowest, 20_000, rest - top - 20_000)), rules)


@pytest.mark.parametrize("top", [HIGHEST - 100, HIGHEST, HIGHEST + 100, 20_000_000])
def test_scores_beyond_the_ordinary_are_scored_all_the_same(top: int) -> None:
    check(FinishedGame((top, 0, 100_000 - top, 0)), replace(RULES, bust=None))


def test_a_floating_uma_without_a_row_for_this_game_is_refused_alike() -> None:
    rows = {"1": [12, -1, -3, -8], "3": [8, 3, 1, -12]}
    floating = {"threshold": 30000, "inclusive": False, "rows": rows}
    rules = read_ruleset({"players": 4, "start_points": 30000, "return_points": 30000, "uma_floating": floating})
    with pytest.raises(ScoringError, match="no points per place for 2 players"):
        score(FinishedGame((31000, 30500, 29500, 29000)), rules)
    for raw in ((31000, 30500, 29500, 29000), (33000, 29500, 29000, 28500), (31000, 30600, 30400, 28000)):
        check(FinishedGame(raw), rules)


@pytest.mark.parametrize("rounded", [True, False])
def test_fees_are_taken_from_everybody_and_once_more_from_the_top(rounded: bool) -> None:
    ledgers = {
        "ranking": {"parts": ["base", "oka", "uma"]},
        "settlement": {"parts": ["base", "uma", "fees"], "rounded": rounded},
    }
    rules = read_ruleset(
        {
            "players": 3,
            "start_points": 35000,
            "return_points": 40000,
            "uma": [10, 0, -10],
            "rounding": {"mode": "trunc", "basis": "diff", "unit": 2, "top_absorbs": True},
            "fees": {"game": 4, "top": 2},
            "ledgers": ledgers,
        }
    )
    game = FinishedGame((30_100, 41_300, 33_600))
    assert plan_for(rules).known_order(game) is not None
    assert score(game, rules).parts(Ledger.SETTLEMENT)[Part.FEES] == (-4000, -6000, -4000)
    check(game, rules)


def test_the_parts_of_any_game_are_those_that_the_accounts_explain() -> None:
    game = FinishedGame((60000, 25000, 16000, -1000), busts=(Bust(3, "win", (0,)),))
    scored = score(game, RULES)
    for ledger in Ledger:
        assert scored.parts(ledger) == scored.accounts[ledger].parts
    assert scored.parts(Ledger.RANKING)[Part.BUST] == (10_000, 0, 0, -10_000)
