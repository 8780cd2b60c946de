import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.utils.translation import override

from tests.conftest import ROOT
from tournaments.core import reading
from tournaments.core.format import Best, Block, Carry, Entrants, Format, Ranks, Sizes
from tournaments.core.length import Length, is_one_day, length_of
from tournaments.core.plain_values import KEYS, read_facts, write_state
from tournaments.core.problems import FAULTS, FormatError, FormatProblem, UnknownFormatError
from tournaments.core.resolution import resolve
from tournaments.core.state import TournamentState
from tournaments.messages.choosing import format_cards
from tournaments.messages.errors import fit_sentence, format_problem_sentence
from tournaments.messages.formats import describe_format
from tournaments.messages.titles import destination_label, source_labels

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
    found: list[dict[str, Any]] = reading.parse_toml((FORMATS / f"{key}.toml").read_text("utf-8")).get("example", [])
    return found


def examples() -> Iterator[Any]:
    for key in reading.format_keys():
        for example in load_examples(key):
            yield pytest.param(key, example, id=f"{key}: {example['text']['en']}")


def variants() -> Iterator[Any]:
    for key in reading.format_keys():
        for number in reading.entrant_choices(reading.load_document(key)) or (None,):
            yield pytest.param(reading.load_format(key, number), id=f"{key} {number or ''}".strip())


def test_all_shipped_formats_load() -> None:
    assert {format_.key for format_ in reading.load_formats()} == SHIPPED


@pytest.mark.parametrize(("key", "example"), list(examples()))
def test_worked_example_of_a_format_holds(key: str, example: Mapping[str, Any]) -> None:
    assert set(example) <= {"text", "entrants", "expected", *KEYS}
    assert set(example["expected"]) <= EXPECTED
    format_ = reading.load_format(key, example.get("entrants"))
    state = resolve(format_, read_facts({name: value for name, value in example.items() if name in KEYS}))
    for ranking in (ranking for each in state.stages for ranking in each.rankings if ranking.ahead):
        ranks = {each.participant: each.rank for each in state.final_ranks}
        assert all(line.rank == ranks[line.participant] for line in ranking.as_listed.lines)
    for what, expected in example["expected"].items():
        assert _found(state, what, expected) == expected, what
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


@pytest.mark.parametrize("key", reading.format_keys())
def test_format_has_examples_and_texts_in_both_languages(key: str) -> None:
    document = reading.load_document(key)
    assert load_examples(key)
    texts = [document["name"], document["about"], document["source"], *document["open"].values()]
    texts += [each["name"] for each in (*document.get("stage", ()), *document.get("outcome", ()))]
    texts += [example["text"] for example in load_examples(key)]
    assert all(set(text) == {"ja", "en"} and all(text.values()) for text in texts)


@pytest.mark.parametrize("format_", list(variants()))
@pytest.mark.parametrize("language", ["ja", "en"])
def test_format_is_described_in_both_languages(format_: Format, language: str) -> None:
    with override(language):
        paragraphs = describe_format(format_)
        sources = [source for to in format_.destinations() for source in to.sources]
        labels = [label for source in sources for label in source_labels(source, format_)]
        labels += [destination_label(to.key, format_) for to in format_.destinations()]
    assert [each.key for each in paragraphs] == ["", *(stage.key for stage in format_.stages), "open"]
    sentences = [sentence for each in paragraphs for sentence in each.sentences]
    assert all(each.sentences and each.title for each in paragraphs)
    assert not [text for text in (*sentences, *labels) if MIXED.search(text) or not text]
    japanese = re.compile(r"[぀-ヿ一-鿿]")
    assert not [text for text in sentences if bool(japanese.search(text)) != (language == "ja")]


def test_unsupported_number_of_players_is_refused() -> None:
    with pytest.raises(UnknownFormatError, match="there is no format 'x'; there are cinderella, "):
        reading.load_format("x")
    for key, number, known in (("elimination-4", 12, "8, 16, 32, 64"), ("swiss", 7, "8-200"), ("cinderella", 17, "16")):
        with pytest.raises(FormatError, match=known):
            reading.load_format(key, number)
    assert reading.load_format("swiss", 20) == reading.load_format("swiss")
    assert reading.load_format("elimination-4") == reading.load_format("elimination-4", 8)


