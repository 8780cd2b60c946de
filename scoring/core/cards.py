"""Rule systems as files ("cards"): parameters, sources, open questions, worked examples."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import Any

from scoring.core.parameters import read_ruleset
from scoring.core.reading import RulesetError, shipped_texts
from scoring.core.ruleset import ScoringRules

Text = Mapping[str, str]
"""A text in Japanese and English, by language code."""

STATUSES = ("source", "recomputed", "server", "unconfirmed")
"""How reliable a card is: taken from its source, confirmed with published games, from a server's file, unconfirmed."""


@dataclass(frozen=True, slots=True)
class Card:
    """A rule system. `open` and `unconfirmed`: remarks by parameter, in both languages."""

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
    return tuple(read_card(key, text) for key, text in shipped_texts("scoring", "cards").items())


def load_card(key: str) -> Card:
    """Return the card with this key, such as "camarade". Raise UnknownCardError that lists the known ones."""
    for card in load_cards():
        if card.key == key:
            return card
    known = ", ".join(card.key for card in load_cards())
    raise UnknownCardError(f"there is no card {key!r}; there are {known}")


def read_card(key: str, text: str) -> Card:
    """Return the card described by a TOML text. Raise RulesetError, or KeyError if a field is missing."""
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
