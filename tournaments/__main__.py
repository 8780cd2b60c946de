"""Tournaments on the command line. JSON output, Python only.

python -m tournaments seat --players 16 --rounds 5      a seating with its certificate
python -m tournaments formats                           the built-in formats
python -m tournaments show KEY                          one format as a document
python -m tournaments check FILE.toml                   all faults of your own format
python -m tournaments follow < facts.json               standings, proposals and final ranking from facts
python -m tournaments needs CASE.json                   requirements in the last hanchan and its last hand
python -m tournaments odds CASE.json                    chances of meeting them (needs numpy)
"""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from scoring.commandline import write_out
from scoring.core import InputError, RulesetError, UnknownCardError
from tournaments.commands import COMMANDS, read_file
from tournaments.core.problems import FormatError, UnknownFormatError
from tournaments.core.seating.certificate import Certificate, certificate
from tournaments.core.seating.problem import Round, Schedule, SeatingError, Wishes
from tournaments.core.seating.seat import seat
from tournaments.core.seating.swiss import next_swiss_round
from tournaments.core.seating.winds import rotate_winds

MAX_HANCHAN = 40
"""More hanchan than any session can have."""


MISTAKES = (InputError, SeatingError, FormatError, UnknownFormatError, RulesetError, UnknownCardError)
"""Errors in typed arguments or input files."""