@pytest.mark.parametrize(
    ("key", "number", "sentence"),
    [
        ("swiss", 7, "7 players: 1 short of the format's minimum of 8."),
        ("cinderella", 14, "14 players: 2 short of 16."),
        ("cinderella", 16, "16 players, 4 tables: ready to start."),
        ("swiss", 0, "8 to 200 players."),
        ("swiss", 17, "17 players: 1 sits out in each hanchan and gets 0 points for it. The lowest-ranked"),
        ("open-final-table", 18, "18 players: 2 sit out in each hanchan and get 0 points for it. Some play"),
        ("classes", 22, "22 players: 2 sit out in each hanchan and get 0 points for it. In class C, some play"),
        ("classes", 21, "21 players: 1 sits out in each hanchan and gets 0 points for it. Everyone in class C"),
        ("mleague", 10, "10 players, 2 tables: ready to start."),
        ({"seating": "fixed"}, 17, "17 players do not fill tables of 4."),
        ({"blocks": ["A", "B"], "seating": "balanced"}, 20, "20 players: 4 sit out in each hanchan and get 0 points"),
    ],
)
def test_entries_page_sentence_names_missing_players(key: Any, number: int, sentence: str) -> None:
    own = league(entrants={"min": 8, "max": 64})
    with override("en"):
        own["stage"][0] |= key if isinstance(key, dict) else {}
        format_ = reading.read_format("own", own) if isinstance(key, dict) else reading.load_format(key)
        assert fit_sentence(number, format_).startswith(sentence)


def test_cinderella_playoff_is_described() -> None:
    (playoff,) = [each for each in describe_format(reading.load_format("cinderella")) if each.key == "po1"]
    assert playoff.sentences[0] == "予選各ブロックの4位・5位(計4名)が進出します。"
    with override("en"):
        (playoff,) = [each for each in describe_format(reading.load_format("cinderella")) if each.key == "po1"]
    assert playoff.sentences == (
        "From each block of Qualifying: 4th and 5th (4 players in total).",
        "4 hanchan are played.",
        "Everyone starts at 0 points.",
        "The best 2 advance to Playoff 2.",
        "All others are eliminated.",
    )


Document = dict[str, Any]


def league(**changes: Any) -> Document:
    stage: Document = {"key": "league", "name": "League", "from": [{"entrants": "all"}], "hanchan": 4}
    return {"name": "League", "entrants": 8, "stage": [stage | {"seating": "fixed"}]} | changes


def stage(key: str, **fields: Any) -> Document:
    return {"key": key, "name": key, "hanchan": 2, "from": [{"stage": "league", "ranks": "1-4"}]} | fields


def with_final(**fields: Any) -> Document:
    document = league()
    document["stage"].append(stage("final") | fields)
    return document


def found(document: Any, entrants: int | None = None) -> list[tuple[str, str]]:
    with pytest.raises(FormatError) as caught:
        reading.read_format("x", document, entrants)
    for problem in caught.value.problems:
        assert str(problem) in str(caught.value)
        for language in ("ja", "en"):
            with override(language):
                assert "%(" not in format_problem_sentence(problem)
    return [(problem.code, problem.path) for problem in caught.value.problems]


