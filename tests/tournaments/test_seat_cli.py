"""The command line of seating: JSON out, on the standard library alone."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tournaments import seating_counts as truth
from tournaments.__main__ import main

ROOT = Path(__file__).resolve().parents[2]


def test_seat_runs_without_any_library() -> None:
    command = [sys.executable, "-S", "-m", "tournaments", "seat", "--players", "16", "--rounds", "5"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    answer = json.loads(done.stdout)
    assert list(answer) == ["players", "rounds", "quality"]
    assert answer["players"] == 16
    assert not truth.faults(answer["rounds"], 16)
    assert truth.histogram(answer["rounds"], 16) == {1: 120}
    assert answer["quality"]["sum_of_squares"] == answer["quality"]["bound"] == 120
    assert answer["quality"]["seed"] == 1


def test_a_reader_who_leaves_early_causes_no_complaint() -> None:
    command = [sys.executable, "-m", "tournaments", "seat", "--players", "200", "--rounds", "12"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


class Run:
    """A way to run the command with files and to read what it writes."""

    def __init__(self, capsysbinary: pytest.CaptureFixture[bytes], folder: Path) -> None:
        self.capture, self.folder = capsysbinary, folder

    def file(self, content: Any) -> str:
        path = self.folder / f"{len(list(self.folder.iterdir()))}.json"
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return str(path)

    def __call__(self, *arguments: str | int) -> tuple[int, Any, str]:
        status = main(["seat", *map(str, arguments)])
        written = self.capture.readouterr()
        return status, json.loads(written.out) if written.out else None, written.err.decode()


@pytest.fixture
def run(capsysbinary: pytest.CaptureFixture[bytes], tmp_path: Path) -> Run:
    return Run(capsysbinary, tmp_path)


def test_byes_are_told(run: Run) -> None:
    _, answer, _ = run("--players", 9, "--rounds", 9)
    assert list(answer) == ["players", "rounds", "byes", "quality"]
    assert sorted(answer["byes"]) == [[player] for player in range(9)]
    assert answer["quality"]["byes"] == [1, 1]


def test_the_seed_decides(run: Run) -> None:
    one = run("--players", 20, "--rounds", 4, "--seed", 1)
    assert one == run("--players", 20, "--rounds", 4)
    assert one[1]["rounds"] != run("--players", 20, "--rounds", 4, "--seed", 2)[1]["rounds"]


def test_tables_of_three(run: Run) -> None:
    _, answer, _ = run("--players", 9, "--rounds", 4, "--table-size", 3)
    assert truth.histogram(answer["rounds"], 9) == {1: 36}


def test_wishes_come_from_files(run: Run) -> None:
    apart, clubs = run.file([[0, 1], [2, 3, 4]]), run.file([[5, 6], [7, 8, 9]])
    _, answer, _ = run("--players", 24, "--rounds", 5, "--apart", apart, "--groups", clubs)
    met = truth.pair_counts(answer["rounds"])
    assert not [pair for pair in [(0, 1), (2, 3), (2, 4), (3, 4), (5, 6), (7, 8), (7, 9), (8, 9)] if met[pair]]
    assert answer["quality"]["is_optimal"]


@pytest.mark.long
def test_together(run: Run) -> None:
    _, answer, _ = run("--players", 8, "--rounds", 3, "--together", run.file([[0, 1]]))
    assert answer["quality"]["together"] == [[0, 1, 3]]


def test_history_is_a_list_of_rounds_or_an_earlier_answer(run: Run) -> None:
    _, first, _ = run("--players", 32, "--rounds", 4)
    _, second, _ = run("--players", 32, "--rounds", 1, "--history", run.file(first))
    assert second == run("--players", 32, "--rounds", 1, "--history", run.file(first["rounds"]))[1]
    assert truth.repeats(first["rounds"] + second["rounds"]) == 0


def test_who_has_left_sits_out(run: Run) -> None:
    _, answer, _ = run("--players", 9, "--rounds", 2, "--absent", run.file([4]))
    assert answer["byes"] == [[4], [4]]


def test_fixed_tables_for_sessions(run: Run) -> None:
    _, answer, _ = run("--players", 8, "--sessions", 2)
    assert truth.histogram(answer["rounds"], 8) == {0: 8, 1: 16, 2: 4}
    assert [len(session) for session in answer["hanchan"]] == [4, 4]
    assert [session[0] for session in answer["hanchan"]] == answer["rounds"]
    every = [tables for session in answer["hanchan"] for tables in session]
    assert truth.blocks_lacking_a_wind(every, 8) == 0
    assert [len(session) for session in run("--players", 8, "--sessions", 1, "--rounds", 6)[1]["hanchan"]] == [6]


def test_one_round_by_the_standing(run: Run) -> None:
    standing = run.file([5, 2, 7, 0, 1, 3, 6, 4])
    _, answer, _ = run("--players", 8, "--swiss", standing)
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
def test_arguments_that_make_no_sense(run: Run, arguments: str, complaint: str) -> None:
    assert run(*arguments.split()) == (2, None, f"{complaint}\n")


@pytest.mark.long
@pytest.mark.parametrize(
    ("option", "content", "complaint"),
    [
        ("--apart", [[0, 8]], "apart: there is no player 8; players are numbered from 0 to 7."),
        ("--apart", [[0]], "two or more different players are expected in each list."),
        ("--apart", {"0": 1}, "a list of lists of players is expected."),
        ("--apart", [0, 1], "players are whole numbers in a list."),
        ("--apart", [[0, 1.5]], "players are whole numbers in a list."),
        ("--apart", [[0, 1], [0, 2], [1, 2]], "players 0 and 1 still meet."),
        ("--apart", b"[[0, 1]", "this is no JSON:"),
        ("--apart", b"[" * 100_000, "this is no JSON:"),
        ("--history", [[0, 1, 2, 3]], "players are whole numbers in a list."),
        ("--history", {"tables": []}, "a list of rounds, each a list of tables, is expected."),
        ("--swiss", [0, 1, 2, 3, 8], "the standing lists players from 0 to 7."),
        ("--swiss", [0, 1, 1, 2], "Every player stands once in the order, by a number from 0."),
    ],
)
def test_files_that_make_no_sense(run: Run, option: str, content: Any, complaint: str) -> None:
    status, answer, said = run("--players", 8, "--rounds", 2, option, run.file(content))
    assert (status, answer) == (2, None)
    assert complaint in said
    assert said.count("\n") == 1


def test_the_standing_goes_with_no_wishes(run: Run) -> None:
    standing, apart = run.file(list(range(8))), run.file([[0, 1]])
    assert "Wishes are not taken" in run("--players", 8, "--swiss", standing, "--apart", apart)[2]


def test_a_file_name_may_hold_any_bytes() -> None:
    command: list[str | bytes] = [
        sys.executable,
        "-m",
        "tournaments",
        "seat",
        "--players=8",
        "--rounds=2",
        b"--apart=\xff",
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C.UTF-8"})
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
