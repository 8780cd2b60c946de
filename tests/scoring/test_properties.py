import json
import random
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring import core
from scoring.core import score
from scoring.core.explain import explain
from scoring.core.rounding import round_to
from scoring.core.ties import order_of
from tests.budget import budget
from tests.scoring.games import random_game, random_rules

GAMES_PER_CARD = budget(2_600)
GAMES_WITH_RANDOM_RULES = budget(60_000)
GAMES_PER_RULE_SET = 20

READY = [card for card in core.load_cards() if not card.ruleset.missing]


def expected_sum(scored: core.ScoredGame, ledger: core.Ledger) -> int:
    """Return the expected sum of a ledger for a game.

    Bust prizes and chips change hands. Leftover sticks, fees, penalties, unbalanced rounding and a non-zero uma change the sum.
    """
    game, rules = scored.game, scored.rules
    rule = dict(rules.accounts)[ledger]
    total = 0
    if core.Part.BASE in rule.parts and rules.score_basis == "points":
        total += expected_base(scored, rounded=rule.rounded)
    if core.Part.OKA in rule.parts:
        total += rules.oka_points
    if core.Part.UMA in rule.parts:
        total += sum(scored.scene.row)
    if core.Part.FEES in rule.parts and rules.fees is not None:
        total -= len(game.raw) * rules.fees.game + rules.fees.top
    if core.Part.PENALTIES in rule.parts and rules.chombo is not None and rules.chombo.ledger == "game":
        total += rules.chombo.amount * sum(game.chombo)
    return total


def expected_base(scored: core.ScoredGame, *, rounded: bool) -> int:
    game, rules = scored.game, scored.rules
    sticks = 0 if rules.leftover == "void" else 1000 * game.sticks_left
    exact = sum(game.raw) + sticks - len(game.raw) * (rules.return_points or 0)
    rounding = rules.rounding if rounded else None
    if rounding is None or rounding.top_absorbs:
        return exact
    top = scored.order.seats[0]
    return exact + sum(
        moved_by_rounding(raw, rules, floor=None if seat == top else rules.below_zero_floor)
        for seat, raw in enumerate(scored.scene.raw)
    )


def moved_by_rounding(raw: int, rules: core.ScoringRules, floor: int | None) -> int:
    rounding, return_points = rules.rounding, rules.return_points or 0
    assert rounding is not None
    counted = raw if floor is None else max(raw, floor)
    value = counted if rounding.basis == "raw" else counted - return_points
    return round_to(value, rounding.unit, rounding.mode, rounding.basis) - value


def check_game(game: core.FinishedGame, rules: core.ScoringRules) -> None:
    scored = score(game, rules)
    accounts, points = scored.accounts, {core.Ledger.RANKING: scored.ranking, core.Ledger.SETTLEMENT: scored.settlement}
    for ledger, account in accounts.items():
        assert sum(points[ledger]) == expected_sum(scored, ledger), (game, core.write_ruleset(rules), ledger)
        assert account.points == points[ledger]
        for seat in range(len(game.raw)):
            assert sum(line.points for line in explain(scored.scene, account, seat)) == points[ledger][seat]
    check_placements(game, scored.order.placements, scored.order.sharing)
    assert scored.order == order_of(game, rules)


def check_placements(game: core.FinishedGame, placements: tuple[int, ...], sharing: tuple[int, ...]) -> None:
    covered: list[int] = []
    for placement, count in {(place, shared) for place, shared in zip(placements, sharing, strict=True)}:
        assert placements.count(placement) == count
        covered += range(placement, placement + count)
    assert sorted(covered) == list(range(1, len(game.raw) + 1))
    for better, worse in ((a, b) for a in range(len(placements)) for b in range(len(placements))):
        if game.raw[better] > game.raw[worse]:
            assert placements[better] < placements[worse]


@pytest.mark.at_random
@pytest.mark.parametrize("card", READY, ids=lambda card: card.key)
def test_random_games_under_each_card_add_up(card: Any) -> None:
    dice = random.Random(card.key)
    open_answers = {
        "tie": {"rank": "shared", "uma": "split", "oka": "split"},
        "split": {"unit": "0.1", "remainder": "one_each_nearest"},
        "leftover": "top",
        "chombo": {"kind": "total", "amount": -20},
    }
    filled = {name: value for name, value in open_answers.items() if name in card.ruleset.unset}
    rules = core.read_ruleset({**card.parameters, **filled})
    for _ in range(GAMES_PER_CARD):
        check_game(random_game(dice, rules), rules)


@pytest.mark.at_random
@pytest.mark.parametrize("seed", range(4))
def test_random_games_under_random_rules_add_up(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(GAMES_WITH_RANDOM_RULES // 4 // GAMES_PER_RULE_SET):
        rules = random_rules(dice)
        for _ in range(GAMES_PER_RULE_SET):
            check_game(random_game(dice, rules), rules)


@given(st.randoms(use_true_random=False), st.permutations(range(4)))
@settings(max_examples=budget(300, least=50), deadline=None)
def test_points_do_not_depend_on_seats_without_ties(dice: random.Random, order: list[int]) -> None:
    rules = random_rules(dice)
    raw = tuple(100 * score for score in dice.sample(range(1, 600), (rules.players or 4) - 1))
    total = (rules.players or 4) * (rules.start_points or 0)
    game = core.FinishedGame(raw=(*raw, total - sum(raw)))
    seats = [seat for seat in order if seat < len(game.raw)]
    if len(set(game.raw)) < len(game.raw) or min(game.raw) <= 0:
        return
    there, here = score(core.FinishedGame(raw=tuple(game.raw[seat] for seat in seats)), rules), score(game, rules)
    for ledger in core.Ledger:
        assert [seat.points[ledger] for seat in there.seats] == [here.seats[seat].points[ledger] for seat in seats]


@given(st.randoms(use_true_random=False))
@settings(max_examples=budget(200, least=50), deadline=None)
def test_random_rules_and_games_are_written_and_read_unchanged(dice: random.Random) -> None:
    rules = random_rules(dice)
    table = core.write_ruleset(rules)
    assert core.read_ruleset(json.loads(json.dumps(table))) == rules
    assert core.read_ruleset(tomllib.loads(as_toml(table))) == rules
    game = random_game(dice, rules)
    again = core.read_game(json.loads(json.dumps(core.write_game(game))))
    assert score(again, rules).ranking == score(game, rules).ranking
    assert again.busts == game.busts


def as_toml(table: dict[str, Any], prefix: str = "") -> str:
    """Return a table as TOML; for plain values TOML's syntax equals JSON's."""
    plain = {key: value for key, value in table.items() if not isinstance(value, dict)}
    lines = [f"{key} = {json.dumps(value)}" for key, value in plain.items()]
    for key, value in table.items():
        if isinstance(value, dict):
            lines += [f"[{prefix}{key}]", as_toml(value, f"{prefix}{key}.")]
    return "\n".join(lines)
