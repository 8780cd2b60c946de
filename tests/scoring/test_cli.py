"""The command line: JSON in, JSON out, on the standard library alone."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments: str, given: Any = None, raw: bytes | None = None) -> tuple[int, Any, str]:
    """Return exit status, answer and complaints of the command, run by a Python without any installed package."""
    command = [sys.executable, "-S", "-m", "scoring", *arguments]
    text = raw if raw is not None else json.dumps(given).encode()
    done = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, check=False)
    answer = json.loads(done.stdout) if done.stdout else None
    return done.returncode, answer, done.stderr.decode()


def test_score_answers_as_promised() -> None:
    game = {"raw": [31700, 31300, 25500, 11500]}
    status, answer, _ = run("score", given={"ruleset": "camarade", "games": [game]})
    assert status == 0
    (scored,) = answer["games"]
    assert scored["placements"] == [1, 2, 3, 4]
    assert scored["points"] == {"ranking": ["21.7", "1.3", "-4.5", "-18.5"], "settlement": ["31", "6", "-9", "-28"]}
    assert scored["lines"][0] == [{"part": "base", "points": "1.7"}, {"part": "oka", "points": "20"}]
    assert scored["total_only"] == ["0", "0", "0", "0"]


def test_score_goes_on_after_a_game_that_cannot_be_scored() -> None:
    games = [{"raw": [31750, 31250, 25500, 11500]}, {"raw": [31700, 31300, 25500, 11500]}, {"rawr": 1}]
    status, answer, _ = run("score", given={"ruleset": "cinderella", "games": games})
    assert status == 1
    assert answer["games"][0]["seat"] == 0
    assert "placements" in answer["games"][1]
    assert "rawr" in answer["games"][2]["error"]


def test_score_takes_parameters_and_changes_to_a_card() -> None:
    game = {"raw": [31200, 25800, 25800, 17200]}
    changed = {"card": "parlour-placement", "parameters": {"uma": [3, 1, -1, -3]}}
    assert run("score", given={"ruleset": changed, "games": [game]})[1]["games"][0]["points"]["ranking"] == ["3", "1", "-1", "-3"]
    whole = {"players": 4, "start_points": 25000, "return_points": 25000, "uma": [1.5, 0.5, -0.5, -1.5]}
    assert run("score", given={"ruleset": whole, "games": [{"raw": [40000, 30000, 20000, 10000]}]})[0] == 0


def test_chombo_lies_on_the_total() -> None:
    game = {"raw": [41200, 27300, 19500, 12000], "chombo": [0, 0, 0, 1]}
    answer = run("score", given={"ruleset": "cinderella", "games": [game]})[1]
    assert answer["games"][0]["total_only"] == ["0", "0", "0", "-40"]


def test_rank_answers_as_promised() -> None:
    players = {
        "A": [{"points": "41.3", "placement": 1, "raw": 50000}, {"points": "-29.0", "placement": 4, "raw": 21000}],
        "B": [{"points": "82.3", "placement": 1, "raw": 60000}, {"points": "-30.0", "placement": 3, "raw": 10000}],
    }
    given = {"tiebreak": "last_hanchan", "players": players, "adjustments": {"B": "-40"}}
    assert run("rank", given=given)[1] == {
        "ranking": [
            {"player": "A", "rank": 1, "points": "12.3", "decided_by": "hanchan 2: -29.0 > -30.0"},
            {"player": "B", "rank": 2, "points": "12.3", "decided_by": None},
        ]
    }


def test_cards_and_show() -> None:
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
        (["rank"], {"players": []}, "players: a table"),
        (["rank"], {"players": {"A": 1}}, "A: a list"),
        (["rank"], {"players": {"A": [1]}}, "players.A: a table"),
        (["rank"], {"players": {"A": [{"placement": 1}]}}, "points: this is missing"),
        (["rank"], {"players": {"A": [{"points": "x"}]}}, "players.A.points"),
        (["rank"], {"players": {"A": [{"points": 1, "rawr": 1}]}}, "rawr"),
        (["rank"], {"players": {"A": [{"points": 1, "raw": "x"}]}}, "whole numbers"),
        (["rank"], {"players": {}, "adjustments": {"B": 1}}, "no such player"),
        (["rank"], {"players": {"A": []}, "tiebreak": "lots"}, "unknown tie-break"),
        (["rank"], {"players": {"A": []}, "tiebreak": [[]]}, "tiebreak"),
        (["show", "nowhere"], None, "there is no card"),
    ],
)
def test_input_that_makes_no_sense_gets_one_sentence(arguments: list[str], given: Any, says: str) -> None:
    status, answer, complaint = run(*arguments, given=given)
    assert (status, answer) == (2, None)
    assert says in complaint
    assert "Traceback" not in complaint


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"9" * 10_000])
def test_input_that_is_no_json_gets_one_sentence(raw: bytes) -> None:
    status, _, complaint = run("score", raw=raw)
    assert status == 2
    assert "Traceback" not in complaint
