from dataclasses import replace
from itertools import combinations, permutations
from math import exp, isclose, sqrt
from random import Random
from typing import Any

import numpy as np
import pytest

from scoring.core import load_card, load_cards
from tests.budget import budget
from tournaments.core import odds
from tournaments.core.needs.case import Case
from tournaments.estimates.odds import drawn as draw_endings
from tournaments.estimates.odds import odds_of

RULES = load_card("cinderella").ruleset
BANK = ((52_000, 4_000, -18_000, -38_000), (71_500, -1_500, -22_000, -48_000))


def a_case(*totals: float, goal: int = 1, earlier: str = "", **others: float) -> Case:
    points = {name: round(total * 1000) for name, total in zip("ABCD", totals, strict=True)}
    elsewhere = {name: round(total * 1000) for name, total in others.items()}
    return Case(RULES, tuple("ABCD"), points, goal, tuple(earlier), elsewhere)


def by_hand(case: Case, strength: dict[str, float]) -> dict[str, float]:
    chance = dict.fromkeys("ABCD", 0.0)
    for order in permutations("ABCD"):
        likely, left = 1.0, list(order)
        while left:
            weights = [exp(strength.get(name, 0)) for name in left]
            likely *= weights[0] / sum(weights)
            left.pop(0)
        for row in BANK:
            total = {name: (case.totals[name] + row[place], row[place]) for place, name in enumerate(order)}
            for name in "ABCD":
                above = sum(total[rival] > total[name] for rival in "ABCD")
                above += sum(points >= total[name][0] for points in case.others.values())
                chance[name] += likely / len(BANK) * (above < case.goal)
    return chance


@pytest.mark.parametrize("strength", [{}, {"A": 0.4, "D": -0.3}], ids=["all equal", "some stronger"])
def test_odds_of_one_hanchan_are_exact(strength: dict[str, float]) -> None:
    for case in (a_case(20, 12, -5, -27), a_case(80, 60, -10, -130, goal=2), a_case(0, 0.1, 0.2, -0.3, goal=2, Q=30)):
        found = odds_of(case, 1, strength=strength, bank=BANK)
        assert (found.method, found.standard_error, found.samples) == ("exact", 0.0, 0)
        expected = by_hand(case, strength)
        assert all(isclose(found.chance[name], expected[name], abs_tol=1e-12) for name in "ABCD")


def by_lot(case: Case, gained: dict[str, int]) -> dict[str, float]:
    """Count winners over all orders that agree with the known results."""
    everyone = [*case.players, *case.others]
    total = {name: case.totals[name] + gained[name] for name in case.players} | dict(case.others)

    def is_above(one: str, other: str) -> bool:
        if total[one] != total[other] or not case.last_decides or {one, other} & set(case.others):
            return total[one] > total[other]
        if gained[one] != gained[other]:
            return gained[one] > gained[other]
        return {one, other} <= set(case.earlier) and case.is_earlier(one, other)

    orders = [order for order in permutations(everyone) if not any(is_above(b, a) for a, b in combinations(order, 2))]
    return {name: sum(name in order[: case.goal] for order in orders) / len(orders) for name in everyone}


@pytest.mark.at_random
def test_chances_of_tied_players_match_an_enumeration() -> None:
    chosen = Random(13)
    for _ in range(budget(600, 40)):
        others: dict[str, Any] = {name: chosen.choice((-1, 0, 1)) for name in "QR"[: chosen.randint(0, 2)]}
        case = replace(
            a_case(*(chosen.choice((-1, 0, 1)) for _ in "ABCD"), goal=chosen.randint(1, 4 + len(others)), **others),
            earlier=tuple(chosen.sample("ABCD", chosen.randint(0, 4))),
            last_decides=chosen.random() < 0.7,
        )
        gained = {name: chosen.choice((-1000, 0, 1000)) for name in "ABCD"}
        expected = by_lot(case, gained)
        assert isclose(sum(expected.values()), case.goal)
        found = odds.shares_of_places(case, {name: (points,) for name, points in gained.items()})
        assert all(isclose(found[name], expected[name]) for name in "ABCD"), (case, gained)


@pytest.mark.at_random
@pytest.mark.parametrize("left", [0, 1, 2, 3])
def test_chances_add_up_to_the_goal(left: int) -> None:
    chosen = Random(left)
    for number in range(budget(60, 8)):
        bank = tuple(
            tuple(sorted((chosen.randint(-3, 3) * 1000 for _ in "ABCD"), reverse=True))
            for _ in range(chosen.randint(1, 3))
        )
        case = replace(
            a_case(*(chosen.randint(-2, 2) for _ in "ABCD"), goal=chosen.randint(1, 4)),
            earlier=tuple(chosen.sample("ABCD", chosen.randint(0, 4))),
            last_decides=chosen.random() < 0.7,
        )
        strength = {name: chosen.uniform(-1, 1) for name in "AB"}
        found = odds_of(case, left, strength=strength, bank=bank, samples=300, seed=number).chance
        assert isclose(sum(found.values()), case.goal, abs_tol=1e-9), (case, bank)
        if left == 1:
            assert isclose(sum(odds.chances_by_places(case, strength).values()), case.goal)


