"""The best schedules known for sizes that no construction covers; they were found by our own search."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from tournaments.core.seating.problem import Groups


def known_schedule(players: int, rounds: int, table_size: int) -> Groups | None:
    """Return the tables of the best schedule on file, numbers and winds not yet set; None for other sizes."""
    shelf = _shelf(table_size)
    entry = shelf["players"].get(str(players))
    if entry is None or rounds > len(entry["from"]):
        return None
    words = entry["rounds"][str(entry["from"][rounds - 1])].split()
    alphabet: str = shelf["alphabet"]
    return [_tables([alphabet.index(letter) for letter in word], table_size) for word in words[:rounds]]


@cache
def _shelf(table_size: int) -> Mapping[str, Any]:
    name = {3: "tables_of_three.json", 4: "tables_of_four.json"}[table_size]
    shelf: Mapping[str, Any] = json.loads(files(__package__).joinpath(name).read_text("utf-8"))
    return shelf


def _tables(seated: list[int], table_size: int) -> list[list[int]]:
    return [seated[start : start + table_size] for start in range(0, len(seated), table_size)]
