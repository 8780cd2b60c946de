from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from scoring.core import (
    FinishedGame,
    Ledger,
    ScoringError,
    ScoringRules,
    load_card,
    load_cards,
    read_game,
    read_ruleset,
    score,
    worked_out,
)
from scoring.messages import scoring_error_sentence

CAMARADE, CINDERELLA = load_card("camarade").ruleset, load_card("cinderella").ruleset
NPM, JPML, FREE = load_card("npm").ruleset, load_card("jpml-a").ruleset, load_card("free-10-30").ruleset
BUSTS = read_ruleset(
    {**load_card("cinderella").parameters} | {"bust": {"ends": "below_zero", "prize": 10, "other": "none"}}
)
LINE = (45_000, 9_000, -20_000, -34_000)
SCORABLE = [card for card in load_cards() if not card.ruleset.missing]


def of_points(*points: int, **more: object) -> FinishedGame:
    return replace(FinishedGame((), points=points), **more)  # type: ignore[arg-type]


def test_given_points_determine_placements_and_count_in_both_ledgers() -> None:
    scored = score(of_points(9_000, -34_000, 45_000, -20_000), CINDERELLA)
    assert [seat.placement for seat in scored.seats] == [2, 4, 1, 3]
    assert scored.ranking == scored.settlement == (9_000, -34_000, 45_000, -20_000)
    assert scored.total_only == (0, 0, 0, 0)
    [line] = scored.seats[2].breakdown[Ledger.RANKING]
    assert (line.part, line.points) == ("given", 45_000)
    assert dict(scored.parts(Ledger.RANKING)) == {"given": scored.ranking}


def test_equal_given_points_share_a_placement_if_the_rules_do() -> None:
    level = of_points(30_000, 10_000, -20_000, -20_000)
    assert [seat.placement for seat in score(level, CINDERELLA).seats] == [1, 2, 3, 3]
    assert [seat.sharing for seat in score(level, CINDERELLA).seats] == [1, 1, 2, 2]
    assert [seat.placement for seat in score(level, CAMARADE).seats] == [1, 2, 3, 4]


def test_given_placements_are_kept() -> None:
    scored = score(of_points(0, 0, 0, 0, placements=(2, 1, 3, 4)), CINDERELLA)
    assert scored.order.placements == (2, 1, 3, 4)
    assert scored.order.sharing == (1, 1, 1, 1)
    assert score(of_points(0, 0, 0, 0, placements=(1, 3, 1, 3)), CAMARADE).order.sharing == (2, 2, 2, 2)


@pytest.mark.parametrize(
    ("game", "rules", "code"),
    [
        pytest.param(of_points(1, 2, 3), CINDERELLA, "players", id="three of four"),
        pytest.param(of_points(*LINE, sticks_left=1), CINDERELLA, "points_alone", id="sticks"),
        pytest.param(of_points(*LINE, chombo=(1, 0, 0, 0)), CINDERELLA, "points_alone", id="chombo"),
        pytest.param(of_points(*LINE, placements=(1, 2, 2, 3)), CINDERELLA, "placements", id="no placements"),
        pytest.param(of_points(*LINE, placements=(1, 2)), CINDERELLA, "placements", id="too few placements"),
        pytest.param(of_points(10**13, 0, 0, -(10**13)), CINDERELLA, "points_too_large", id="too much"),
        pytest.param(of_points(45_000, 9_000, -20_000, -33_000), CINDERELLA, "points_unbalanced", id="a point more"),
        pytest.param(of_points(*LINE), load_card("banchi-4p").ruleset, "ruleset_incomplete", id="no rules"),
        pytest.param(of_points(1, 1, -1, -1), replace(CINDERELLA, tie=None), "unset", id="no tie rule"),
    ],
)
def test_invalid_given_points_are_refused(game: FinishedGame, rules: ScoringRules, code: str) -> None:
    with pytest.raises(ScoringError) as refused:
        score(game, rules)
    assert refused.value.code == code
    assert scoring_error_sentence(refused.value)


@pytest.mark.parametrize(
    ("sticks", "rules"),
    [pytest.param(1, NPM, id="void sticks are lost"), pytest.param(4, JPML, id="four of them, floating uma")],
)
def test_given_points_may_lack_voided_sticks(sticks: int, rules: ScoringRules) -> None:
    raw = (40_000 - 1000 * sticks, 30_000, 20_000, 4 * (rules.start_points or 0) - 90_000)
    points = score(FinishedGame(raw, sticks), rules).ranking
    assert sum(points) == -1000 * sticks
    assert score(of_points(*points), rules).ranking == points


def test_given_points_may_differ_by_rounding_and_fees() -> None:
    rounded = read_ruleset(
        {**load_card("tenhou-4p").parameters} | {"rounding": {"mode": "floor", "basis": "raw", "unit": 1}}
    )
    assert score(of_points(44_000, 9_000, -20_000, -35_000), rounded).ranking[3] == -35_000
    fees = read_ruleset({**load_card("cinderella").parameters} | {"fees": {"game": 1, "top": 2}})
    assert score(of_points(43_000, 8_000, -21_000, -36_000), fees).ranking[0] == 43_000


