import pickle
from functools import reduce
from typing import Any

import pytest

from scoring.core import FinishedGame, RulesetError, read_ruleset, score, write_ruleset

BASE: dict[str, Any] = {"players": 4, "start_points": 25000, "return_points": 30000, "uma": [10, 5, -5, -10]}
TIE = {"rank": "seat", "uma": "seat", "oka": "seat"}


@pytest.mark.parametrize(
    ("changes", "code", "path"),
    [
        pytest.param({"umma": 1}, "unknown_key", "umma", id="misspelt"),
        pytest.param({"tie": {**TIE, "umma": "seat"}}, "unknown_key", "tie.umma", id="misspelt inside"),
        pytest.param({"players": 5}, "out_of_range", "players", id="five players"),
        pytest.param({"players": "four"}, "not_whole", "players", id="comment"),
        pytest.param({"players": reduce(lambda table, _: [table], range(700), list[Any]())}, "not_whole", "players", id="nested lists"),
        pytest.param({"players": 10**4000}, "out_of_range", "players", id="a crowd"),
        pytest.param({"players": True}, "not_whole", "players", id="a switch as a number"),
        pytest.param({"start_points": 25050}, "not_hundreds", "start_points", id="odd fifty"),
        pytest.param({"uma": [10, 5, -5]}, "wrong_length", "uma", id="three places for four"),
        pytest.param({"uma": 10}, "not_a_list", "uma", id="no list"),
        pytest.param({"uma": [10, 5, -5, "0.0001"]}, "not_points", "uma[3]", id="too fine"),
        pytest.param({"return_points": 20000}, "return_below_start", "return_points", id="return below start"),
        pytest.param({"uma_floating": {"threshold": 30000, "rows": {}}}, "two_umas", "uma", id="two umas"),
        pytest.param({"uma": None, "uma_floating": {"threshold": 30000, "rows": {"1": [1]}}}, "wrong_length", "uma_floating.rows.1", id="short row"),
        pytest.param({"uma": None, "uma_floating": {"rows": {}}}, "incomplete", "uma_floating.threshold", id="no line"),
        pytest.param({"uma": None, "uma_floating": {"threshold": 30000, "rows": {"1": [9, 1, -5, -5], "01": [8, 4, -4, -8]}}}, "unknown_key", "uma_floating.rows.01", id="a row given twice"),
        pytest.param({"uma": None, "uma_floating": {"threshold": 30000, "rows": {"5": [9, 1, -5, -5]}}}, "unknown_key", "uma_floating.rows.5", id="five floaters"),
        pytest.param({"tie": "seat"}, "not_a_table", "tie", id="tie as a word"),
        pytest.param({"tie": {"rank": "seat", "uma": "seat"}}, "incomplete", "tie.oka", id="a tie half told"),
        pytest.param({"split": {"unit": 0, "remainder": "all_nearest"}}, "out_of_range", "split.unit", id="no unit"),
        pytest.param({"rounding": {"mode": "trunc"}}, "incomplete", "rounding.basis", id="no basis"),
        pytest.param({"rounding": {"mode": "trunc", "basis": "diff", "top_absorbs": 1}}, "not_a_switch", "rounding.top_absorbs", id="no switch"),
        pytest.param({"leftover": "mine"}, "not_a_choice", "leftover", id="leftover"),
        pytest.param({"score_basis": 3}, "not_a_choice", "score_basis", id="basis"),
        pytest.param({"bust": {"ends": "below_zero", "prize": -1}}, "out_of_range", "bust.prize", id="negative prize"),
        pytest.param({"bust": {"ends": "below_zero", "prize": 10, "draw_shares": {1: [9]}}}, "shares", "bust.draw_shares.1", id="shares"),
        pytest.param({"bust": {"ends": "below_zero", "prize": 10, "draw_shares": {2: [10]}}}, "share_count", "bust.draw_shares.2", id="share count"),
        pytest.param({"bust": {"ends": "below_zero", "prize": 5, "prize_in": "chips", "draw_shares": {1: [4]}}}, "shares", "bust.draw_shares.1", id="shares in chips"),
        pytest.param({"chombo": {"kind": "total"}}, "incomplete", "chombo.amount", id="no amount"),
        pytest.param({"chombo": {"kind": "total", "amount": 40}}, "out_of_range", "chombo.amount", id="a reward"),
        pytest.param({"ledgers": {"ranking": {"parts": ["base"]}}}, "incomplete", "ledgers.settlement", id="one ledger"),
        pytest.param({"ledgers": {"ranking": {"parts": ["leftover"]}, "settlement": {"parts": []}}}, "not_a_choice", "ledgers.ranking.parts[0]", id="no such part"),
        pytest.param({"below_zero_floor": 1000}, "out_of_range", "below_zero_floor", id="a floor above zero"),
    ],
)  # fmt: skip
def test_invalid_parameter_is_refused(changes: dict[str, Any], code: str, path: str) -> None:
    with pytest.raises(RulesetError) as caught:
        read_ruleset(BASE | changes)
    assert (caught.value.code, caught.value.path) == (code, path)
    assert path in str(caught.value)


