import json
import random
from collections.abc import Mapping
from dataclasses import is_dataclass
from functools import reduce
from typing import Any

import pytest
from django.utils import translation

from scoring.core import (
    FinishedGame,
    HouseRules,
    RulesetError,
    ScoringRules,
    load_card,
    read_game,
    read_ruleset,
    score,
    write_ruleset,
)
from scoring.core.house import said
from scoring.messages import describe_apart, describe_ruleset, parameter_label
from scoring.messages.clauses import HOUSE_CLAUSES, HOUSE_SECTIONS
from tests.budget import budget
from tests.scoring.games import random_game, random_rules, rules_with

EVERYTHING: dict[str, Any] = {
    "rounds": "tonpuu",
    "round_winds": {"east": ["east", "west"], "south": []},
    "extension": {"next": "return_east", "if_top_below": 40000, "ends_at": 40000, "inclusive": True, "sudden_death": True, "last_round": "east"},
    "cold_game": 60000,
    "agari_yame": {"who": "top", "top": "forced"},
    "tenpai_yame": {"who": "none", "top": "auto"},
    "renchan": {"east": "win", "south": "tenpai"},
    "renchan_multi_ron": "head",
    "dealer_may_pass": True,
    "honba_on_draw": False,
    "honba_value": 1500,
    "honba_tsumo": "each",
    "noten_pool": 0,
    "multi_ron": "double",
    "multi_ron_honba": "each",
    "multi_ron_deposits": "own_back_rest_first",
    "abortive": {"kinds": ["four_kans", "triple_ron"], "dealer": "passes", "honba": True, "last_hand": "ends"},
    "nagashi": {"counts_as": "win", "value": "mangan", "own_calls": True, "own_riichi": False, "honba_next": True},
    "kiriage": False,
    "kazoe": 0,
    "sanbaiman_from": 11,
    "yakuman_stacking": True,
    "double_yakuman_forms": False,
    "double_wind_pair_fu": 4,
    "rinshan_tsumo_fu": True,
    "open_no_fu_hand": 30,
    "ippatsu": True,
    "ura": True,
    "kan_dora": False,
    "red_fives": 3,
    "open_tanyao": True,
    "swap_calling": False,
    "min_riichi_points": 1000,
    "riichi_needs_draw": False,
    "riichi_deposit": 1000,
    "open_riichi_deposit": 2000,
    "furiten_riichi": True,
    "pao": {"hands": ["daisangen", "daiminkan"], "ron": "half", "honba_payer": "discarder", "scope": "hand"},
    "sanma": {"round_unit": 1000, "tsumo_loss": False, "north": "dora"},
    "chips": {"red": 500, "gold": 0, "ippatsu": 1, "ura": 1, "open_hands": True, "yakuman_ron": 10, "yakuman_tsumo_each": 5, "kazoe_pays": False, "others": [{"label": "四枚使い", "count": 2}]},
    "text": {"ja": "一行目\n二行目", "en": "Line one\nLine two"},
}  # fmt: skip


def house(table: object) -> HouseRules | None:
    return read_ruleset({"house": table}).house


def test_complete_house_rules_are_written_and_read_unchanged() -> None:
    rules = read_ruleset({"players": 4, "house": EVERYTHING})
    written = write_ruleset(rules)
    assert written == {"players": 4, "score_basis": "points", "oka": "auto", "house": EVERYTHING}
    assert read_ruleset(json.loads(json.dumps(written))) == rules
    assert hash(rules) == hash(read_ruleset(written))


def accepted(path: str, *, is_list: bool = False, beside: Mapping[str, str] | None = None) -> set[str]:
    """Return the values or members that a parameter with choices accepts. `beside`: other values of its table."""
    *tables, last = path.split(".")
    refused: dict[str, Any] = {**(beside or {}), last: ["?"] if is_list else -1}
    with pytest.raises(RulesetError) as caught:
        read_ruleset(reduce(lambda table, step: {step: table}, reversed(tables), refused))
    if caught.value.code == "not_a_switch":
        return {"yes", "no"}
    return set(filter(None, str(caught.value.values.get("choices", "")).split(", ")))


def test_every_house_rule_and_each_of_its_choices_has_a_sentence() -> None:
    rules = house(EVERYTHING) or HouseRules()
    values = said(rules)
    assert all(None not in vars(table).values() for table in (rules, *filter(is_dataclass, vars(rules).values())))
    assert {path: {*clause.options, *clause.members} for path, clause in HOUSE_CLAUSES.items()} == {
        path: accepted(f"house.{path}", is_list=isinstance(value, tuple)) for path, value in values.items()
    }