PROBLEMS: list[Any] = [
    pytest.param({}, [("incomplete", "name"), ("incomplete", "entrants")], id="empty"),
    pytest.param([], [("not_a_table", "")], id="no table at all"),
    pytest.param({"name": "x", "entrants": 8}, [("incomplete", "stage")], id="no stages"),
    pytest.param(league(stage="x"), [("not_a_list", "stage"), ("incomplete", "stage")], id="stages are no list"),
    pytest.param(league(stage=["x"]), [("not_a_table", "stage[0]")], id="a stage is no table"),
    pytest.param(league(stage=[league()["stage"][0]] * 61), [("too_many", "stage")], id="too many stages"),
    pytest.param(league(colour=1), [("unknown_key", "colour")], id="unknown entry"),
    pytest.param(league(name=""), [("not_text", "name")], id="empty name"),
    pytest.param(league(name={"fr": "x"}), [("not_names", "name")], id="a name in another language"),
    pytest.param(league(entrants="8"), [("not_whole", "entrants")], id="entrants as text"),
    pytest.param(league(entrants=1), [("out_of_range", "entrants")], id="one player"),
    pytest.param(league(entrants={"min": 8}), [("not_entrants", "entrants")], id="a range without an end"),
    pytest.param(league(entrants=[]), [("not_entrants", "entrants")], id="nothing to choose from"),
    pytest.param(league(entrants={"min": 9, "max": 8}), [("entrants_reversed", "entrants")], id="min above max"),
    pytest.param(league(ruleset="house"), [("not_a_choice", "ruleset")], id="unknown rules"),
    pytest.param(league(table_size=5), [("out_of_range", "table_size")], id="tables of five"),
    pytest.param(league(defaults=[]), [("not_a_table", "defaults")], id="defaults are no table"),
    pytest.param(league(defaults={"key": "x"}), [("unknown_key", "defaults.key")], id="no default"),
    pytest.param(league(defaults={"tiebreak": ["age"]}), [("not_a_choice", "defaults.tiebreak")], id="default tie-break"),
    pytest.param(league(order="x"), [("not_a_list", "order")], id="order is no list"),
    pytest.param(league(order=["x", "league"]), [("unknown_stage", "order[0]")], id="order of unknown stages"),
    pytest.param(league(order=["league", "league"]), [("twice", "order[1]")], id="order with a stage twice"),
    pytest.param(with_final() | {"order": ["final"]}, [("order_incomplete", "order")], id="order without a stage"),
    pytest.param(league(open={"x": 5}), [("not_names", "open.x")], id="a remark that is none"),
    pytest.param(league(outcome=[5]), [("not_a_table", "outcome[0]")], id="an outcome is no table"),
    pytest.param(with_final(key="Final!"), [("not_a_key", "stage.Final!.key")], id="a key with signs"),
    pytest.param(with_final(key=None), [("incomplete", "stage[1].key")], id="a stage without a key"),
    pytest.param(
        league(outcome=[{"key": "league", "name": "x", "from": [{"stage": "league", "ranks": 1}]}]),
        [("twice", "outcome.league.key")],
        id="a key used twice",
    ),
    pytest.param(with_final(hanchan=None), [("incomplete", "stage.final.hanchan")], id="no hanchan"),
    pytest.param(with_final(hanchan=0), [("out_of_range", "stage.final.hanchan")], id="no hanchan at all"),
    pytest.param(with_final(hanchan=True), [("not_whole", "stage.final.hanchan")], id="hanchan true"),
    pytest.param(with_final(sessions=0), [("out_of_range", "stage.final.sessions")], id="no sessions"),
    pytest.param(with_final(seating="round"), [("not_a_choice", "stage.final.seating")], id="unknown seating"),
    pytest.param(with_final(tiebreak="seed"), [("not_a_list", "stage.final.tiebreak")], id="tie-breaks are no list"),
    pytest.param(with_final(fill="x"), [("not_a_choice", "stage.final.fill")], id="unknown fill"),
    pytest.param(with_final(rank_by="x"), [("not_a_choice", "stage.final.rank_by")], id="unknown ranking"),
    pytest.param(with_final(ruleset=5), [("not_a_choice", "stage.final.ruleset")], id="unknown rules of a stage"),
    pytest.param(with_final(blocks=[]), [("not_blocks", "stage.final.blocks")], id="no blocks"),
    pytest.param(with_final(blocks={"A B": 4}), [("not_a_key", "stage.final.blocks")], id="a block with a space"),
    pytest.param(with_final(blocks=["A", "A"]), [("twice", "stage.final.blocks")], id="a block twice"),
    pytest.param(with_final(blocks={"A": 5}), [("sizes", "stage.final.blocks")],
                 id="room for more than come"),
    pytest.param(with_final(carry=5), [("not_a_table", "stage.final.carry")], id="carry is no table"),
    pytest.param(with_final(carry={}), [("incomplete", "stage.final.carry.from")], id="carry from nowhere"),
    pytest.param(with_final(carry={"from": "final"}), [("not_an_ancestor", "stage.final.carry.from")], id="carry from itself"),
    pytest.param(with_final(carry={"from": "league", "factor": "3/2"}), [("not_a_factor", "stage.final.carry.factor")],
                 id="more than all"),
    pytest.param(with_final(carry={"from": "league", "unit": 0}), [("out_of_range", "stage.final.carry.unit")], id="unit 0"),
    pytest.param(with_final(fill="bracket", blocks=1, **{"from": [{"stage": "league", "ranks": "1-3"},
                 {"stage": "league", "rank": 4, "best": 1}]}), [("no_bracket", "stage.final.fill")], id="a bracket with wild cards"),
    pytest.param(league(knockout={}), [("stages_and_knockout", "knockout")], id="stages and a knock-out"),
    pytest.param({"name": "x", "entrants": 8, "knockout": 5}, [("not_a_table", "knockout")], id="a knock-out is no table"),
    pytest.param({"name": "x", "entrants": {"min": 8, "max": 9}, "knockout": {}}, [("open_knockout", "entrants")],
                 id="a knock-out of any size"),
    pytest.param({"name": "x", "entrants": 12, "knockout": {"hanchan": 1}}, [("no_knockout", "knockout")],
                 id="a knock-out of twelve"),
    pytest.param({"name": "x", "entrants": 16, "knockout": {"advance": "2"}}, [("no_knockout", "knockout")],
                 id="a knock-out with text"),
    pytest.param({"name": "x", "entrants": 8, "knockout": {"hanchan": 1, "final": 5}},
                 [("not_a_table", "knockout.final")], id="a final that is no table"),
]  # fmt: skip