Answer = dict[str, Any]


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise InputError(f"{message[:1].upper()}{message[1:]}.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return the exit status: 0, 1 for a file with problems, 2 for invalid input."""
    parser = _Parser(prog="tournaments", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, (_, taken, text) in {"seat": (_seat, SEAT_ARGUMENTS, SEAT_HELP), **COMMANDS}.items():
        command = commands.add_parser(name, description=text, formatter_class=argparse.RawTextHelpFormatter)
        for argument, told in taken.items():
            command.add_argument(argument, **told)
    try:
        options = parser.parse_args(arguments)
        answer, status = (_seat(options), 0) if options.command == "seat" else COMMANDS[options.command][0](options)
    except MISTAKES as error:
        sys.stderr.write(f"{error}\n".encode(errors="replace").decode())
        return 2
    if options.command == "seat":
        _write(answer)
    else:
        sys.stdout.write(json.dumps(answer, ensure_ascii=False, indent=2) + "\n")
    return status


def _write(answer: Answer) -> None:
    """Write the answer with each round on one line, so that a schedule is easy to read."""
    lines = [f"  {json.dumps(key)}: {_text(value)}" for key, value in answer.items()]
    write_out(("{\n" + ",\n".join(lines) + "\n}\n").encode())


def _text(value: Any) -> str:
    if isinstance(value, list) and value and isinstance(value[0], list):
        return "[\n    " + ",\n    ".join(map(json.dumps, value)) + "\n  ]"
    return json.dumps(value)


SEAT_ARGUMENTS: Mapping[str, Mapping[str, Any]] = {
    "--players": {"type": int, "required": True, "help": "how many players, numbered from 0"},
    "--rounds": {"type": int, "help": "how many rounds; with --sessions, hanchan in a session (4)"},
    "--seed": {"type": int, "default": 1, "help": "the same seed gives the same schedule (1)"},
    "--table-size": {"type": int, "default": 4, "help": "4, or 3 for sanma (4)"},
    "--sessions": {"type": int, "help": "fixed tables: the same players stay together all session"},
    "--apart": {"type": Path, "metavar": "FILE", "help": "[[0, 1], [2, 3]]: never at one table"},
    "--together": {"type": Path, "metavar": "FILE", "help": "[[0, 1]]: at one table as often as possible"},
    "--groups": {"type": Path, "metavar": "FILE", "help": "[[0, 1, 2], [3, 4]]: clubs, apart if possible"},
    "--history": {"type": Path, "metavar": "FILE", "help": "rounds that are already played"},
    "--absent": {"type": Path, "metavar": "FILE", "help": "[7, 9]: players who have left"},
    "--swiss": {"type": Path, "metavar": "FILE", "help": "[3, 0, 1, 2]: the standing, for one next round"},
}


def _seat(options: argparse.Namespace) -> Answer:
    wishes = Wishes(
        apart=_pairs(options.apart),
        together=_pairs(options.together),
        groups=_lists(options.groups),
        history=_rounds(options.history),
        absent=() if options.absent is None else _numbers(_read(options.absent), str(options.absent)),
    )
    if options.swiss is not None:
        return _swiss(options, wishes)
    if options.sessions is not None:
        return _sessions(options, wishes)
    if options.rounds is None:
        raise InputError("The following arguments are required: --rounds.")
    schedule = seat(options.players, options.rounds, table_size=options.table_size, seed=options.seed, wishes=wishes)
    return _schedule(schedule, certificate(schedule, wishes=wishes))


def _swiss(options: argparse.Namespace, wishes: Wishes) -> Answer:
    order = _numbers(_read(options.swiss), str(options.swiss))
    if not order or not all(0 <= player < options.players for player in order):
        raise InputError(f"{options.swiss}: the standing lists players from 0 to {options.players - 1}.")
    if wishes.apart or wishes.together or wishes.groups:
        raise InputError("--swiss does not support wishes.")
    following = next_swiss_round(order, wishes.history, seed=options.seed, table_size=options.table_size)
    schedule = Schedule(options.players, options.table_size, (following,), "swiss", options.seed)
    return _schedule(schedule, certificate(schedule, wishes=wishes))


def _sessions(options: argparse.Namespace, wishes: Wishes) -> Answer:
    """Return a seating with fixed tables per session.

    "rounds": tables of each session; "hanchan": for each session, its tables in every hanchan with rotated winds.
    """
    size, hanchan = options.table_size, 4 if options.rounds is None else options.rounds
    if not 1 <= hanchan <= MAX_HANCHAN:
        raise InputError(f"A session has from 1 to {MAX_HANCHAN} hanchan, not {hanchan}.")
    schedule = seat(options.players, options.sessions, table_size=size, seed=options.seed, wishes=wishes)
    answer = _schedule(schedule, certificate(schedule, wishes=wishes))
    turned = [[rotate_winds(table, hanchan) for table in tables] for tables in schedule.rounds]
    return answer | {
        "hanchan": [[[list(tables[number]) for tables in session] for number in range(hanchan)] for session in turned]
    }


def _schedule(schedule: Schedule, quality: Certificate) -> Answer:
    answer: Answer = {
        "players": schedule.players,
        "rounds": [[list(table) for table in tables] for tables in schedule.rounds],
    }
    if any(schedule.byes):
        answer["byes"] = [list(resting) for resting in schedule.byes]
    return answer | {"quality": quality.as_json()}


def _pairs(path: Path | None) -> tuple[tuple[int, int], ...]:
    """Return the pairs in a file; a longer list stands for all pairs in it."""
    groups = _lists(path)
    if any(len(set(group)) < 2 or len(set(group)) < len(group) for group in groups):
        raise InputError(f"{path}: two or more different players are expected in each list.")
    return tuple(pair for group in groups for pair in combinations(group, 2))


def _lists(path: Path | None) -> tuple[tuple[int, ...], ...]:
    if path is None:
        return ()
    value = _read(path)
    if not isinstance(value, list):
        raise InputError(f"{path}: a list of lists of players is expected.")
    return tuple(_numbers(group, str(path)) for group in value)


def _rounds(path: Path | None) -> tuple[Round, ...]:
    """Return the rounds in a file: a list of rounds, or the output of this command."""
    if path is None:
        return ()
    value = _read(path)
    if isinstance(value, Mapping):
        value = value.get("rounds")
    if not isinstance(value, list) or not all(isinstance(tables, list) for tables in value):
        raise InputError(f"{path}: a list of rounds, each a list of tables, is expected.")
    return tuple(tuple(_numbers(table, str(path)) for table in tables) for tables in value)


def _numbers(value: Any, path: str) -> tuple[int, ...]:
    if not isinstance(value, list) or not all(type(number) is int for number in value):
        raise InputError(f"{path}: players are whole numbers in a list.")
    return tuple(value)


def _read(path: Path) -> Any:
    return read_file(path, f"{path}: this")


SEAT_HELP = """\
Write who sits where as JSON: "rounds" holds rounds, tables, players, in the seat order East, South, West, North;
the first table of a round has number 1. "byes" says who sits out, where somebody does. "quality" is the certificate:
what was reached, what no schedule can beat, how it was found, and the seed.

Files are JSON. A list of more than two players in --apart or --together stands for all pairs in it.
Exit status: 0, or 2 for input that makes no sense and for pairs that cannot be kept apart."""


if __name__ == "__main__":
    sys.exit(main())
