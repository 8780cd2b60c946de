import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import translation

from scoring.core import (
    PARAMETERS,
    Bust,
    FinishedGame,
    Ledger,
    Part,
    RulesetError,
    ScoringError,
    ScoringRules,
    TieBreakReason,
    load_card,
    load_cards,
    read_ruleset,
    score,
)
from scoring.core import hanchan as hanchan_module
from scoring.core import reading as reading_module
from scoring.core.explain import CLAUSES
from scoring.messages import (
    decision_sentence,
    describe_ruleset,
    parameter_label,
    part_label,
    reason_sentence,
    ruleset_error_sentence,
    scoring_error_sentence,
)
from scoring.messages.clauses import RULES
from scoring.messages.reasons import SENTENCES
from tests.budget import budget
from tests.scoring.games import random_game, random_rules
from tests.scoring.test_house import accepted

BASE = {"players": 4, "start_points": 25000, "return_points": 30000, "uma": [10, 5, -5, -10]}
NAMES = ("Aoki", "Ishida", "Ueno", "Eguchi")
CAMARADE = load_card("camarade").ruleset
SILENT = {
    "uma",
    "uma_floating",
    "split",
    "fine",
    "lend_below_zero",
    "chips",
    "fees",
    "house",
    "return_points",
    "rounding",
    "below_zero_floor",
}
"""Parameters that a rule sheet omits if unset."""

JAPANESE = re.compile("[ぁ-んァ-ヶ一-龠]")


def is_sentence_in(language: str, sentence: str) -> bool:
    """Return whether a sentence is complete and in the given language; bare numbers fit either language."""
    whole = bool(sentence) and "%(" not in sentence and "None" not in sentence
    return whole and (bool(JAPANESE.search(sentence)) == (language == "ja"))


def reasons(game: FinishedGame, rules: ScoringRules, seat: int, ledger: Ledger = Ledger.SETTLEMENT) -> list[str]:
    return [reason_sentence(line.reason, NAMES) for line in score(game, rules).seats[seat].breakdown[ledger]]


@pytest.mark.usefixtures("english")
def test_reasons_show_the_calculation_in_english() -> None:
    game = FinishedGame((30800, 30800, 25500, 12900))
    assert reasons(game, CAMARADE, 0) == [
        "Base: (30,800 − 30,000) ÷ 1,000 = +0.8",
        "1st place absorbs the rounding: +0.2",
        "Oka: Aoki, Ishida are tied; the seat closest to the first dealer gets +20.0",
        "Uma: Aoki, Ishida are tied and share places 1 to 2: (+10.0 +5.0) ÷ 2 = +7.5",
    ]
    assert reasons(game, CAMARADE, 3) == [
        "Base: (12,900 − 30,000) ÷ 1,000 = −17.1, truncated toward zero: −17.0",
        "Uma (place 4): −10.0",
    ]


def test_reasons_show_the_calculation_in_japanese() -> None:
    with translation.override("ja"):
        game = FinishedGame((31700, 31300, 25500, 11500))
        assert reasons(game, CAMARADE, 0) == [
            "素点:(31,700 − 30,000) ÷ 1,000 = +1.7",
            "端数:他の人を端数処理した差をトップが受けて ▲0.7",
            "オカ:トップに 4 × (30,000 − 25,000) ÷ 1,000 = +20.0",
            "ウマ:1着 +10.0",
        ]
        assert reasons(game, CAMARADE, 3)[0] == "素点:(11,500 − 30,000) ÷ 1,000 = ▲18.5、0に近いほうへ切り捨てて ▲18.0"