@pytest.mark.parametrize(("document", "expected"), PROBLEMS)
def test_invalid_format_reports_its_fault(document: Any, expected: list[tuple[str, str]]) -> None:
    assert set(expected) <= set(found(document))


@pytest.mark.parametrize(
    ("sources", "code", "place"),
    [
        pytest.param([], "incomplete", "", id="from nowhere"),
        pytest.param("league", "not_a_list", "", id="from is no list"),
        pytest.param([5], "not_a_table", "[0]", id="a source is no table"),
        pytest.param([{"rank": 1}], "not_a_source", "[0]", id="no source"),
        pytest.param([{"entrants": 4}], "not_a_choice", "[0].entrants", id="some entrants"),
        pytest.param([{"seeds": "a"}], "not_ranks", "[0].seeds", id="no seeds"),
        pytest.param([{"stage": "league", "ranks": "4-1"}], "not_ranks", "[0].ranks", id="ranks backwards"),
        pytest.param([{"stage": "league"}], "incomplete", "[0].ranks", id="a stage without ranks"),
        pytest.param([{"stage": "league", "ranks": "1-4", "bonus": "x"}], "not_points", "[0].bonus", id="a bonus that is no number"),
        pytest.param([{"stage": "league", "ranks": "1-4", "bonus": 99999}], "out_of_range", "[0].bonus", id="a huge bonus"),
        pytest.param([{"stage": "x", "ranks": "1-4"}], "unknown_stage", "[0].stage", id="from an unknown stage"),
        pytest.param([{"stage": "final", "ranks": "1-4"}], "later_stage", "[0].stage", id="a circle"),
        pytest.param([{"stage": "league", "ranks": "1-4", "block": "B"}], "unknown_block", "[0].block", id="from an unknown block"),
        pytest.param([{"stage": "league", "ranks": "6-9"}], "rank_too_low", "[0]", id="rank below the block"),
        pytest.param([{"stage": "league", "ranks": "1-3"}, {"stage": "league", "rank": 3, "best": 1}], "places_used_twice", "[1]", id="a rank used twice"),
        pytest.param([{"stage": "league", "ranks": "1-2"}, {"stage": "league", "rank": 3, "best": 2}], "too_many_best", "[1].best", id="more wild cards than blocks"),
        pytest.param([{"entrants": "all"}], "seed_used_twice", "[0]", id="everybody twice"),
    ],
)  # fmt: skip
def test_invalid_source_reports_its_fault(sources: Any, code: str, place: str) -> None:
    assert (code, f"stage.final.from{place}") in found(with_final(**{"from": sources}))


