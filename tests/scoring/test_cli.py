import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, given: Any = None, raw: bytes | None = None) -> tuple[int, Any, str]:
    """Return exit status, stdout and stderr of the command, run by a Python without installed packages."""
    begin = "import runpy, sys; sys.path.insert(0, sys.argv.pop(1)); runpy.run_module('scoring', run_name='__main__', alter_sys=True)"
    command = [sys.executable, "-I", "-S", "-c", begin, str(ROOT), *arguments]
    text = raw if raw is not None else json.dumps(given).encode()
    done = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, check=False)
    answer = json.loads(done.stdout) if done.stdout else None
    return done.returncode, answer, done.stderr.decode()


def test_score_command_prints_points_and_placements() -> None:
    status, answer, _ = run("score", given={"ruleset": "camarade", "games": [{"raw": [31700, 31300, 25500, 11500]}]})
    assert status == 0
    (scored,) = answer["games"]
    assert scored["placements"] == [1, 2, 3, 4]
    assert scored["points"] == {"ranking": ["21.7", "1.3", "-4.5", "-18.5"], "settlement": ["31", "6", "-9", "-28"]}
    assert scored["lines"][0] == [{"part": "base", "points": "1.7"}, {"part": "oka", "points": "20"}]
    assert scored["total_only"] == ["0", "0", "0", "0"]


def test_score_command_continues_after_an_invalid_game() -> None:
    games = [{"raw": [31750, 31250, 25500, 11500]}, {"raw": [31700, 31300, 25500, 11500]}, {"rawr": 1}]
    status, answer, _ = run("score", given={"ruleset": "cinderella", "games": games})
    assert status == 1
    assert answer["games"][0]["seat"] == 0
    assert "placements" in answer["games"][1]
    assert "rawr" in answer["games"][2]["error"]


def test_score_command_accepts_parameters_and_changed_cards() -> None:
    game = {"raw": [31200, 25800, 25800, 17200]}
    changed = {"card": "parlour-placement", "parameters": {"uma": [3, 1, -1, -3]}}
    assert run("score", given={"ruleset": changed, "games": [game]})[1]["games"][0]["points"]["ranking"] == [
        "3",
        "1",
        "-1",
        "-3",
    ]
    whole = {"players": 4, "start_points": 25000, "return_points": 25000, "uma": [1.5, 0.5, -0.5, -1.5]}
    assert run("score", given={"ruleset": whole, "games": [{"raw": [40000, 30000, 20000, 10000]}]})[0] == 0


def test_rank_command_prints_the_standings() -> None:
    players = {
        "A": [{"points": "41.3", "placement": 1, "raw": 50000}, {"points": "-29.0", "placement": 4, "raw": 21000}],
        "B": [{"points": "82.3", "placement": 1, "raw": 60000}, {"points": "-30.0", "placement": 3, "raw": 10000}],
    }
    assert run("rank", given={"tiebreak": "last_hanchan", "players": players, "adjustments": {"B": "-40"}})[1] == {
        "ranking": [
            {"player": "A", "rank": 1, "points": "12.3", "decided_by": "hanchan 2: -29.0 > -30.0"},
            {"player": "B", "rank": 2, "points": "12.3", "decided_by": None},
        ]
    }


def test_cards_are_listed_and_shown() -> None:
    assert len(run("cards")[1]["cards"]) == 22
    card = run("show", "parlour-placement")[1]
    assert card["missing"] == ["uma"]
    assert "uma" in card["open"]
    assert card["ruleset"]["score_basis"] == "placement"