def test_unbalanced_given_points_can_be_accepted() -> None:
    scored = score(of_points(45_000, 9_000, -20_000, -33_000, as_is=True), CINDERELLA)
    assert scored.ranking == (45_000, 9_000, -20_000, -33_000)


def test_unbalanced_raw_scores_can_be_accepted() -> None:
    short = FinishedGame((40_000, 30_000, 20_000, 2_300))
    with pytest.raises(ScoringError) as refused:
        score(short, CINDERELLA)
    assert refused.value.values["difference"] == -7_700
    assert score(replace(short, as_is=True), CINDERELLA).ranking == (50_000, 10_000, -20_000, -47_700)


def test_raw_scores_are_derived_from_points() -> None:
    points = score(FinishedGame((45_000, 29_000, 20_000, 6_000)), CINDERELLA).ranking
    assert worked_out(points, CINDERELLA) == FinishedGame((45_000, 29_000, 20_000, 6_000))


@pytest.mark.parametrize("card", SCORABLE, ids=lambda card: card.key)
@given(data=st.data())
def test_derived_raw_scores_are_right_or_none(card: object, data: st.DataObject) -> None:
    rules = card.ruleset  # type: ignore[attr-defined]
    raw = data.draw(st.lists(st.integers(0, 330), min_size=rules.players - 1, max_size=rules.players - 1))
    last = rules.players * rules.start_points - 100 * sum(raw)
    game = FinishedGame((*(100 * each for each in raw), last))
    try:
        scored = score(game, rules)
    except ScoringError:
        assume(False)
    found = worked_out(scored.ranking, rules, scored.order.placements)
    assert found is None or score(found, rules).ranking == scored.ranking
    assert found in {None, game}


def test_voided_sticks_are_derived_from_the_sum_of_points() -> None:
    game = FinishedGame((39_000, 35_000, 20_000, 4_000), 2)
    assert worked_out(score(game, NPM).ranking, NPM) == game


@pytest.mark.parametrize(
    ("points", "rules", "placements"),
    [
        pytest.param(LINE, FREE, (), id="rounded"),
        pytest.param((45_050, 8_950, -20_000, -34_000), CINDERELLA, (), id="no hundreds"),
        pytest.param((45_000, 9_000, -20_000, -33_000), CINDERELLA, (), id="wrong total"),
        pytest.param(LINE, CINDERELLA, (4, 3, 2, 1), id="other placements"),
        pytest.param(LINE[:3], CINDERELLA, (), id="three of four"),
        pytest.param(LINE, load_card("banchi-4p").ruleset, (), id="no rules"),
        pytest.param(LINE, replace(CINDERELLA, score_basis="placement"), (), id="places alone"),
        pytest.param(LINE, replace(CINDERELLA, chips=1000), (), id="chips"),
    ],
)
def test_unclear_points_give_no_raw(points: tuple[int, ...], rules: ScoringRules, placements: tuple[int, ...]) -> None:
    assert worked_out(points, rules, placements) is None


def test_possible_bust_prize_gives_no_raw_scores() -> None:
    plain = score(FinishedGame((45_000, 29_000, 20_000, 6_000)), CINDERELLA).ranking
    assert worked_out(plain, BUSTS) == FinishedGame((45_000, 29_000, 20_000, 6_000))
    bust = read_game({"raw": [60_000, 29_000, 20_000, -9_000], "busts": [{"seat": 3, "by": "win", "winners": [0]}]})
    assert worked_out(score(bust, BUSTS).ranking, BUSTS) is None


@pytest.mark.parametrize(
    ("points", "rules", "is_too_large"),
    [
        pytest.param((357_000, -23_000, -91_000, -243_000), load_card("ema").ruleset, True, id="a lost decimal mark"),
        pytest.param((105_000, 5_000, -45_000, -65_000), load_card("ema").ruleset, False, id="nearly all there is"),
        pytest.param((106_000, 4_000, -45_000, -65_000), load_card("ema").ruleset, True, id="more than there is"),
        pytest.param((450_000, 90_000, -200_000, -340_000), FREE, True, id="rounded"),
        pytest.param((450_000, 90_000, -200_000, -340_000), replace(CINDERELLA, chips=1000), False, id="chips"),
        pytest.param((140_000, -10_000, -50_000, -80_000), BUSTS, False, id="prizes for three who are bust"),
        pytest.param((141_000, -11_000, -50_000, -80_000), BUSTS, True, id="more than three prizes"),
    ],
)
def test_points_too_large_are_refused(points: tuple[int, ...], rules: ScoringRules, *, is_too_large: bool) -> None:
    if is_too_large:
        with pytest.raises(ScoringError, match="too much for one hanchan"):
            worked_out(points, rules)
    else:
        worked_out(points, rules)


def test_points_with_several_solutions_give_no_raw_scores() -> None:
    flat = replace(CINDERELLA, uma=(5_000, -5_000, 0, 0), oka=0)
    found = {
        game
        for game in (FinishedGame((30_000, 26_000, 24_000, 20_000)), FinishedGame((30_000, 26_000, 20_000, 24_000)))
        if worked_out(score(game, flat).ranking, flat) in {None, game}
    }
    assert len(found) == 2
