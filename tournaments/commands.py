"""Subcommands besides seating: JSON or a file in, JSON out, Python only."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scoring.commandline import read_json, ruleset_named
from scoring.core import InputError, ScoringRules
from scoring.core.plain import as_list, as_table, read_points, read_whole
from tournaments.core.format import Format
from tournaments.core.needs.case import Case, read_case
from tournaments.core.needs.last_hand import LastHand, last_hand
from tournaments.core.needs.margins import plain_margins
from tournaments.core.needs.proofs import proofs_of
from tournaments.core.odds import DEFAULT_SAMPLES, Bank
from tournaments.core.plain_values import KEYS, read_facts, write_state
from tournaments.core.problems import FormatError
from tournaments.core.reading import entrant_choices, load_document, load_format, load_formats, parse_toml, read_format
from tournaments.core.resolution import resolve
from tournaments.messages.needs import LANGUAGES, sentences

Answer = tuple[dict[str, Any], int]
Command = tuple[Callable[[argparse.Namespace], Answer], Mapping[str, Mapping[str, Any]], str]
"""Function, arguments and help text."""

MOST_SAMPLES = 10_000_000
MOST_LEFT = 100
MOST_STRENGTH = 20

NEEDS_HELP = """\
Read a case as JSON from a file, or from standard input (-), and write what each player needs in the last hanchan.

  {"ruleset": "cinderella", "players": ["aoki", "ishida", "ueno", "eguchi"],
   "totals": {"aoki": "80.0", "ishida": "60.0", "ueno": "-10", "eguchi": "-130"},
   "goal": 1, "earlier": ["ishida", "aoki"], "others": {"ono": "70.5"},
   "hand": {"seats": ["eguchi", "aoki", "ishida", "ueno"], "first_dealer": "eguchi",
            "scores": {"aoki": 38000, "ishida": 25000, "ueno": 22000, "eguchi": 13000},
            "honba": 1, "sticks": 2, "riichi": []}}

"ruleset" is the key of a card, a table of parameters, or {"card": KEY, "parameters": {...}}. "goal": among how many one has
to be, the "others" counted, whose totals stand. "earlier": who is ahead when totals and the last hanchan are level. "seats"
begins with the dealer; sticks of a riichi are off the scores and on the table.
"hanchan" has, by own placement, rival and the rival's placement, the margin of raw scores that is enough; "2=" is a place
that two share. "secured" and "out" are proofs. "hand" lists every value after which a player reaches the goal; a dealer's win
or draw counts as the end. Exit status: 0, or 2 for input that makes no sense."""

ODDS_HELP = """\
Read a case as "needs" takes it, without its hand, and write how likely each player is to reach the goal.

Beside the keys of a case: "hanchan_left" (1); "strength", a number by player, 0 where it is not given; "bank", rows of points
of real hanchan, the most first. One hanchan is exact; more are drawn, the same for the same --seed.
Exit status: 0, or 2 for input that makes no sense."""

RESOLVE_HELP = """\
Read the facts of a tournament as JSON from standard input, write its state: standings, proposals, final ranking.

  {"format": "cinderella",
   "players": ["aoki", {"player": "ishida", "seed": 2}, ...],
   "draws": {"qualifying": {"A": ["aoki", ...], "B": [...]}},
   "played": {"qualifying": {"aoki": ["21.7", "-30 3 10000", {"points": "-29", "placement": 4, "raw": 21000}]}},
   "withdrawals": [{"stage": "qualifying", "player": "aoki", "substitute": "ueno"}],
   "advances": [{"stage": "po1", "to": "po2", "players": ["ishida", "ueno"], "proposal": ["ishida", "ono"]}],
   "orders": [{"stage": "qualifying", "players": ["ishida", "ueno"]}],
   "after": {"qualifying": 3}}