def test_finished_block_is_certain() -> None:
    assert odds_of(a_case(20, 12, -5, -27, goal=2), 0).chance == {"A": 1.0, "B": 1.0, "C": 0.0, "D": 0.0}
    assert odds_of(a_case(20, 20, -13, -27, earlier="BA"), 0).chance["B"] == 1.0
    assert odds_of(a_case(20, 20, -13, -27), 0).chance == {"A": 0.5, "B": 0.5, "C": 0.0, "D": 0.0}


@pytest.mark.at_random
@pytest.mark.parametrize("goal", [1, 2])
def test_simulation_approximates_the_exact_result(goal: int) -> None:
    case, samples = a_case(20, 12, -5, -27, goal=goal, earlier="ABCD", Q=14), budget(400_000, 40_000)
    strength = {"B": 0.5}
    exact = odds_of(case, 1, strength=strength, bank=BANK).chance
    drawn = draw_endings(case, 1, strength, BANK, samples, np.random.default_rng(7))
    for name, chance in exact.items():
        assert abs(drawn[name] / samples - chance) <= 4.5 * sqrt(chance * (1 - chance) / samples) + 1e-9


def test_seed_determines_the_odds() -> None:
    case = a_case(20, 12, -5, -27)
    one, again = odds_of(case, 3, seed=5), odds_of(case, 3, seed=5)
    assert one == again
    assert one.samples == odds.DEFAULT_SAMPLES
    assert 0 < one.standard_error <= sqrt(0.25 / odds.DEFAULT_SAMPLES)
    assert odds_of(case, 3, seed=6).chance != one.chance
    assert isclose(sum(one.chance.values()), 1, abs_tol=0.01)


def test_large_simulations_run_in_parts() -> None:
    case = a_case(20, 12, -5, -27)
    many = odds_of(case, 2, samples=120_000, seed=2)
    assert many.samples == 120_000
    assert abs(many.chance["A"] - odds_of(case, 2, seed=9).chance["A"]) < 0.03


@pytest.mark.parametrize("card", [card for card in load_cards() if not card.ruleset.missing], ids=lambda card: card.key)
def test_every_rules_card_has_typical_results(card: Any) -> None:
    rows = odds.typical_bank(card.ruleset)
    assert len(rows) >= 5
    assert all(list(row) == sorted(row, reverse=True) and len(row) == card.ruleset.players for row in rows)


def test_typical_results_without_uma_are_left_out() -> None:
    rules = load_card("jpml-a").ruleset
    assert rules.uma_floating is not None
    one_floats = replace(rules.uma_floating, rows=tuple(row for row in rules.uma_floating.rows if row[0] == 1))
    assert 0 < len(odds.typical_bank(replace(rules, uma_floating=one_floats))) < len(odds.typical_bank(rules))


def calibration_of_stages(count: int, seed: int, *, told: str) -> odds.Calibration:
    """Return the calibration for true chances of 70, 20, 8 and 2 %, predicted as they are, all equal, or reversed."""
    random, truth = Random(seed), (0.7, 0.2, 0.08, 0.02)
    say = {"true": truth, "equal": (0.25,) * 4, "reversed": truth[::-1]}[told]
    found: list[list[odds.Prediction]] = []
    for _ in range(count):
        winner = random.choices(range(4), truth)[0]
        found.append([(likely, player == winner) for player, likely in enumerate(say)])
    return odds.calibration_of(found)


@pytest.mark.parametrize(
    ("told", "verdict"),
    [
        ("true", odds.ChanceVerdict.BETTER),
        ("equal", odds.ChanceVerdict.UNDECIDED),
        ("reversed", odds.ChanceVerdict.WORSE),
    ],
)
def test_calibration_verdict_depends_on_the_stated_chances(told: str, verdict: odds.ChanceVerdict) -> None:
    assert calibration_of_stages(60, 1, told=told).verdict is verdict


def test_calibration_bands_compare_expected_and_actual() -> None:
    true, false = calibration_of_stages(400, 2, told="true"), calibration_of_stages(400, 2, told="reversed")
    assert [(band.low, band.count) for band in true.bands] == [(0.0, 400), (0.05, 400), (0.2, 400), (0.6, 400)]
    assert all(band.fits for band in true.bands)
    assert not all(band.fits for band in false.bands)


def test_calibration_needs_enough_stages() -> None:
    assert calibration_of_stages(odds.LEAST_STAGES - 1, 3, told="true").verdict is odds.ChanceVerdict.TOO_FEW
    assert calibration_of_stages(1, 3, told="true").margin == 0
    assert odds.calibration_of([]) == odds.Calibration(0, 0, (), 0.0, 0.0)
    assert odds.calibration_of([[]]).verdict is odds.ChanceVerdict.TOO_FEW


def test_calibration_bands_include_certain_chances() -> None:
    assert odds.calibration_of([[(1.0, True), (0.0, False)]]).bands == (
        odds.Band(0.0, 0.05, 1, 0.0, 0),
        odds.Band(0.95, 1.0, 1, 1.0, 1),
    )