@pytest.mark.parametrize(
    ("seeds", "expected"),
    [
        pytest.param(["1-4", "4-8"], "seed_used_twice", id="a seed in two stages"),
        pytest.param(["1-4", "6-8"], "seed_unused", id="a seed that plays nowhere"),
        pytest.param(["1-4", "5-7"], "seed_unused", id="the last seed plays nowhere"),
        pytest.param(["1-4", "5-9"], "seed_too_low", id="a seed beyond the last"),
    ],
)
def test_seeds_must_play_in_exactly_one_stage(seeds: list[str], expected: str) -> None:
    stages = [stage(f"s{number}", **{"from": [{"seeds": each}]}) for number, each in enumerate(seeds)]
    assert expected in [code for code, _ in found(league(stage=stages))]


def test_title_is_decided_in_a_final_only() -> None:
    format_ = reading.load_format("cinderella")
    titles = {stage.key: format_.title_of(stage.key) for stage in format_.stages}
    assert [stage for stage, title in titles.items() if title] == [format_.stages[-1].key]


def test_block_sizes_that_do_not_fit_are_reported() -> None:
    assert ("two_rests", "stage.final.blocks") in found(with_final(blocks={"A": 4, "B": "rest", "C": "rest"}))
    assert ("uneven_blocks", "stage.final.blocks") in found(with_final(blocks=3))
    assert ("too_few", "stage.final.blocks") in found(with_final(**{"from": [{"stage": "league", "ranks": "1-3"}]}))
    seven = league(entrants=7)
    assert found(seven) == [("tables_not_full", "stage.league.blocks")]
    seven["stage"][0]["seating"] = "balanced"
    assert reading.read_format("x", seven).stage("league").blocks == (Block("", 7),)


def test_all_faults_are_reported_together() -> None:
    document = with_final(tiebreak=["age"], seating="x")
    document["stage"][0]["sessions"] = 0
    document["stage"][1]["from"][0]["stage"] = "x"
    assert [path for _, path in found(document)] == [
        "stage.league.sessions", "stage.final.seating", "stage.final.tiebreak", "stage.final.from[0].stage",
    ]  # fmt: skip


def test_every_problem_has_a_sentence_in_both_languages() -> None:
    values = dict.fromkeys(
        ("line", "choices", "value", "most", "low", "high", "number", "table", "advance", "key", "stage", "block", "size",
         "rank", "where", "first", "seed", "entrants", "blocks", "count", "room", "places", "seating"), "1",
    )  # fmt: skip
    for code in FAULTS:
        problem = FormatProblem(code, "stage.x", values)
        with override("en"):
            english = format_problem_sentence(problem)
        with override("ja"):
            assert format_problem_sentence(problem) != english
            assert format_problem_sentence(FormatProblem(code, "", values))
        assert str(problem).startswith("stage.x: ")
    with override("en"):
        assert len(format_problem_sentence(FormatProblem("not_whole", "x", {"value": "9" * 500}))) < 150


def test_format_notation_is_read() -> None:
    document = {
        "name": {"ja": "大会"},
        "entrants": {"min": 12, "max": 40},
        "table_size": 3,
        "stage": [
            stage("first", blocks={"A": 6, "B": "rest"}, **{"from": [{"seeds": "1-8", "bonus": "20.5"}, {"seeds": "9-"}]}),
            stage("second", carry={"from": "first", "factor": "1/2"},
                  **{"from": [{"stage": "first", "ranks": 1, "block": "A"}, {"stage": "first", "ranks": "3-", "block": "B"}]}),
            stage("third", carry={"from": "first"}, blocks=["X", "Y"],
                  **{"from": [{"stage": "first", "ranks": "2"}, {"stage": "second", "rank": 1, "best": 1, "bonus": -3},
                              {"stage": "first", "ranks": "3-5", "block": "A"}]}),
        ],
    }  # fmt: skip
    format_ = reading.read_format("x", document)
    first, second, third = format_.stages
    assert format_.name == {"ja": "大会", "en": "大会"}
    assert format_.entrants == Sizes(12, 40)
    assert first.sources == (Entrants(1, 8, 20_500), Entrants(9, None))
    assert first.blocks == (Block("A", 6), Block("B", None))
    assert second.sources == (Ranks("first", 1, 1, "A"), Ranks("first", 3, None, "B"))
    assert second.blocks == (Block("", None),)
    assert third.sources[1] == Best("second", 1, 1, -3000)
    assert third.blocks == (Block("X", 3), Block("Y", 3))
    assert third.carry == Carry("first", unit=1)
    assert second.carry is not None
    assert [second.carry.of(points) for points in (100, -100, 300, 1234)] == [100, 0, 200, 600]


