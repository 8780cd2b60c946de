"""Rule sets as files: parameters, sources, open questions, worked examples."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Any

from scoring.core.parameters import read_ruleset
from scoring.core.reading import RulesetError
from scoring.core.ruleset import ScoringRules

Text = Mapping[str, str]
"""A text in Japanese and English, keyed by language."""

STATUSES = ("source", "recomputed", "server", "unconfirmed")
"""How sure a card is: read in its source, confirmed on published games, taken from a server's file, or not confirmed."""


@dataclass(frozen=True, slots=True)
class Card:
    """One rule system. `open` and `unconfirmed` map a parameter to a remark in both languages."""

    key: str
    name: Text
    source: Text
    status: tuple[str, ...]
    open: Mapping[str, Text]
    unconfirmed: Mapping[str, Text]
    parameters: Mapping[str, Any]
    ruleset: ScoringRules
    examples: tuple[Mapping[str, Any], ...]


class UnknownCardError(LookupError):
    pass


@cache
def load_cards() -> tuple[Card, ...]:
    files = sorted((file for file in _folder().iterdir() if file.name.endswith(".toml")), key=lambda file: file.name)
    return tuple(read_card(file.name.removesuffix(".toml"), file.read_text("utf-8")) for file in files)


def load_card(key: str) -> Card:
    """Return the card of this key, such as "camarade". Raises UnknownCardError that names the known ones."""
    for card in load_cards():
        if card.key == key:
            return card
    known = ", ".join(card.key for card in load_cards())
    message = f"there is no card {key!r}; there are {known}"
    raise UnknownCardError(message)


def read_card(key: str, text: str) -> Card:
    """Return the card that a TOML text describes. Raises RulesetError or KeyError for one that is not whole."""
    table = tomllib.loads(text, parse_float=Decimal)
    status = tuple(table["status"])
    if unknown := set(status) - set(STATUSES):
        raise RulesetError("not_a_choice", f"{key}.status", value=sorted(unknown)[0], choices=", ".join(STATUSES))
    return Card(
        key=key,
        name=table["name"],
        source=table["source"],
        status=status,
        open=table.get("open", {}),
        unconfirmed=table.get("unconfirmed", {}),
        parameters=table["ruleset"],
        ruleset=read_ruleset(table["ruleset"]),
        examples=tuple(table.get("example", ())),
    )


def _folder() -> Any:
    return resources.files("scoring") / "cards"