"format" is the key of a format or a document as "show" writes it; "entrants" chooses a number of players where there
is a choice. The hanchan of a player are in the order of play: points; or points, placement and raw score; or a table.
"39.3/4" stands for four hanchan of which only the sum is known, "-40/0" for a penalty. Without an advance the proposal
of a stage that was played to its end stands. "after" cuts a stage off after so many hanchan of each player.
Exit status: 0, or 2 for input that makes no sense."""


def _formats(_options: argparse.Namespace) -> Answer:
    found = []
    for format_ in load_formats():
        choices = list(entrant_choices(load_document(format_.key)))
        entrants = choices or {"min": format_.entrants.least, "max": format_.entrants.most}
        found.append({"key": format_.key, "name": format_.name, "source": format_.source, "entrants": entrants})
    return {"formats": found}, 0


def _check(options: argparse.Namespace) -> Answer:
    path = Path(options.file)
    try:
        read_format(path.stem, parse_toml(path.read_text("utf-8")))
    except OSError as error:
        raise InputError(f"{options.file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{options.file} is not UTF-8") from error
    except FormatError as error:
        problems = [{"path": each.path, "code": each.code, "problem": str(each)} for each in error.problems]
        return {"problems": problems}, 1
    return {"problems": []}, 0


def _resolve_facts(_options: argparse.Namespace) -> Answer:
    table = as_table(read_json(sys.stdin.buffer.read(), "the input"), "the input")
    facts = read_facts({name: value for name, value in table.items() if name not in {"format", "entrants", "after"}})
    format_ = _format(table)
    known = {stage.key for stage in format_.stages}
    if unknown := [stage for stage in facts.stages() if stage not in known]:
        raise InputError(f"there is no stage {unknown[0]!r} in this format; there are {', '.join(sorted(known))}")
    return write_state(resolve(format_, facts, _after(table.get("after", {})))), 0


def _format(table: Mapping[str, Any]) -> Format:
    wanted, entrants = table.get("format"), table.get("entrants")
    if entrants is not None:
        read_whole(entrants, "entrants")
    if isinstance(wanted, str):
        return load_format(wanted, entrants)
    if isinstance(wanted, dict):
        return read_format(str(wanted.get("key", "")), wanted, entrants)
    raise InputError(f"format: the key of a format or a document is expected, beside {', '.join(KEYS)} and after")


def _after(value: object) -> dict[str, int]:
    if isinstance(value, dict) and all(isinstance(number, int) and number >= 0 for number in value.values()):
        return value
    raise InputError("after: stages with whole numbers of hanchan are expected")


def _needs(options: argparse.Namespace) -> Answer:
    case = _case(_read(options.file))
    proofs = proofs_of(case)
    last = last_hand(case, case.hand) if case.hand else None
    answer: dict[str, Any] = {
        "hanchan": {player: plain_margins(case, player) for player in case.players},
        "secured": list(proofs.secured),
        "out": list(proofs.out),
    }
    if last is not None:
        answer["hand"] = {player: _hand(case, player, last) for player in case.players}
    said = {language: sentences(case, language, last, proofs=proofs) for language in LANGUAGES}
    answer["sentences"] = {
        language: {player: [*said[language][player].hanchan, *said[language][player].hand] for player in case.players}
        for language in LANGUAGES
    }
    return answer, 0


def _hand(case: Case, player: str, last: LastHand) -> dict[str, Any]:
    return {
        "tsumo": [win.name for win in last.wins_for(player, player, None)],
        "ron": {rival: [win.name for win in last.wins_for(player, player, rival)] for rival in case.rivals(player)},
        "draw": [list(draw.tenpai) for draw in last.draws_for(player)],
    }


def _odds(options: argparse.Namespace) -> Answer:
    if not 1 <= options.samples <= MOST_SAMPLES:
        raise InputError(f"--samples: a number from 1 to {MOST_SAMPLES} is expected.")
    if not 0 <= options.seed < 2**63:
        raise InputError("--seed: a number from 0 on is expected.")
    table = _read(options.file)
    further = {key: table.get(key) for key in ("hanchan_left", "strength", "bank")}
    case = _case({key: value for key, value in table.items() if key not in further})
    left = 1 if further["hanchan_left"] is None else read_whole(further["hanchan_left"], "hanchan_left", 0, MOST_LEFT)
    # Only chances need numpy.
    from tournaments.estimates.odds import odds_of  # noqa: PLC0415

    found = odds_of(
        case,
        left,
        strength=_strength(further["strength"] or {}, case),
        bank=_bank(further["bank"] or [], case.rules),
        samples=options.samples,
        seed=options.seed,
    )
    return {
        "chance": dict(found.chance),
        "standard_error": found.standard_error,
        "samples": found.samples,
        "method": found.method,
    }, 0


def _strength(value: Any, case: Case) -> dict[str, float]:
    table = as_table(value, "strength")
    read: dict[str, float] = {}
    for player, number in table.items():
        try:
            read[player] = float(number)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"strength.{player}: a number is expected.") from error
        if player not in {*case.players, *case.others} or not abs(read[player]) <= MOST_STRENGTH:
            raise InputError(
                f"strength.{player}: a player of the case, and at most {MOST_STRENGTH} either way, are expected."
            )
    return read


def _bank(value: Any, rules: ScoringRules) -> Bank:
    rows = []
    for number, row in enumerate(as_list(value, "bank")):
        path = f"bank[{number}]"
        amounts = [read_points(each, path) for each in as_list(row, path)]
        if len(amounts) != rules.players:
            raise InputError(f"{path}: points of {rules.players} players are expected")
        rows.append(tuple(sorted(amounts, reverse=True)))
    return tuple(rows)


def _case(table: Mapping[str, Any]) -> Case:
    rules = ruleset_named(table.get("ruleset"))
    return read_case({key: value for key, value in table.items() if key != "ruleset"}, rules)


def _read(file: str) -> Mapping[str, Any]:
    if file == "-":
        return as_table(read_json(sys.stdin.buffer.read(), "the input"), "the input")
    return as_table(read_file(Path(file), file), file)


def read_file(path: Path, name: str) -> Any:
    """Return the value of a JSON file. Raise InputError, with the path or `name` at the start of its message."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}.") from error
    return read_json(content, name)


CASE = {"file": {"help": "a file with the case, or - for standard input"}}

COMMANDS: Mapping[str, Command] = {
    "formats": (_formats, {}, "List the built-in formats: key, name, numbers of players."),
    "show": (
        lambda options: (load_document(options.key, options.entrants), 0),
        {
            "key": {"help": "the key of a format, such as cinderella"},
            "--entrants": {"type": int, "help": "how many players enter, if the format has a choice"},
        },
        "Write the document of one format as JSON; a knock-out is expanded if the number of players is given.",
    ),
    "check": (
        _check,
        {"file": {"help": "a format file"}},
        "Read a format from a TOML file and write everything that is wrong with it. Exit status: 0, or 1.",
    ),
    "follow": (_resolve_facts, {}, RESOLVE_HELP),
    "needs": (_needs, CASE, NEEDS_HELP),
    "odds": (
        _odds,
        {
            **CASE,
            "--samples": {"type": int, "default": DEFAULT_SAMPLES, "help": f"how many are drawn ({DEFAULT_SAMPLES})"},
            "--seed": {"type": int, "default": 1, "help": "the same seed gives the same answer (1)"},
        },
        ODDS_HELP,
    ),
}
