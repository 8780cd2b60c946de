"""What the command line of tournaments can do beside seating: JSON or a file in, JSON out, nothing but Python needed."""

import argparse
import json
import sys
from typing import Any

from scoring.commandline import InputError
from scoring.core import RulesetError, UnknownCardError
from tournaments.commands import formats, needs
from tournaments.core.needs.case import CaseError
from tournaments.core.plain_values import FactsError
from tournaments.core.problems import FormatError, UnknownFormatError

MODULES = (formats, needs)


def add_commands(commands: Any) -> None:
    for module in MODULES:
        for name, text in module.COMMANDS.items():
            command = commands.add_parser(name, description=text, formatter_class=argparse.RawTextHelpFormatter)
            command.set_defaults(run=module.RUN[name])
            module.declare(name, command)


def run(options: argparse.Namespace) -> int:
    try:
        answer, status = options.run(options)
    except (
        InputError,
        FactsError,
        FormatError,
        UnknownFormatError,
        CaseError,
        RulesetError,
        UnknownCardError,
    ) as error:
        sys.stderr.write(f"{error}\n".encode(errors="replace").decode())
        return 2
    sys.stdout.write(json.dumps(answer, ensure_ascii=False, indent=2) + "\n")
    return int(status)