@pytest.mark.parametrize(
    "silent", [{}, None, {"extension": {}}, {"text": {"ja": " \n ", "en": ""}}, {"chips": {"others": []}}]
)
def test_empty_house_rules_are_omitted(silent: object) -> None:
    assert house(silent) is None
    assert "house" not in write_ruleset(read_ruleset({"players": 4, "house": silent}))


@pytest.mark.parametrize(
    ("table", "code", "path"),
    [
        pytest.param({"noten_pool": -3000}, "out_of_range", "house.noten_pool", id="below zero"),
        pytest.param({"kazoe": 14}, "not_a_choice", "house.kazoe", id="fourteen han"),
        pytest.param({"kazoe": 10**30}, "not_a_choice", "house.kazoe", id="no number of han"),
        pytest.param({"abortive": {"kinds": ["rain"]}}, "not_a_choice", "house.abortive.kinds[0]", id="no such draw"),
        pytest.param({"pao": {"hands": ["daisangen", "daisangen"]}}, "twice", "house.pao.hands[1]", id="twice"),
        pytest.param({"red_fives": 17}, "out_of_range", "house.red_fives", id="more fives than there are"),
        pytest.param({"chips": {"others": [{"label": "x"}]}}, "incomplete", "house.chips.others[0].count", id="no count"),
        pytest.param({"chips": {"others": [{"label": "", "count": 1}]}}, "incomplete", "house.chips.others[0].label", id="no label"),
        pytest.param({"chips": {"others": [{"label": "x", "count": 1}] * 21}}, "out_of_range", "house.chips.others", id="too many"),
        pytest.param({"text": {"ja": 3}}, "not_text", "house.text.ja", id="no text"),
        pytest.param({"text": {"ja": "a\x00b"}}, "not_text", "house.text.ja", id="a control character"),
        pytest.param({"text": {"ja": "a\ud800b"}}, "not_text", "house.text.ja", id="half a character"),
        pytest.param({"text": {"en": "a\u202eb"}}, "not_text", "house.text.en", id="writing that turns round"),
        pytest.param({"text": {"en": "x" * 4001}}, "too_long", "house.text.en", id="a novel"),
        pytest.param({"chips": {"others": [{"label": "a\nb", "count": 1}]}}, "not_text", "house.chips.others[0].label", id="two lines for a label"),
    ],
)  # fmt: skip
def test_invalid_house_rule_is_refused(table: object, code: str, path: str) -> None:
    with pytest.raises(RulesetError) as caught:
        house(table)
    assert (caught.value.code, caught.value.path) == (code, path)


def test_house_text_keeps_lines_and_strips_spaces() -> None:
    found = house({"text": {"ja": "  一\r\n\r\n二 \n"}})
    assert found is not None
    assert found.text is not None
    assert found.text.ja == "一\n\n二"


def test_order_of_lists_in_house_rules_does_not_matter() -> None:
    one, other = (
        {"abortive": {"kinds": kinds}} for kinds in (["four_kans", "four_winds"], ["four_winds", "four_kans"])
    )
    assert house(one) == house(other)


@pytest.mark.at_random
@pytest.mark.parametrize("seed", range(budget(40)))
def test_house_rules_do_not_change_points(seed: int) -> None:
    dice = random.Random(seed)
    rules = random_rules(dice)
    game = random_game(dice, rules)
    housed = read_ruleset(
        {**write_ruleset(rules), "house": EVERYTHING, "fine": {"amount": 1000}, "lend_below_zero": 10000}
    )
    assert housed != rules
    assert housed.for_points == rules.for_points
    assert [(seat.points, seat.total_only) for seat in score(game, housed).seats] == [
        (seat.points, seat.total_only) for seat in score(game, rules).seats
    ]


def test_rules_for_points_ignore_only_house_rules() -> None:
    camarade = load_card("camarade").ruleset
    assert read_ruleset(write_ruleset(camarade) | {"leftover": "void"}).for_points != camarade.for_points
    chombo = write_ruleset(camarade) | {"chombo": {"kind": "none", "hand": "ends_game"}}
    assert read_ruleset(chombo).for_points == camarade.for_points


@pytest.mark.parametrize(
    ("card", "path", "value"),
    [
        ("camarade", "multi_ron", "head_bump"),
        ("camarade", "kiriage", False),
        ("parlour-placement", "cold_game", 55000),
        ("parlour-placement", "abortive.dealer", "passes"),
        ("kyoto", "renchan.east", "win"),
        ("kyoto", "renchan.south", "tenpai"),
        ("kyoto", "renchan_multi_ron", "any_dealer_winner"),
        ("banchi-4p", "extension.if_top_below", 27000),
        ("banchi-4p", "round_winds.south", ("south", "north")),
        ("banchi-4p", "chips.yakuman_ron", 5000),
        ("banchi-3p", "extension.next", "return_east"),
        ("banchi-3p", "noten_pool", 2000),
        ("banchi-3p", "sanma.tsumo_loss", False),
        ("cinderella", "renchan.east", "win"),
        ("cinderella", "honba_on_draw", True),
        ("mleague", "kiriage", True),
        ("mu", "honba_value", 0),
        ("saikouisen-classic", "ippatsu", False),
        ("ema", "multi_ron_deposits", "own_back_rest_first"),
        ("tenhou-4p", "double_wind_pair_fu", 4),
    ],
)
def test_house_rules_of_cards_follow_their_sources(card: str, path: str, value: object) -> None:
    assert said(load_card(card).ruleset.house or HouseRules())[path] == value


