import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

import pytest

from scoring import core

KEYS = {
    "camarade", "parlour-placement", "kyoto", "banchi-4p", "banchi-3p", "cinderella", "mleague", "jpml-a", "saikouisen",
    "saikouisen-classic", "npm", "rmu", "mu", "wrc", "ema", "tenhou-4p", "tenhou-3p", "mahjong-soul", "free-5-10",
    "free-10-20", "free-10-30", "student",
}  # fmt: skip

GAME_KEYS = ("raw", "sticks_left", "busts", "chombo", "chips", "deposits")
EXPECTED = ("placements", "ranking", "settlement", "total_only", "error")


def examples() -> Iterator[Any]:
    for card in core.load_cards():
        for example in card.examples:
            yield pytest.param(card, example, id=f"{card.key}: {example['text']['en']}")


def test_all_shipped_cards_load() -> None:
    assert {card.key for card in core.load_cards()} >= KEYS


@pytest.mark.parametrize(("card", "example"), list(examples()))
def test_worked_example_of_a_card_holds(card: core.Card, example: Mapping[str, Any]) -> None:
    assert set(example) <= {"text", "parameters", *GAME_KEYS, *EXPECTED}
    assert set(example) & set(EXPECTED)
    rules = core.read_ruleset({**card.parameters, **example.get("parameters", {})})
    game = core.read_game({key: example[key] for key in GAME_KEYS if key in example})
    if "error" in example:
        with pytest.raises(core.ScoringError) as caught:
            core.score(game, rules)
        assert caught.value.code == example["error"]
        return
    seats = core.score(game, rules).seats
    if "placements" in example:
        assert [seat.placement for seat in seats] == example["placements"]
    for ledger in core.Ledger:
        if ledger.value in example:
            assert [seat.points[ledger] for seat in seats] == [
                core.parse_points(points) for points in example[ledger.value]
            ]
    if "total_only" in example:
        assert [seat.total_only for seat in seats] == [core.parse_points(points) for points in example["total_only"]]


@pytest.mark.parametrize("card", core.load_cards(), ids=lambda card: card.key)
def test_card_has_examples_and_texts_in_both_languages(card: core.Card) -> None:
    assert card.status
    assert card.examples
    texts = [card.name, card.source, *card.open.values(), *card.unconfirmed.values()]
    texts += [example["text"] for example in card.examples]
    assert all(set(text) == {"ja", "en"} and all(text.values()) for text in texts)
    assert core.read_ruleset(json.loads(json.dumps(core.write_ruleset(card.ruleset)))) == card.ruleset
    for parameter in card.ruleset.missing:
        assert parameter in card.open or f"{parameter}_floating" in card.open


@pytest.mark.parametrize("card", core.load_cards(), ids=lambda card: card.key)
def test_open_parameters_of_a_card_have_remarks(card: core.Card) -> None:
    written = core.write_ruleset(card.ruleset)
    known = {field.name for field in fields(core.ScoringRules)}
    assert {path.split(".")[0] for path in (*card.open, *card.unconfirmed)} <= known
    assert set(card.ruleset.unset) <= set(card.open)
    for parameter in card.open:
        assert parameter not in written


def test_unknown_card_error_lists_known_cards() -> None:
    with pytest.raises(core.UnknownCardError, match="camarade"):
        core.load_card("nowhere")


def test_card_with_an_unknown_status_is_refused() -> None:
    text = 'name = {}\nsource = {}\nstatus = ["sure"]\n[ruleset]\nplayers = 4\n'
    with pytest.raises(core.RulesetError, match=r"x\.status"):
        core.read_card("x", text)
