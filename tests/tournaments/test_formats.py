"""The included formats: complete, described in words, with correct worked examples."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.utils.translation import override

from tests.conftest import ROOT
from tournaments.core.format import Format
from tournaments.core.plain_values import KEYS, read_facts, write_state
from tournaments.core.problems import FormatError, UnknownFormatError
from tournaments.core.reading import (
    entrant_choices,
    format_keys,
    load_document,
    load_format,
    load_formats,
    parse_toml,
    read_format,
)
from tournaments.core.resolution import resolve
from tournaments.core.state import TournamentState
from tournaments.messages.errors import fit_sentence
from tournaments.messages.formats import describe_format
from tournaments.messages.titles import destination_label, place_labels

FORMATS = ROOT / "tournaments" / "formats"

SHIPPED = {
    "cinderella", "cinderella-2018", "cinderella-system", "mleague", "open-final-table", "swiss", "elimination-4",
    "classes", "season",
}  # fmt: skip

EXPECTED = {
    "ranking", "ranks", "points", "reasons", "plays", "proposals", "arrivals", "placings", "states", "flags", "level",
}  # fmt: skip

MIXED = re.compile(r"%\(|\{|None|  ")
"""Parts of a sentence with a missing value."""


def load_examples(key: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = parse_toml((FORMATS / f"{key}.toml").read_text("utf-8")).get("example", [])
    return found


def examples() -> Iterator[Any]:
    for key in format_keys():
        for example in load_examples(key):
            yield pytest.param(key, example, id=f"{key}: {example['text']['en']}")


def variants() -> Iterator[Any]:
    for key in format_keys():
        for number in entrant_choices(load_document(key)) or (None,):
            yield pytest.param(load_format(key, number), id=f"{key} {number or ''}".strip())


def test_all_shipped_formats_load() -> None:
    assert {format_.key for format_ in load_formats()} == SHIPPED


@pytest.mark.parametrize(("key", "example"), list(examples()))
def test_worked_example_of_a_format_holds(key: str, example: Mapping[str, Any]) -> None:
    assert set(example) <= {"text", "entrants", "expected", *KEYS}
    assert set(example["expected"]) <= EXPECTED
    format_ = load_format(key, example.get("entrants"))
    facts = read_facts({name: value for name, value in example.items() if name in KEYS})
    state = resolve(format_, facts)
    for what, expected in example["expected"].items():
        found = _found(state, what, expected)
        assert found == expected, what
    assert json.loads(json.dumps(write_state(state)))["format"] == key


def _found(state: TournamentState, what: str, expected: Any) -> Any:
    written = write_state(state)
    stages = {stage["stage"]: stage for stage in written["stages"]}
    blocks = {
        f"{stage['stage']} {block['block']}".strip(): block["ranking"]
        for stage in written["stages"]
        for block in stage["blocks"]
    }
    ways = {f"{stage['stage']} > {way['to']}": way for stage in written["stages"] for way in stage["ways"]}
    placings = {table_and_time["player"]: table_and_time["rank"] for table_and_time in written["placings"]}
    reasons = {
        key: {line["player"]: line["decided_by"] for block in stage["blocks"] for line in block["ranking"]}
        for key, stage in stages.items()
    }
    found: dict[str, Any] = {
        "ranking": {key: [line["player"] for line in lines] for key, lines in blocks.items()},
        "ranks": {key: [line["rank"] for line in lines] for key, lines in blocks.items()},
        "points": {key: [line["points"] for line in lines] for key, lines in blocks.items()},
        "plays": {key: [seat["player"] for seat in stage["players"]] for key, stage in stages.items()},
        "states": {key: stage["state"] for key, stage in stages.items()},
        "proposals": {key: way["proposed"] for key, way in ways.items()},
        "level": {key: way["level"] for key, way in ways.items()},
        "flags": [key for key, way in ways.items() if way["flagged"]],
        "arrivals": written["arrivals"],
        "placings": placings,
        "reasons": {
            key: {participant: reasons[key][participant] for participant in expected.get(key, ())} for key in reasons
        }
        if what == "reasons"
        else {},
    }[what]
    return {key: found[key] for key in expected} if isinstance(expected, dict) else found


@pytest.mark.parametrize("key", format_keys())
def test_format_has_examples_and_texts_in_both_languages(key: str) -> None:
    document = load_document(key)
    assert load_examples(key)
    texts = [document["name"], document["source"], *document["open"].values()]
    texts += [each["name"] for each in (*document.get("stage", ()), *document.get("outcome", ()))]
    texts += [example["text"] for example in load_examples(key)]
    assert all(set(text) == {"ja", "en"} and all(text.values()) for text in texts)


@pytest.mark.parametrize("format_", list(variants()))
@pytest.mark.parametrize("language", ["ja", "en"])
def test_format_is_described_in_both_languages(format_: Format, language: str) -> None:
    with override(language):
        paragraphs = describe_format(format_)
        labels = [label for to in format_.destinations() for label in place_labels(to, format_)]
        labels += [destination_label(to.key, format_) for to in format_.destinations()]
    assert [each.key for each in paragraphs] == ["", *(stage.key for stage in format_.stages), "open"]
    sentences = [sentence for each in paragraphs for sentence in each.sentences]
    assert all(each.sentences and each.title for each in paragraphs)
    assert not [text for text in (*sentences, *labels) if MIXED.search(text) or not text]
    japanese = re.compile(r"[぀-ヿ一-鿿]")
    wrong = [text for text in sentences if bool(japanese.search(text)) != (language == "ja")]
    assert not wrong


@pytest.mark.parametrize("key", format_keys())
def test_format_document_survives_json(key: str) -> None:
    document = load_document(key)
    for number in entrant_choices(document) or (None,):
        kept = json.loads(json.dumps(load_document(key, number)))
        assert read_format(key, kept) == load_format(key, number)
        assert "example" not in kept


def test_unsupported_number_of_players_is_refused() -> None:
    with pytest.raises(UnknownFormatError, match="there is no format 'x'; there are cinderella, "):
        load_format("x")
    for key, number, known in (("elimination-4", 12, "8, 16, 32, 64"), ("swiss", 7, "8-200"), ("cinderella", 17, "16")):
        with pytest.raises(FormatError, match=known):
            load_format(key, number)
    assert load_format("swiss", 20) == load_format("swiss")
    assert load_format("elimination-4") == load_format("elimination-4", 8)


@pytest.mark.parametrize(
    ("key", "number", "sentence"),
    [
        ("cinderella", 14, "14 players: 2 short of 16."),
        ("cinderella", 16, "16 players: the draw can take place."),
        ("swiss", 0, "0 players: 8 short of the format's minimum of 8."),
        ("swiss", 18, "18 players do not fill tables of 4. Add 2"),
    ],
)
def test_entries_page_sentence_names_missing_players(key: str, number: int, sentence: str) -> None:
    with override("en"):
        assert fit_sentence(number, load_format(key)).startswith(sentence)


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        (
            "en",
            (
                "From each block of Qualifying: 4th and 5th (4 players in total).",
                "Everyone plays 4 hanchan.",
                "Everyone starts at 0 points.",
                "The best 2 advance to Playoff 2.",
                "All others are eliminated.",
            ),
        ),
        (
            "ja",
            (
                "予選各ブロックの4位・5位(計4名)が進出します。",
                "4半荘を行います。",
                "ポイントはリセットし、0から始めます。",
                "上位2名がプレーオフ2へ進みます。",
                "それ以外の選手はここで敗退です。",
            ),
        ),
    ],
)
def test_cinderella_playoff_is_described(language: str, expected: tuple[str, ...]) -> None:
    with override(language):
        sentences = {each.key: each.sentences for each in describe_format(load_format("cinderella"))}
    assert sentences["po1"] == expected
