"""Scoring on the command line: JSON in, JSON out, nothing but Python needed.

python -m scoring score < games.json      placements and points of games
python -m scoring rank < results.json     a ranking with the reason of every broken tie
python -m scoring cards                   the rule systems that are shipped
python -m scoring show KEY                the parameters of one of them
"""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any

from scoring import core
from scoring.commandline import read_json, ruleset_named, write_out
from scoring.core.plain import as_list, as_table, read_names, read_points, read_whole

MAX_NUMBER = 10**9
"""Above any possible placement or raw score."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0, 1 if a game could not be scored, 2 for invalid input."""
    parser = argparse.ArgumentParser(prog="scoring", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (_, text) in COMMANDS.items():
        command = commands.add_parser(name, description=text, formatter_class=argparse.RawTextHelpFormatter)
        if name == "show":
            command.add_argument("key", help="the key of a card, such as camarade")
    options = parser.parse_args(arguments)
    try:
        answer, status = COMMANDS[options.command][0](options)
    except (core.InputError, core.RulesetError, core.UnknownCardError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    _write(answer)
    return status


def _write(answer: Mapping[str, Any]) -> None:
    """Write JSON as UTF-8 regardless of the terminal. Lone surrogates stay escaped."""
    try:
        text = json.dumps(answer, ensure_ascii=False, indent=2).encode()
    except UnicodeEncodeError:
        text = json.dumps(answer, indent=2).encode()
    write_out(text + b"\n")


Answer = tuple[dict[str, Any], int]


def _score(_options: argparse.Namespace) -> Answer:
    table = _read_input("ruleset", "games")
    rules = ruleset_named(_key(table, "ruleset"))
    games = [_scored(game, rules) for game in as_list(_key(table, "games"), "games")]
    return {"games": games}, int(any("error" in game for game in games))


def _scored(table: Any, rules: core.ScoringRules) -> dict[str, Any]:
    try:
        return _game(core.score(core.read_game(table), rules))
    except core.ScoringError as error:
        return {"error": str(error), "seat": error.seat}
    except core.InputError as error:
        return {"error": str(error), "seat": None}


def _game(scored: core.ScoredGame) -> dict[str, Any]:
    seats = scored.seats
    return {
        "placements": [seat.placement for seat in seats],
        "points": {ledger.value: [core.format_points(seat.points[ledger]) for seat in seats] for ledger in core.Ledger},
        "lines": [_lines(seat.breakdown[core.Ledger.RANKING]) for seat in seats],
        "settlement_lines": [_lines(seat.breakdown[core.Ledger.SETTLEMENT]) for seat in seats],
        "total_only": [core.format_points(seat.total_only) for seat in seats],
    }


def _lines(lines: Sequence[core.PointsLine]) -> list[dict[str, str]]:
    return [{"part": line.part.value, "points": core.format_points(line.points)} for line in lines]


def _rank(_options: argparse.Namespace) -> Answer:
    table = _read_input("players", "adjustments", "tiebreak", "decisions")
    tiebreak = table.get("tiebreak", [])
    results = {
        player: [
            _result(row, f"players.{player}[{number}]") for number, row in enumerate(as_list(rows, f"players.{player}"))
        ]
        for player, rows in as_table(_key(table, "players"), "players").items()
    }
    given = as_table(table.get("adjustments", {}), "adjustments")
    adjustments = {player: read_points(points, f"adjustments.{player}") for player, points in given.items()}
    if unknown := sorted(set(adjustments) - set(results)):
        raise core.InputError(f"adjustments.{unknown[0]}: there is no such player")
    decisions = [read_names(order, "decisions") for order in as_list(table.get("decisions", []), "decisions")]
    rules = [tiebreak] if isinstance(tiebreak, str) else read_names(tiebreak, "tiebreak")
    try:
        ranking = core.standings(results, adjustments, rules, decisions)
    except ValueError as error:
        raise core.InputError(f"tiebreak: {error}") from error
    return {"ranking": [_ranked(*line) for line in ranking]}, 0


def _result(row: Any, path: str) -> core.PlayerResult:
    row = as_table(row, path, "points", "placement", "raw", "game")
    placement, raw = (
        read_whole(row.get(name, 0), f"{path}.{name}", -MAX_NUMBER, MAX_NUMBER) for name in ("placement", "raw")
    )
    game = row.get("game")
    if not isinstance(game, (int, str, NoneType)):
        raise core.InputError(f"{path}.game: a number or a name is expected")
    return core.PlayerResult(read_points(_key(row, "points", path), f"{path}.points"), placement, raw, game)


def _ranked(rank: int, points: int, line: core.Tied[str]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "player": line.player,
        "rank": rank,
        "points": core.format_points(points),
        "decided_by": None if line.decided_by is None else str(line.decided_by),
    }
    return row | {name: True for name in ("shared", "undecided") if getattr(line, name)}


def _cards(_options: argparse.Namespace) -> Answer:
    return {"cards": [_card(card) for card in core.load_cards()]}, 0


def _card(card: core.Card) -> dict[str, Any]:
    return {
        "key": card.key,
        "name": card.name,
        "source": card.source,
        "status": card.status,
        "missing": card.ruleset.missing,
    }


def _show(options: argparse.Namespace) -> Answer:
    card = core.load_card(options.key)
    remarks = {"open": card.open, "unconfirmed": card.unconfirmed}
    return _card(card) | remarks | {"ruleset": core.write_ruleset(card.ruleset)}, 0


SCORE_HELP = """\
Read games as JSON from standard input, write placements and points of both ledgers:

  {"ruleset": "camarade", "games": [{"raw": [31700, 31300, 25500, 11500]}]}

"ruleset" is the key of a card, a table of parameters, or {"card": KEY, "parameters": {...}} to change some of a card's.
A game has "raw" from the first dealer on, and where it happened "sticks_left", "busts", "chombo", "chips", "deposits":

  "busts": [{"seat": 3, "by": "win", "winners": [0]}, {"seat": 2, "by": "draw", "tenpai": [0, 1]}]
  "chombo": [0, 0, 0, 1], "chips": [3, -1, -2, 0], "sticks_left": 1, "deposits": [0, 1, 0, 0]

Exit status: 0, or 1 when a game has an "error" in place of its points, or 2 for input that makes no sense."""

RANK_HELP = f"""\
Read results as JSON from standard input, write the ranking with the reason of every broken tie:

  {{"tiebreak": ["last_hanchan", "shared"], "adjustments": {{"B": "-40"}},
   "players": {{"A": [{{"points": "-29.0", "placement": 4, "raw": 21000}}], "B": [...]}}}}

The results of a player are in the order of play; "game" in a result names the hanchan, for meetings at one table.
Tie-breaks: {", ".join(core.TIEBREAKS)}.
With "manual", "decisions" holds lists of players in the order that was decided.
Exit status: 0, or 2 for input that makes no sense."""

COMMANDS: Mapping[str, tuple[Callable[[argparse.Namespace], Answer], str]] = {
    "score": (_score, SCORE_HELP),
    "rank": (_rank, RANK_HELP),
    "cards": (_cards, "List the built-in rule systems: key, name, source, status, what is missing."),
    "show": (_show, "Write the parameters of one card as JSON, with what its source leaves open or unconfirmed."),
}


def _read_input(*known: str) -> Mapping[str, Any]:
    return as_table(read_json(sys.stdin.buffer.read(), "the input"), "the input", *known)


def _key(table: Mapping[str, Any], name: str, path: str = "") -> Any:
    if name not in table:
        raise core.InputError(f"{path}.{name}: this is missing" if path else f"{name}: this is missing")
    return table[name]


if __name__ == "__main__":
    sys.exit(main())
