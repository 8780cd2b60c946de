import io
import json
import os
import subprocess
import sys
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from scoring.core import InputError
from tests.conftest import ROOT
from tests.tournaments import seating_counts as truth
from tests.tournaments.test_needs import A_HAND
from tournaments.__main__ import main
from tournaments.core.facts import OtherPoints
from tournaments.core.plain_values import read_facts, write_state
from tournaments.core.reading import format_keys, load_document, load_format, read_format
from tournaments.core.resolution import resolve

COMMAND = [sys.executable, "-S", "-m", "tournaments"]


class Run:
    def __init__(self, capture: pytest.CaptureFixture[bytes], folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.capture, self.folder, self.patch = capture, folder, patch

    def file(self, content: Any) -> str:
        path = self.folder / f"{len(list(self.folder.iterdir()))}.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return str(path)

    def __call__(self, *arguments: str | int | Path, typed: Any = None) -> tuple[int, Any, str]:
        content = typed if isinstance(typed, bytes) else json.dumps(typed).encode()
        self.patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        status = main([*map(str, arguments)])
        written = self.capture.readouterr()
        return status, json.loads(written.out) if written.out else None, written.err.decode()

    def seat(self, *arguments: str | int) -> Any:
        return self("seat", *arguments)[1]


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return Run(capsysbinary, tmp_path, monkeypatch)


def test_seat_command_runs_without_third_party_packages() -> None:
    command = [*COMMAND, "seat", "--players", "16", "--rounds", "5"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    answer = json.loads(done.stdout)
    assert list(answer) == ["players", "rounds", "quality"]
    assert answer["players"] == 16
    assert not truth.faults(answer["rounds"], 16)
    assert truth.histogram(answer["rounds"], 16) == {1: 120}
    assert answer["quality"]["sum_of_squares"] == answer["quality"]["bound"] == 120
    assert answer["quality"]["seed"] == 1


def test_file_name_with_invalid_bytes_is_refused() -> None:
    command: list[str | bytes] = [*COMMAND, "seat", "--players=8", "--rounds=2", b"--apart=\xff"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr


def test_seat_command_supports_byes_and_tables_of_three(run: Run) -> None:
    answer = run.seat("--players", 9, "--rounds", 9)
    assert list(answer) == ["players", "rounds", "byes", "quality"]
    assert sorted(answer["byes"]) == [[player] for player in range(9)]
    assert answer["quality"]["byes"] == [1, 1]
    assert truth.histogram(run.seat("--players", 9, "--rounds", 4, "--table-size", 3)["rounds"], 9) == {1: 36}


def test_wishes_are_read_from_files(run: Run) -> None:
    apart, clubs = run.file([[0, 1], [2, 3, 4]]), run.file([[5, 6], [7, 8, 9]])
    answer = run.seat("--players", 24, "--rounds", 5, "--apart", apart, "--groups", clubs)
    met = truth.pair_counts(answer["rounds"])
    assert not [pair for pair in [(0, 1), (2, 3), (2, 4), (3, 4), (5, 6), (7, 8), (7, 9), (8, 9)] if met[pair]]
    assert answer["quality"]["is_optimal"]
    assert run.seat("--players", 9, "--rounds", 2, "--absent", run.file([4]))["byes"] == [[4], [4]]
    answer = run.seat("--players", 8, "--rounds", 3, "--together", run.file([[0, 1]]))
    assert answer["quality"]["together"] == [[0, 1, 3]]


def test_history_accepts_rounds_or_earlier_output(run: Run) -> None:
    first = run.seat("--players", 32, "--rounds", 4)
    second = run.seat("--players", 32, "--rounds", 1, "--history", run.file(first))
    assert second == run.seat("--players", 32, "--rounds", 1, "--history", run.file(first["rounds"]))
    assert truth.repeats(first["rounds"] + second["rounds"]) == 0


def test_sessions_option_keeps_tables_together(run: Run) -> None:
    answer = run.seat("--players", 8, "--sessions", 2)
    assert truth.histogram(answer["rounds"], 8) == {0: 8, 1: 16, 2: 4}
    assert [len(session) for session in answer["hanchan"]] == [4, 4]
    assert [session[0] for session in answer["hanchan"]] == answer["rounds"]
    assert truth.blocks_lacking_a_wind([tables for session in answer["hanchan"] for tables in session], 8) == 0
    assert len(run.seat("--players", 8, "--sessions", 1, "--rounds", 6)["hanchan"][0]) == 6


def test_swiss_option_seats_a_round_by_standings(run: Run) -> None:
    answer = run.seat("--players", 8, "--swiss", run.file([5, 2, 7, 0, 1, 3, 6, 4]))
    assert [sorted(table) for table in answer["rounds"][0]] == [[0, 2, 5, 7], [1, 3, 4, 6]]
    assert answer["quality"]["method"] == "swiss"


NOTHING = "/nowhere/pairs.json"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ("--players 8", "The following arguments are required: --rounds."),
        ("--rounds 8", "The following arguments are required: --players."),
        ("--players eight --rounds 2", "Argument --players: invalid int value: 'eight'."),
        ("--players 3 --rounds 2", "From 4 to 400 players can be seated, not 3."),
        ("--players 8 --sessions 0", "From 1 to 60 rounds can be seated, not 0."),
        ("--players 8 --sessions 2 --rounds 99", "A session has from 1 to 40 hanchan, not 99."),
        (f"--players 8 --rounds 2 --apart {NOTHING}", f"{NOTHING}: cannot be read: No such file or directory."),
        ("--players 8 --rounds 2 --apart /", "/: cannot be read: Is a directory."),
        ("--players 8 --rounds 2 --colour red", "Unrecognized arguments: --colour red."),
    ],
)
def test_invalid_seat_arguments_are_refused(run: Run, arguments: str, complaint: str) -> None:
    assert run("seat", *arguments.split()) == (2, None, f"{complaint}\n")


@pytest.mark.merge
@pytest.mark.parametrize(
    ("option", "content", "complaint"),
    [
        ("--apart", [[0, 8]], "apart: there is no player 8; players are numbered from 0 to 7."),
        ("--apart", [[0]], "two or more different players are expected in each list."),
        ("--apart", {"0": 1}, "a list of lists of players is expected."),
        ("--apart", [0, 1], "players are whole numbers in a list."),
        ("--apart", [[0, True]], "players are whole numbers in a list."),
        ("--apart", [[0, 1], [0, 2], [1, 2]], "players 0 and 1 still meet."),
        ("--apart", b"[[0, 1]", "this is not valid JSON:"),
        ("--apart", b"\xff\xfe\x00", "this is not valid JSON:"),
        ("--apart", b"[" * 100_000, "this is not valid JSON:"),
        ("--history", [[0, 1, 2, 3]], "players are whole numbers in a list."),
        ("--history", {"tables": []}, "a list of rounds, each a list of tables, is expected."),
        ("--swiss", [0, 1, 2, 3, 8], "the standing lists players from 0 to 7."),
        ("--swiss", [0, 1, 1, 2], "Every player appears once in the order, as a number from 0."),
    ],
)
def test_invalid_seat_files_are_refused(run: Run, option: str, content: Any, complaint: str) -> None:
    status, answer, said = run("seat", "--players", 8, "--rounds", 2, option, run.file(content))
    assert (status, answer) == (2, None)
    assert complaint in said
    assert said.count("\n") == 1


def test_swiss_option_refuses_wishes(run: Run) -> None:
    standing, apart = run.file(list(range(8))), run.file([[0, 1]])
    assert "does not support wishes" in run("seat", "--players", 8, "--swiss", standing, "--apart", apart)[2]


def test_formats_are_listed_and_shown(run: Run) -> None:
    entrants = {each["key"]: each["entrants"] for each in run("formats")[1]["formats"]}
    assert tuple(entrants) == format_keys()
    assert entrants["elimination-4"] == [8, 16, 32, 64]
    assert entrants["cinderella"] == {"min": 16, "max": 16}
    answer = run("show", "elimination-4", "--entrants", "16")[1]
    assert answer == load_document("elimination-4", 16)
    assert read_format("elimination-4", answer) == load_format("elimination-4", 16)
    status, _, error = run("show", "x")
    assert (status, "there is no format 'x'" in error) == (2, True)


def test_check_command_lists_problems_of_a_format(run: Run, tmp_path: Path) -> None:
    assert run("check", ROOT / "tournaments/formats/cinderella.toml")[:2] == (0, {"problems": []})
    status, answer, _ = run("check", run.file(b'name = "x"\nentrants = 8\ncolour = 1'))
    assert status == 1
    faults = [(each["path"], each["code"]) for each in answer["problems"]]
    assert faults == [("stage", "incomplete"), ("colour", "unknown_key")]
    assert run("check", run.file(b"\xff\xfe"))[0] == 2
    assert run("check", tmp_path / "none.toml")[0] == 2


def test_follow_command_ranks_players(run: Run) -> None:
    facts = {
        "format": "season",
        "players": ["a", {"player": "b", "seed": 3}],
        "played": {"season": {"a": [10, {"points": "-30", "total_only": "-40", "game": 7}], "b": ["5.5"]}},
        "after": {"season": 1},
    }
    status, answer, _ = run("follow", typed=facts)
    assert status == 0
    ranking = answer["stages"][0]["blocks"][0]["ranking"]
    assert [(line["player"], line["points"]) for line in ranking] == [("a", "10"), ("b", "5.5")]
    own = {"format": load_document("season") | {"name": "Own"}, "entrants": 20, "players": ["a"]}
    assert run("follow", typed=own)[0] == 0


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        (b"{", "not valid JSON"),
        ([], "a table is expected"),
        ({}, "format: the key"),
        ({"format": "cinderella", "entrants": "x"}, "entrants: 'x' is not a whole number"),
        ({"format": "cinderella", "entrants": 12}, "played by 12"),
        ({"format": "season", "after": {"season": -1}}, "after: stages"),
        ({"format": "season", "played": {"x": {}}}, "there is no stage 'x'"),
        ({"format": "season", "withdrawals": [{"stage": "x", "player": "a"}]}, "there is no stage 'x'"),
        ({"format": "season", "colour": 1}, "colour: there is no such key"),
    ],
)
def test_invalid_facts_are_refused_by_the_follow_command(run: Run, facts: Any, message: str) -> None:
    status, _, error = run("follow", typed=facts)
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
        ({"played": {"s": {"a": ["1 2"]}}}, "played.s.a[0]: '1 2' is not a hanchan"),
        ({"played": {"s": {"a": ["1/x"]}}}, "'x' is not a whole number"),
        ({"played": {"s": {"a": ["x"]}}}, "not a number of points"),
        ({"played": {"s": {"a": [1.5]}}}, "not a number of points"),
        ({"played": {"s": {"a": 5}}}, "played.s: a list"),
        ({"withdrawals": [{"stage": "s", "player": "a", "substitute": ""}]}, "withdrawals[0].substitute: a name"),
        ({"orders": [{"stage": "s", "players": [1]}]}, "orders[0].players: a list of names"),
        ({"draws": {"s": {"A": "a"}}}, "draws.s.A: a list"),
    ],
)
def test_error_for_invalid_facts_names_the_faulty_key(facts: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_facts(facts)
    assert message in str(caught.value)


def test_written_state_lists_bonus_substitutes_and_pending_approvals() -> None:
    document = load_document("season") | {"entrants": 4}
    source = {"stage": "season", "ranks": "1-4", "bonus": 5}
    document["stage"].append({"key": "final", "name": "F", "hanchan": 1, "from": [source]})
    facts = read_facts(
        {
            "players": ["a", "b", "c", "d"],
            "played": {"season": {**{participant: ["0/40"] for participant in "abc"}, "d": ["0/40", "-40/0"]}},
            "withdrawals": [{"stage": "season", "player": "a", "substitute": "x"}],
        }
    )
    assert facts.results("season")["d"][1] == OtherPoints(-40_000)
    assert write_state(resolve(read_format("x", document), facts))["stages"][1]["players"][0] == {
        "player": "x", "from": "season", "block": "", "rank": 1, "bonus": "5", "replaces": "a", "approved": False,
    }  # fmt: skip


TABLE: dict[str, Any] = {
    "ruleset": "cinderella",
    "players": ["A", "B", "C", "D"],
    "totals": {"A": "20", "B": 12, "C": "-5", "D": "-27"},
}


def test_needs_command_prints_numbers_and_sentences(run: Run) -> None:
    answer = run("needs", "-", typed={**TABLE, "hand": A_HAND})[1]
    assert list(answer) == ["hanchan", "secured", "out", "hand", "sentences"]
    assert answer["hand"]["B"]["tsumo"][0] == "3000-6000"
    assert answer["hand"]["B"]["ron"]["A"][0] == "5800"
    margins = answer["hanchan"]["B"]
    assert margins["1"]["A"]["2"] == "always"
    assert margins["2"]["A"]["1"] == "never"
    assert answer["hanchan"]["C"]["2"]["A"]["3"] == {"min_diff": 5000}
    assert set(answer["sentences"]) == {"ja", "en"}


def test_odds_command_calculates_or_simulates(run: Run) -> None:
    exact = run("odds", run.file({**TABLE, "bank": [["52", "4", "-18", "-38"], ["-48", "-22", "-1.5", "71.5"]]}))[1]
    assert (exact["method"], exact["samples"]) == ("exact", 0)
    wins = dict.fromkeys("ABCD", 0)
    for order in permutations("ABCD"):
        for row in ((52, 4, -18, -38), (71.5, -1.5, -22, -48)):
            ends = {name: float(TABLE["totals"][name]) + row[place] for place, name in enumerate(order)}
            wins[max(ends, key=ends.__getitem__)] += 1
    assert exact["chance"] == pytest.approx({name: count / 48 for name, count in wins.items()})
    case = run.file({**TABLE, "hanchan_left": 3, "strength": {"A": 0.3}})
    drawn = run("odds", case, "--samples", 5000, "--seed", 4)[1]
    assert (drawn["method"], drawn["samples"]) == ("simulation", 5000)


@pytest.mark.parametrize(
    ("change", "more", "sentence"),
    [
        ({"hanchan_left": -1}, (), "hanchan_left: a whole number"),
        ({"hanchan_left": True}, (), "hanchan_left: True is not a whole number"),
        ({"strength": {"Q": 1}}, (), "strength.Q: a player of the case"),
        ({"strength": {"A": "strong"}}, (), "strength.A: a number"),
        ({"bank": [[1, 2]]}, (), "bank[0]: points of 4 players"),
        ({"bank": [["x", 0, 0, 0]]}, (), "bank[0]: not a number of points"),
        ({}, ("--samples", "0"), "--samples: a number"),
        ({}, ("--seed", "-1"), "--seed: a number"),
        ({"goal": 5}, (), "goal: a whole number from 1 to 4"),
        ({"ruleset": "nothing"}, (), "there is no card"),
        ({"ruleset": {"card": "cinderella", "parameters": {"uma": [1]}}}, (), "uma"),
    ],
)
def test_invalid_odds_get_one_sentence(run: Run, change: dict[str, Any], more: tuple[str, ...], sentence: str) -> None:
    status, _, error = run("odds", "-", *more, typed={**TABLE, **change})
    assert status == 2
    assert sentence in error
    assert error.count("\n") == 1


def test_missing_file_is_named(run: Run) -> None:
    assert run("needs", "nowhere.json") == (2, None, "nowhere.json: cannot be read: No such file or directory.\n")