@pytest.mark.parametrize("table", [None, [], {1: 2}])
def test_rules_that_are_not_a_table_are_refused(table: Any) -> None:
    with pytest.raises(RulesetError) as caught:
        read_ruleset(table)
    assert caught.value.code == "not_a_table"


def test_every_parameter_is_written_and_read_unchanged() -> None:
    parameters = BASE | {
        "score_basis": "points",
        "oka": "15.5",
        "tie": TIE,
        "split": {"unit": "exact", "remainder": "all_nearest"},
        "rounding": {"mode": "half_up", "basis": "raw", "unit": "0.5", "top_absorbs": False},
        "leftover": "void",
        "below_zero_floor": "-10000",
        "bust": {
            "ends": "zero_or_below",
            "prize": 500,
            "prize_in": "chips",
            "draw_shares": {"1": [500]},
            "win": "each",
        },
        "chombo": {"kind": "flat_each", "amount": 3000, "hand": "replay", "dealer": "stays", "deposits_back": True},
        "fine": {"amount": 1000},
        "lend_below_zero": 10000,
        "chips": {"value": "0.5"},
        "fees": {"game": 4, "top": "2"},
        "ledgers": {"ranking": {"parts": ["base"]}, "settlement": {"parts": ["uma", "chips"], "rounded": True}},
    }
    rules = read_ruleset(parameters)
    assert read_ruleset(write_ruleset(rules)) == rules
    assert set(parameters) == set(write_ruleset(rules))


@pytest.mark.parametrize(
    "bust",
    [
        {"ends": "below_zero", "prize": 10},
        {"ends": "below_zero", "prize": 10, "draw_shares": {}},
        {"ends": "below_zero", "illegal_riichi": True},
        {"ends": "below_zero", "prize": 10, "draw_shares": "equal_split", "win": "split", "other": "manual"},
    ],
)
def test_unset_bust_rules_stay_unset(bust: dict[str, Any]) -> None:
    rules = read_ruleset(BASE | {"bust": bust})
    written = write_ruleset(rules)
    assert read_ruleset(written) == rules
    for name in ("win", "draw_shares", "other"):
        assert written["bust"].get(name) == (bust.get(name) or None)


def test_bust_rules_without_a_prize_are_ignored() -> None:
    details = {"win": "split", "draw_shares": "equal_split", "other": "manual"}
    plain, detailed = (read_ruleset(BASE | {"bust": {"ends": "below_zero"} | more}) for more in ({}, details))
    assert plain == detailed
    with pytest.raises(RulesetError, match=r"bust\.draw_shares\.1"):
        read_ruleset(BASE | {"bust": {"ends": "below_zero", "draw_shares": {"1": [10]}}})


def test_rules_can_be_pickled_after_scoring() -> None:
    rules = read_ruleset(BASE | {"rounding": {"mode": "trunc", "basis": "diff", "top_absorbs": True}})
    game = FinishedGame((31700, 31300, 25500, 11500))
    assert score(game, pickle.loads(pickle.dumps(rules))).ranking == score(game, rules).ranking
    assert pickle.loads(pickle.dumps(rules)) == rules


def test_rounding_mode_none_is_no_rounding() -> None:
    assert read_ruleset(BASE | {"rounding": {"mode": "none"}}).rounding is None


def test_missing_and_unset_parameters_are_listed() -> None:
    assert read_ruleset({}).missing == ("players", "start_points", "return_points", "uma")
    assert read_ruleset({"score_basis": "placement", "players": 4, "start_points": 25000}).missing == ("uma",)
    assert read_ruleset(BASE).unset == ("tie", "split", "leftover", "bust", "chombo")
    assert read_ruleset(BASE | {"tie": TIE}).unset == ("leftover", "bust", "chombo")


def test_oka_follows_from_the_return_points() -> None:
    assert read_ruleset(BASE).oka_points == 4 * 5000
    assert read_ruleset({"players": 4, "start_points": 25000}).oka_points == 0
    assert read_ruleset(BASE | {"oka": 15}).oka_points == 15_000
