"""Formats and tournament states on the command line."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tournaments.__main__ import main
from tournaments.core.facts import OtherPoints
from tournaments.core.plain_values import FactsError, read_facts, write_state
from tournaments.core.reading import format_keys, load_document, load_format, read_format
from tournaments.core.resolution import resolve

ROOT = Path(__file__).parents[2]


class Input(io.StringIO):
    @property
    def buffer(self) -> io.BytesIO:
        return io.BytesIO(self.getvalue().encode())


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any, str]:
    status = main(arguments)
    written = capsys.readouterr()
    return status, json.loads(written.out) if written.out else None, written.err


def resolve_facts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, facts: Any
) -> tuple[int, Any, str]:
    monkeypatch.setattr(sys, "stdin", Input(facts if isinstance(facts, str) else json.dumps(facts)))
    return run(capsys, "follow")


def test_formats_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    status, answer, _ = run(capsys, "formats")
    assert status == 0
    entrants = {each["key"]: each["entrants"] for each in answer["formats"]}
    assert tuple(entrants) == format_keys()
    assert entrants["elimination-4"] == [8, 16, 32, 64]
    assert entrants["cinderella"] == {"min": 16, "max": 16}


def test_document_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    _, answer, _ = run(capsys, "show", "elimination-4", "--entrants", "16")
    assert answer == load_document("elimination-4", 16)
    assert read_format("elimination-4", answer) == load_format("elimination-4", 16)
    status, _, error = run(capsys, "show", "x")
    assert (status, "there is no format 'x'" in error) == (2, True)


def test_file_is_checked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good = ROOT / "tournaments" / "formats" / "cinderella.toml"
    assert run(capsys, "check", str(good))[:2] == (0, {"problems": []})
    bad = tmp_path / "bad.toml"
    bad.write_text('name = "x"\nentrants = 8\ncolour = 1', "utf-8")
    status, answer, _ = run(capsys, "check", str(bad))
    assert status == 1
    assert [(each["path"], each["code"]) for each in answer["problems"]] == [
        ("stage", "incomplete"),
        ("colour", "unknown_key"),
    ]
    bad.write_bytes(b"\xff\xfe")
    assert run(capsys, "check", str(bad))[0] == 2
    assert run(capsys, "check", str(tmp_path / "none.toml"))[0] == 2


def test_facts_are_resolved(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    facts = {
        "format": "season",
        "players": ["a", {"player": "b", "seed": 3}],
        "played": {"season": {"a": [10, {"points": "-30", "total_only": "-40", "game": 7}], "b": ["5.5"]}},
        "after": {"season": 1},
    }
    status, answer, _ = resolve_facts(capsys, monkeypatch, facts)
    assert status == 0
    assert [(line["player"], line["points"]) for line in answer["stages"][0]["blocks"][0]["ranking"]] == [
        ("a", "10"),
        ("b", "5.5"),
    ]
    own = {"format": load_document("season") | {"name": "Own"}, "entrants": 20, "players": ["a"]}
    assert resolve_facts(capsys, monkeypatch, own)[0] == 0


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ("{", "no JSON"),
        ([], "a table is expected"),
        ({}, "format: the key"),
        ({"format": "cinderella", "entrants": "x"}, "entrants: a whole number"),
        ({"format": "cinderella", "entrants": 12}, "not played by 12"),
        ({"format": "season", "after": {"season": -1}}, "after: stages"),
        ({"format": "season", "played": {"x": {}}}, "there is no stage 'x'"),
        ({"format": "season", "colour": 1}, "colour: there is no such entry"),
    ],
)
def test_input_that_makes_no_sense(
    facts: Any, message: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    status, _, error = resolve_facts(capsys, monkeypatch, facts)
    assert status == 2
    assert message in error


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ([], "facts: a table"),
        ({"players": "a"}, "players: a list"),
        ({"players": [5]}, "players[0]: a table"),
        ({"players": [{"seed": 1}]}, "players[0].player: a name"),
        ({"players": [{"player": "a", "seed": "1"}]}, "players[0].seed"),
        ({"played": {"s": {"a": ["1 2"]}}}, "played.s.a[0]: '1 2' is no hanchan"),
        ({"played": {"s": {"a": ["1/x"]}}}, "'x' is not a whole number"),
        ({"played": {"s": {"a": ["x"]}}}, "not a number of points"),
        ({"played": {"s": {"a": [1.5]}}}, "not a number of points"),
        ({"played": {"s": {"a": 5}}}, "played.s: a list"),
        ({"withdrawals": [{"stage": "s", "player": "a", "substitute": ""}]}, "withdrawals[0].substitute: a name"),
        ({"orders": [{"stage": "s", "players": [1]}]}, "orders[0].players: a name"),
        ({"draws": {"s": {"A": "a"}}}, "draws.s.A: a list"),
    ],
)
def test_facts_that_cannot_be_read(facts: Any, message: str) -> None:
    with pytest.raises(FactsError) as caught:
        read_facts(facts)
    assert message in str(caught.value)


def test_facts_name_their_stages() -> None:
    facts = read_facts(
        {
            "played": {"a": {"x": ["-40/0"]}},
            "withdrawals": [{"stage": "b", "player": "x"}],
            "advances": [{"stage": "c", "to": "d", "players": ["x"]}],
            "orders": [{"stage": "a", "players": ["x"]}],
            "draws": {"e": {}},
        }
    )
    assert facts.stages() == ("a", "b", "c", "e")
    assert facts.results("a") == {"x": [OtherPoints(-40_000)]}


def test_course_tells_bonus_substitutes_and_what_is_not_approved() -> None:
    document = load_document("season") | {"entrants": 4}
    document["stage"].append(
        {"key": "final", "name": "F", "hanchan": 1, "from": [{"stage": "season", "ranks": "1-4", "bonus": 5}]}
    )
    facts = {
        "players": ["a", "b", "c", "d"],
        "played": {"season": {participant: ["0/40"] for participant in "abcd"}},
        "withdrawals": [{"stage": "season", "player": "a", "substitute": "x"}],
    }
    written = write_state(resolve(read_format("x", document), read_facts(facts)))
    seats = written["stages"][1]["players"]
    assert seats[0] == {
        "player": "x", "from": "season", "block": "", "rank": 1, "bonus": "5", "replaces": "a", "approved": False,
    }  # fmt: skip


def test_commands_need_nothing_but_python() -> None:
    command = [sys.executable, "-S", "-m", "tournaments", "formats"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, timeout=60)
    assert b"cinderella-2018" in finished.stdout