def games_with_every_reason() -> Iterator[tuple[FinishedGame, ScoringRules]]:
    dice = random.Random(7)
    for _ in range(600):
        rules = random_rules(dice)
        yield random_game(dice, rules), rules
    extra: dict[str, Any] = {
        "players": 4,
        "start_points": 25000,
        "return_points": 25000,
        "uma": [1, 0, 0, -1],
        "leftover": "top_after_rank_points",
        "bust": {"ends": "below_zero", "prize": 5, "other": "equal_split", "illegal_riichi": True},
        "chombo": {"kind": "total", "amount": -20, "ledger": "game"},
        "chips": {"value": 2},
        "fees": {"game": 4, "top": 2},
        "below_zero_floor": -1000,
        "oka": 3,
    }
    rules = read_ruleset(extra)
    yield FinishedGame((60000, 35000, 10000, -6000), 1, (Bust(3, "riichi"),), (1, 2, 0, 0), (1, -1, 0, 0)), rules
    yield FinishedGame((60000, 30000, 500, 9500), busts=(Bust(2, "riichi"),)), rules
    yield FinishedGame((), points=(40000, 0, -10000, -20000), as_is=True), rules
    in_chips = {**BASE, "bust": {"ends": "below_zero", "prize": 5, "prize_in": "chips", "win": "first"}}
    yield FinishedGame((60000, 25000, 16000, -1000), busts=(Bust(3, "win", winners=(0,)),)), read_ruleset(in_chips)


@pytest.mark.long
def test_every_reason_is_a_sentence_in_both_languages(language: str) -> None:
    said = set()
    for game, rules in games_with_every_reason():
        for seat in score(game, rules).seats:
            for reason in (*(line.reason for lines in seat.breakdown.values() for line in lines), *seat.remarks):
                said.add(reason.code)
                assert is_sentence_in(language, reason_sentence(reason)), reason
    assert said == set(SENTENCES)


GAME_FACTS: dict[str, object] = {
    "parameters": "uma, return_points",
    "parameter": "chips.value",
    "what": "deposits",
    "value": -3,
    "count": 3,
    "players": 4,
    "sum": 99000,
    "expected": 100000,
    "difference": -1000,
    "sticks": 1,
    "floaters": 2,
    "raw": -1000,
    "total": "9",
    "prize": "10",
    "tenpai": 2,
    "placements": "1, 2, 2, 3",
    "longest": 40,
}


@pytest.mark.parametrize("code", sorted(hanchan_module.MESSAGES))
def test_every_game_error_is_a_sentence_in_both_languages(code: str, language: str) -> None:
    needed = set(re.findall(r"%\((\w+)\)", hanchan_module.MESSAGES[code])) - {"who"}
    error = ScoringError(
        code, 3, **{name: GAME_FACTS[name] for name in needed | {"sticks", "difference", "sum", "expected"}}
    )
    sentence = scoring_error_sentence(error, NAMES)
    assert is_sentence_in(language, sentence)
    assert ("%(who)s" not in hanchan_module.MESSAGES[code]) or "Eguchi" in sentence


@pytest.mark.usefixtures("english")
@pytest.mark.parametrize(
    ("raw", "says"),
    [
        ((31700, 31300, 25500, 10500), "The scores and leftover sticks add up to 99,000, 1,000 short of 100,000. Is 1 "
                                       "riichi stick still on the table?"),
        ((31700, 31300, 25500, 8500), "3,000 short of 100,000. Are 3 riichi sticks still on the table?"),
        ((31700, 31300, 25500, 10600), "900 short of 100,000. Count the sticks again."),
        ((31700, 31300, 25500, 12500), "1,000 more than 100,000. Count the sticks again."),
        ((31750, 31300, 25500, 11500), "Aoki: 31,750 is not a multiple of 100. Count the 100-point sticks again."),
    ],
)  # fmt: skip
def test_game_errors_say_what_to_check(raw: tuple[int, ...], says: str) -> None:
    with pytest.raises(ScoringError) as caught:
        score(FinishedGame(raw), CAMARADE)
    assert scoring_error_sentence(caught.value, NAMES).endswith(says)