@pytest.mark.parametrize(
    ("arguments", "given", "says"),
    [
        (["score"], [], "a table is expected"),
        (["score"], {}, "ruleset: this is missing"),
        (["score"], {"ruleset": "camarade"}, "games: this is missing"),
        (["score"], {"ruleset": "camarade", "games": {}}, "games: a list"),
        (["score"], {"ruleset": "nowhere", "games": []}, "there is no card"),
        (["score"], {"ruleset": 3, "games": []}, "a table of parameters"),
        (["score"], {"ruleset": {"umma": 1}, "games": []}, "umma"),
        (["score"], {"ruleset": {"card": 1}, "games": []}, "the key of a card"),
        (["score"], {"ruleset": "camarade", "games": [], "game": []}, "game: there is no such key"),
        (["rank"], {"players": {}, "adjustment": {"A": "-40"}}, "adjustment: there is no such key"),
        (["rank"], {"players": []}, "players: a table"),
        (["rank"], {"players": {"A": 1}}, "A: a list"),
        (["rank"], {"players": {"A": [1]}}, "players.A[0]: a table"),
        (["rank"], {"players": {"A": [{"placement": 1}]}}, "points: this is missing"),
        (["rank"], {"players": {"A": [{"points": "x"}]}}, "players.A[0].points"),
        (["rank"], {"players": {"A": [{"points": 1, "rawr": 1}]}}, "rawr"),
        (["rank"], {"players": {"A": [{"points": 1, "raw": "x"}]}}, "players.A[0].raw: 'x' is not a whole number"),
        (["rank"], {"players": {}, "adjustments": {"B": 1}}, "no such player"),
        (["rank"], {"players": {"A": [{"points": 1, "raw": 10**12}]}}, "players.A[0].raw: a whole number from"),
        (["rank"], {"players": {"A": [{"points": 1, "game": []}]}}, "players.A[0].game"),
        (["rank"], {"players": {"A": []}, "decisions": ["A"]}, "decisions: a list"),
        (["rank"], {"players": {"A": []}, "decisions": [[[]]]}, "decisions: a list of names"),
        (["rank"], {"players": {"A": []}, "tiebreak": "lots"}, "unknown tie-break"),
        (["rank"], {"players": {"A": []}, "tiebreak": [[]]}, "tiebreak"),
        (["show", "nowhere"], None, "there is no card"),
    ],
)
def test_invalid_input_is_refused_in_one_sentence(arguments: list[str], given: Any, says: str) -> None:
    status, answer, complaint = run(*arguments, given=given)
    assert (status, answer) == (2, None)
    assert says in complaint
    assert "Traceback" not in complaint


def test_rank_command_marks_shared_and_undecided_ranks() -> None:
    players = {name: [{"points": 5, "placement": 2, "raw": 30000, "game": 1}] for name in ("\ud800", "B")}
    shared = run("rank", given={"players": players})[1]["ranking"]
    assert [(line["rank"], line["points"], line["shared"], "undecided" in line) for line in shared] == [
        (1, "5", True, False)
    ] * 2
    waiting = run("rank", given={"players": players, "tiebreak": ["head_to_head", "manual"]})[1]["ranking"]
    assert [line["undecided"] for line in waiting] == [True, True]
    given = {"players": players, "tiebreak": ["manual"], "decisions": [["B", "\ud800"]]}
    assert [(line["player"], line["decided_by"]) for line in run("rank", given=given)[1]["ranking"]] == [
        ("B", "by hand"),
        ("\ud800", None),
    ]


def test_huge_numbers_are_errors_of_their_game() -> None:
    raw = [31700, 31300, 25500, 11500]
    games = [
        {"raw": [10**4200, 1, 1, 1]},
        {"raw": raw, "sticks_left": 10**4299},
        {"raw": raw, "chips": [10**4299, 0, 0, 0]},
        {"raw": raw},
    ]
    status, answer, complaint = run("score", given={"ruleset": "cinderella", "games": games})
    assert (status, complaint) == (1, "")
    assert ["error" in game for game in answer["games"]] == [True, True, True, False]


def test_closed_pipe_is_ignored() -> None:
    command = [sys.executable, "-S", "-m", "scoring", "cards"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stdout = None


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"9" * 10_000])
def test_invalid_json_is_refused(raw: bytes) -> None:
    status, _, complaint = run("score", raw=raw)
    assert status == 2
    assert "Traceback" not in complaint


@pytest.mark.parametrize(
    ("command", "says"),
    [("score", '"sticks_left": 1'), ("rank", "last_hanchan"), ("cards", "key"), ("show", "camarade")],
)
def test_help_shows_the_input_format(command: str, says: str) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-m", "scoring", command, "--help"], cwd=ROOT, capture_output=True, check=True
    )
    assert says in done.stdout.decode()