def test_knockout_is_expanded_to_stages() -> None:
    keys = {
        number: [each["key"] for each in reading.load_document("elimination-4", number)["stage"]]
        for number in (8, 16, 32, 64)
    }
    assert keys == {
        8: ["semi-final", "final"],
        16: ["round-1", "semi-final", "final"],
        32: ["round-1", "quarter-final", "semi-final", "final"],
        64: ["round-1", "round-2", "quarter-final", "semi-final", "final"],
    }
    one = {"name": "x", "entrants": 16, "knockout": {"advance": 1, "hanchan": 1}}
    assert reading.read_format("x", one).stages[1].sources == (Ranks("semi-final", 1, 1),)
    table = {"name": "x", "entrants": 4, "knockout": {"hanchan": 1}}
    assert [each.key for each in reading.read_format("x", table).stages] == ["final"]


def test_format_document_for_a_number_of_players() -> None:
    document = reading.load_document("elimination-4")
    assert reading.entrant_choices(document) == (8, 16, 32, 64)
    assert reading.entrant_choices(reading.load_document("cinderella")) == ()
    assert reading.document_for(document, 16)["entrants"] == 16
    assert reading.read_format("x", document, 16) == reading.read_format("x", reading.document_for(document, 16))
    with pytest.raises(FormatError, match="played by 12"):
        reading.document_for(document, 12)
    assert found(league(entrants="x"), 8) == [("not_whole", "entrants")]
    assert found(league(entrants={"min": 8, "max": 12}), 13) == [("wrong_entrants", "entrants")]


def test_toml_is_read_as_plain_values() -> None:
    document = reading.parse_toml('name = "x"\nbonus = 20.50\nday = 2026-11-21\nlist = [1.5, true]')
    assert document == {"name": "x", "bonus": "20.50", "day": "2026-11-21", "list": ["1.5", True]}
    assert json.loads(json.dumps(document)) == document


@pytest.mark.parametrize(
    ("text", "code"),
    [("name = ", "not_toml"), ("x" * (reading.MAX_FILE_LENGTH + 1), "too_long"), ("[" * 3000, "not_toml")],
)
def test_invalid_format_text_is_refused(text: str, code: str) -> None:
    with pytest.raises(FormatError) as caught:
        reading.parse_toml(text)
    assert [problem.code for problem in caught.value.problems] == [code]


@pytest.mark.parametrize(
    ("people", "time", "keys"),
    [
        (None, "", "swiss elimination-4 open-final-table season"),
        (24, "", "swiss open-final-table season cinderella-2018 classes"),
        (24, "day", "swiss open-final-table season"),
        (24, "days", "open-final-table season cinderella-2018 classes"),
        (8, "evening", "swiss elimination-4 open-final-table season cinderella-system"),
        (11, "evening", "swiss open-final-table season"),
        (3, "day", ""),
    ],
)
def test_formats_are_proposed_for_people_and_time(people: int | None, time: str, keys: str) -> None:
    cards = list(format_cards(people, time, {}))
    assert {card.format.key for card in cards} == SHIPPED
    assert " ".join(card.format.key for card in cards if card.suits) == keys


@pytest.mark.parametrize(
    ("key", "length"),
    [
        ("open-final-table", Length(rounds=10, sessions=3, fewest=10, most=10)),
        ("cinderella", Length(rounds=24, sessions=6, fewest=8, most=24)),
        ("mleague", Length(rounds=196, sessions=98, fewest=120, most=156)),
    ],
)
def test_length_of_a_format_counts_byes_and_those_eliminated(key: str, length: Length) -> None:
    assert length_of(reading.load_format(key)) == length
    assert not is_one_day(reading.load_format(key))


def test_own_format_starts_from_a_complete_example() -> None:
    text = reading.starting_text()
    assert "example" not in text
    assert tomllib.loads(text) == reading.load_document("open-final-table")