def test_game_errors_name_the_wind_without_player_names() -> None:
    with translation.override("ja"):
        with pytest.raises(ScoringError) as caught:
            score(FinishedGame((31700, 31300, 25500, 11550)), CAMARADE)
        assert (
            scoring_error_sentence(caught.value)
            == "北家:11,550点は100点単位になっていません。100点棒を数え直してください。"
        )
        assert scoring_error_sentence(ScoringError("unset", parameter="leftover")).endswith(
            "終局時の供託。幹事が先に設定してください。"
        )


RULESET_FACTS: dict[str, object] = {
    "value": "'x'", "choices": "seat, shared", "low": 0, "high": 4, "count": 3, "players": 4,
    "start": 25000, "total": "9", "prize": "10", "tenpai": 2, "longest": 40,
}  # fmt: skip


@pytest.mark.parametrize("code", sorted(reading_module.MESSAGES))
def test_every_rules_error_is_a_sentence_in_both_languages(code: str, language: str) -> None:
    sentence = ruleset_error_sentence(RulesetError(code, "bust.draw_shares.2[0]", **RULESET_FACTS))
    assert is_sentence_in(language, sentence)
    assert len(ruleset_error_sentence(RulesetError(code, "uma", **RULESET_FACTS | {"value": "9" * 5000}))) < 250


@pytest.mark.parametrize("card", load_cards(), ids=lambda card: card.key)
def test_every_rules_card_is_described_in_both_languages(card: Any, language: str) -> None:
    clauses = {clause.parameter: clause for clause in describe_ruleset(card.ruleset)}
    assert set(PARAMETERS) - set(clauses) <= SILENT
    for clause in clauses.values():
        assert is_sentence_in(language, clause.sentence), clause
        assert is_sentence_in(language, clause.label), clause
    for name in (*card.ruleset.missing, *card.ruleset.unset):
        assert ("規定に" if language == "ja" else "do not ") in clauses[name].sentence


@pytest.mark.at_random
@pytest.mark.parametrize("seed", range(budget(200)))
def test_random_rules_are_described_in_both_languages(seed: int, language: str) -> None:
    for clause in describe_ruleset(random_rules(random.Random(seed))):
        assert is_sentence_in(language, clause.sentence), clause


@pytest.mark.at_random
@pytest.mark.parametrize("seed", range(budget(200)))
def test_reasons_of_random_games_have_a_clause_on_the_rule_sheet(seed: int) -> None:
    dice = random.Random(seed)
    rules = random_rules(dice)
    clauses = {clause.parameter for clause in describe_ruleset(rules)}
    for seat in score(random_game(dice, rules), rules).seats:
        reasons = [*seat.remarks, *(line.reason for lines in seat.breakdown.values() for line in lines)]
        assert {reason.clause for reason in reasons} <= clauses


def test_every_reason_has_a_clause() -> None:
    assert set(CLAUSES) == set(SENTENCES)
    assert set(CLAUSES.values()) <= set(PARAMETERS)


