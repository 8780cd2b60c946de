"""Shared by command-line programs: JSON input and output, and error messages."""

import json
import os
import sys
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from scoring.core import InputError, ScoringRules, load_card, read_ruleset


def read_json(content: bytes, name: str) -> Any:
    """Return the parsed JSON, with exact decimals. Raise InputError that begins with the name of the input."""
    try:
        return json.loads(content, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not valid JSON: {error}") from error


def ruleset_named(value: Any) -> ScoringRules:
    """Return a rule set given as a card's key, a table of parameters, or a key with changes to it.

    Raise InputError, UnknownCardError or RulesetError.
    """
    if isinstance(value, str):
        return load_card(value).ruleset
    if isinstance(value, Mapping) and set(value) <= {"card", "parameters"} and "card" in value:
        changes = value.get("parameters", {})
        if not isinstance(value["card"], str) or not isinstance(changes, Mapping):
            raise InputError('ruleset: "card" is the key of a card and "parameters" a table')
        return read_ruleset({**load_card(value["card"]).parameters, **changes})
    return read_ruleset(value)


def write_out(content: bytes) -> None:
    try:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader closed the pipe; avoid a second error when Python flushes stdout on exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