@pytest.mark.parametrize("card", ["free-5-10", "free-10-20", "free-10-30", "mahjong-soul", "npm", "tenhou-3p"])
def test_cards_without_sourced_house_rules_have_none(card: str) -> None:
    assert load_card(card).ruleset.house is None


def test_unsourced_house_rules_are_left_open() -> None:
    assert "noten_pool" not in said(load_card("camarade").ruleset.house or HouseRules())
    assert "extension.inclusive" not in said(load_card("parlour-placement").ruleset.house or HouseRules())


@pytest.mark.parametrize("language", ["en", "ja"])
def test_house_rules_are_described_by_section(language: str) -> None:
    rules = read_ruleset({"house": EVERYTHING})
    with translation.override(language):
        sections = {line.parameter: line.sentence for line in describe_ruleset(rules)}
        apart = {line.parameter: (line.label, line.sentence) for line in describe_apart(rules)}
        labels = [parameter_label(f"house.{path}") for path in said(rules.house or HouseRules())]
    assert {f"house.{section}" for section in HOUSE_SECTIONS} <= set(sections)
    assert {f"house.{path}" for path in said(rules.house or HouseRules())} <= set(apart)
    assert all(label and sentence for label, sentence in apart.values())
    assert all(labels)
    assert sections["house.text"] == EVERYTHING["text"][language]


@pytest.mark.parametrize(("written", "shown"), [("ja", "en"), ("en", "ja")])
def test_house_text_in_one_language_is_used_for_both(written: str, shown: str) -> None:
    with translation.override(shown):
        lines = {
            line.parameter: line.sentence
            for line in describe_ruleset(read_ruleset({"house": {"text": {written: "あ"}}}))
        }
    assert lines["house.text"] == "あ"


def test_excluded_rules_are_described() -> None:
    with translation.override("en"):
        told = " ".join(
            line.sentence
            for line in describe_ruleset(
                read_ruleset({"house": {"cold_game": 0, "abortive": {"kinds": []}, "pao": {"hands": []}}})
            )
        )
    assert "No mercy rule." in told
    assert "No abortive draws." in told
    assert "No pao." in told


IN_CHIPS = {"ends": "below_zero", "prize": 5, "prize_in": "chips", "win": "split", "draw_shares": "equal_split", "other": "equal_split"}  # fmt: skip


def chips_of(game: dict[str, Any], rules: ScoringRules) -> list[int]:
    return [seat.chips for seat in score(read_game({"raw": [60000, 25000, 16000, -1000], **game}), rules).seats]


@pytest.mark.parametrize(
    ("game", "chips"),
    [
        ({"busts": [{"seat": 3, "by": "win", "winners": [1]}]}, [0, 5, 0, -5]),
        ({"busts": [{"seat": 3, "by": "win", "winners": [0, 1]}]}, [3, 2, 0, -5]),
        ({"busts": [{"seat": 3, "by": "draw", "tenpai": [0, 1, 2]}]}, [2, 2, 1, -5]),
        ({"busts": [{"seat": 3, "by": "other"}], "chips": [1, 2, -4, 1]}, [3, 4, -3, -4]),
    ],
)
def test_bust_prize_in_chips_transfers_whole_chips(game: dict[str, Any], chips: list[int]) -> None:
    assert chips_of(game, rules_with(bust=IN_CHIPS)) == chips
    assert sum(chips) == 0


def test_chips_without_a_bust_are_unchanged() -> None:
    rules = rules_with(bust=IN_CHIPS)
    assert [seat.chips for seat in score(FinishedGame((25000,) * 4, chips=(1, 0, 0, -1)), rules).seats] == [1, 0, 0, -1]
    assert [seat.chips for seat in score(FinishedGame((25000,) * 4), rules).seats] == [0, 0, 0, 0]


def test_bust_prize_in_points_transfers_no_chips() -> None:
    game = {"busts": [{"seat": 3, "by": "win", "winners": [1]}]}
    assert chips_of(game, rules_with(bust={**IN_CHIPS, "prize_in": "points"})) == [0, 0, 0, 0]