@pytest.mark.usefixtures("english")
@pytest.mark.parametrize(
    ("given", "parameter", "says"),
    [
        ({}, "players", "The rules do not define the number of players. Set it before"),
        ({}, "oka", "1st place gets players × (return points − start points) ÷ 1,000."),
        ({"oka": 15}, "oka", "1st place gets +15."),
        ({"score_basis": "placement"}, "oka", "No oka."),
        ({"score_basis": "placement"}, "score_basis", "Only placement counts"),
        ({"lend_below_zero": 10000}, "lend_below_zero", "borrows 10,000 points"),
        ({"fine": {"amount": 1000}}, "fine", "A fine of 1,000 points"),
        ({"fees": {"game": "0.5", "top": 2}}, "fees", "Each player pays a fee of 0.5, 1st place 2 more."),
        ({"chips": {"value": "-0.5"}}, "chips", "Each chip is worth −0.5."),
        ({"chombo": {"kind": "mangan", "hand": "ends_game", "deposits_back": False}}, "chombo", "That hand's riichi sticks stay"),
        ({"chombo": {"kind": "flat_each", "amount": 3000, "dealer": "passes_unless_last"}}, "chombo", "A chombo costs 3,000 points to each"),
        ({"chombo": {"kind": "total", "amount": -20, "ledger": "game"}}, "chombo", "Each chombo subtracts 20 from the hanchan."),
        ({"bust": {"ends": "zero_or_below", "prize": 1, "prize_in": "chips", "win": "each"}}, "bust", "several winners get the full prize each."),
        ({"bust": {"ends": "below_zero", "prize": 10, "win": "split", "draw_shares": "equal_split", "other": "manual"}}, "bust", "On a draw, the tenpai players split it evenly."),
        ({"bust": {"ends": "below_zero", "prize": 10}}, "bust", "do not say what several winners get. The rules do not say who gets it on a draw"),
        ({"bust": {"ends": "below_zero", "prize": 10}}, "bust", "do not say who gets it in other cases"),
        ({"uma_floating": {"threshold": 30000, "inclusive": False, "rows": {"1": [12, -1, -3, -8]}}}, "uma_floating", "more than 30,000. 1: +12 / −1 / −3 / −8."),
        ({"ledgers": {"ranking": {"parts": []}, "settlement": {"parts": ["base", "chips"]}}}, "ledgers", "The settlement includes base, chips."),
    ],
)  # fmt: skip
def test_clauses_describe_parameters(given: dict[str, Any], parameter: str, says: str) -> None:
    assert says in {clause.parameter: clause.sentence for clause in describe_ruleset(read_ruleset(given))}[parameter]


@pytest.mark.parametrize("rule", ["points", "placement", "raw", "placements_2", "best_raw", "head_to_head", "manual"])
def test_tie_break_reasons_are_sentences_in_both_languages(rule: str, language: str) -> None:
    decision = TieBreakReason(rule, 3, 4, 8)
    assert is_sentence_in(language, decision_sentence(decision))
    assert decision_sentence(decision.as_json(), "Aoki", "Ishida").endswith(decision_sentence(decision))


@pytest.mark.usefixtures("english")
def test_tie_break_reasons_show_the_compared_values() -> None:
    assert (
        decision_sentence(TieBreakReason("points", -29000, -30000, 8))
        == "Tied on points. In hanchan 8, −29.0 beats −30.0."
    )
    assert decision_sentence(TieBreakReason("placement", 3, 4, 8), "Aoki", "Ishida") == (
        "Aoki is ahead of Ishida. Tied on points. In hanchan 8, placement 3 beats 4."
    )
    assert decision_sentence(TieBreakReason("head_to_head", 2, -2)).endswith("+2 against −2.")
    assert decision_sentence(None) == decision_sentence({}) == ""


def test_every_choice_of_a_parameter_has_a_sentence() -> None:
    beside = {"chombo": {"kind": "none"}}
    choices = {
        path: accepted(path, beside=beside.get(path.split(".")[0])) for path, clause in RULES.items() if clause.options
    }
    # The total is priced by its ledger, a riichi may be legal, and shares of a draw are numbers.
    choices["chombo.kind"].remove("total")
    choices["bust.illegal_riichi"].remove("no")
    choices["bust.draw_shares"] = {"equal_split"}
    assert {path: {*RULES[path].options} for path in choices} == choices


def test_parameter_labels_exist_in_both_languages(language: str) -> None:
    labels = [parameter_label(name) for name in PARAMETERS] + [part_label(part) for part in Part]
    assert all(label.isascii() == (language == "en") for label in labels), labels


@pytest.mark.usefixtures("english")
def test_unnamed_parameters_are_labelled_by_path() -> None:
    assert parameter_label("bust.draw_shares.2[0]") == "Bust prize on a draw (2[0])"
    assert parameter_label("uma[3]") == "Uma ([3])"
    assert [parameter_label("x.y"), part_label("x.y")] == ["x.y", "x.y"]
