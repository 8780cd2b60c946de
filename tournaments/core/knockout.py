"""Knock-outs written out: one table of the file stands for all rounds of so many players.

[knockout]
advance = 2            # of each table
hanchan = 1            # and whatever else a stage can say
first_fill = "snake"   # how the first round is filled; later rounds follow the bracket
final = { hanchan = 2 }
"""

from collections.abc import Mapping
from typing import Any

from tournaments.core.problems import FormatProblems

Document = Mapping[str, Any]

LAST_ROUNDS = (
    ("final", {"ja": "決勝", "en": "Final"}),
    ("semi-final", {"ja": "準決勝", "en": "Semi-final"}),
    ("quarter-final", {"ja": "準々決勝", "en": "Quarter-final"}),
)
"""The last rounds by key and name, last one first; those before are numbered from the first on."""


def expand(document: Document, entrants: int, problems: FormatProblems) -> dict[str, Any]:
    """Return the document with the stages of its knock-out for so many players instead of the knock-out."""
    knockout = dict(document["knockout"])
    table = document.get("table_size", 4)
    advance = knockout.pop("advance", 2)
    sizes = round_sizes(entrants, table, advance)
    if not isinstance(knockout.get("final", {}), Mapping):
        problems.broken = True
        problems.add("not_a_table", "knockout.final")
        knockout["final"] = {}
    if not sizes:
        problems.broken = True
        problems.add("no_knockout", "knockout", number=entrants, table=table, advance=advance)
    rest = {name: value for name, value in document.items() if name != "knockout"}
    return rest | {"entrants": entrants, "stage": _stages(knockout, sizes, table, advance)}


def round_sizes(entrants: int, table: object, advance: object) -> list[int]:
    """Return how many play in each round, down to one table; nothing when they do not come down to one."""
    if not isinstance(table, int) or not isinstance(advance, int) or not 1 <= advance < table:
        return []
    sizes = [entrants]
    while sizes[-1] > table and sizes[-1] % table == 0:
        sizes.append(sizes[-1] // table * advance)
    return sizes if sizes[-1] == table else []


def _stages(knockout: dict[str, Any], sizes: list[int], table: int, advance: int) -> list[dict[str, Any]]:
    final, first_fill = knockout.pop("final", {}), knockout.pop("first_fill", "draw")
    stages: list[dict[str, Any]] = []
    for number, size in enumerate(sizes, start=1):
        key, name = _round(number, len(sizes))
        blocks = {"blocks": size // table} if size > table else {}
        places: dict[str, Any] = {"from": [{"entrants": "all"}], "fill": first_fill}
        if stages:
            ranks = "1" if advance == 1 else f"1-{advance}"
            places = {"from": [{"stage": stages[-1]["key"], "ranks": ranks}], "fill": "bracket"}
        stages.append({"key": key, "name": name} | blocks | places | knockout | (final if size == table else {}))
    return stages


def _round(number: int, count: int) -> tuple[str, dict[str, str]]:
    left = count - number
    if left < len(LAST_ROUNDS) and (number > 1 or left < 2):
        key, name = LAST_ROUNDS[left]
        return key, dict(name)
    return f"round-{number}", {"ja": f"{number}回戦", "en": f"Round {number}"}
