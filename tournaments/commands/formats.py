"""Formats and tournament states on the command line: JSON or a format file in, JSON out, nothing but Python needed."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from scoring.commandline import InputError, as_table, read_json
from tournaments.core.format import Format
from tournaments.core.plain_values import KEYS, read_facts, write_state
from tournaments.core.problems import FormatError
from tournaments.core.reading import entrant_choices, load_document, load_format, load_formats, parse_toml, read_format
from tournaments.core.resolution import resolve

Answer = tuple[dict[str, Any], int]
Command = tuple[Callable[[argparse.Namespace], Answer], Callable[[argparse.ArgumentParser], object], str]
"""What it does, what it takes, and what it says of itself."""

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
    return {"formats": [_listed(format_) for format_ in load_formats()]}, 0


def _listed(format_: Format) -> dict[str, Any]:
    document = load_document(format_.key)
    entrants = list(entrant_choices(document)) or {"min": format_.entrants.least, "max": format_.entrants.most}
    return {"key": format_.key, "name": format_.name, "source": format_.source, "entrants": entrants}


def _show(options: argparse.Namespace) -> Answer:
    return load_document(options.key, options.entrants), 0


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
    if entrants is not None and (not isinstance(entrants, int) or isinstance(entrants, bool)):
        raise InputError("entrants: a whole number is expected")
    if isinstance(wanted, str):
        return load_format(wanted, entrants)
    if isinstance(wanted, dict):
        return read_format(str(wanted.get("key", "")), wanted, entrants)
    raise InputError(f"format: the key of a format or a document is expected, beside {', '.join(KEYS)} and after")


def _after(value: object) -> dict[str, int]:
    if isinstance(value, dict) and all(isinstance(number, int) and number >= 0 for number in value.values()):
        return value
    raise InputError("after: stages with whole numbers of hanchan are expected")


def _nothing(_parser: argparse.ArgumentParser) -> None:
    """Declare that a command takes nothing."""


def _declare_show(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("key", help="the key of a format, such as cinderella")
    parser.add_argument("--entrants", type=int, help="how many players enter, where the format has a choice")


COMMANDS: Mapping[str, Command] = {
    "formats": (_formats, _nothing, "List the formats that are shipped: key, name, numbers of players."),
    "show": (
        _show,
        _declare_show,
        "Write the document of one format as JSON; a knock-out is written out when the number of players is given.",
    ),
    "check": (
        _check,
        lambda parser: parser.add_argument("file", help="a format file"),
        "Read a format from a TOML file and write everything that is wrong with it. Exit status: 0, or 1.",
    ),
    "follow": (_resolve_facts, _nothing, RESOLVE_HELP),
}
