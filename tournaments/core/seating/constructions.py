"""Schedules without wishes: the construction that fits, else the catalogue; each with the code of its method."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import exp
from random import Random
from typing import Any

from tournaments.core.seating.certificate import least_sum_of_squares, table_visits
from tournaments.core.seating.designs import (
    cyclic_design,
    difference_design,
    extended_design,
    golfers_design,
    quadruple_system,
    without_one,
)
from tournaments.core.seating.problem import Groups, Matrix


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


Found = tuple[Groups, str]

GOLFERS_ROUNDS = 12
"""So many rounds of 32 players are at the bound. Up to nine an algebraic design is as good, and better in its numbers."""

CYCLES = {3: {9: 4}, 4: {8: 7, 12: 11, 16: 5, 28: 9, 40: 13}}
"""Players: the rounds after which all pairs have met equally often, so that the schedule may begin again."""


def constructed(players: int, rounds: int, table_size: int, random: Random) -> Found | None:
    """Return the best schedule known for players who all start afresh; None where nothing but a search is left."""
    if players == table_size:
        return [[list(range(players))]] * rounds, "one_table"
    cycle = CYCLES[table_size].get(players)
    if cycle is not None and rounds > max(cycle, 8 if players == 8 else 0, 12 if cycle > 5 else 0):
        return _repeated(players, rounds, cycle, table_size, random)
    if players % table_size == 0:
        return _of_full_tables(players, rounds, table_size, random)
    return _known(players, rounds, table_size) or _with_byes(players, rounds, table_size, random)


def _of_full_tables(players: int, rounds: int, table_size: int, random: Random) -> Found | None:
    if (players, table_size) == (8, 4) and rounds <= 8:
        # The eighth round is the first once more: that is as even as eight rounds can be.
        return (quadruple_system(7) + quadruple_system(1))[:rounds], "quadruple_system"
    design = difference_design(players // table_size, rounds, table_size, random)
    if design is not None:
        return design, "difference_matrix"
    if (players, table_size) == (32, 4) and rounds <= GOLFERS_ROUNDS:
        return golfers_design(rounds, random), "golfers_design"
    cyclic = cyclic_design(players, rounds) if table_size == 4 else None
    return (cyclic, "cyclic") if cyclic is not None else _known(players, rounds, table_size)


def _known(players: int, rounds: int, table_size: int) -> Found | None:
    groups = known_schedule(players, rounds, table_size)
    return None if groups is None else (groups, "catalogue")


def _with_byes(players: int, rounds: int, table_size: int, random: Random) -> Found | None:
    """Return a design for full tables, the players left over put in; or one for a player more, who is taken out."""
    tables, byes = divmod(players, table_size)
    smaller = difference_design(tables, rounds, table_size, random)
    design = None if smaller is None else extended_design(smaller, byes, random)
    if design is not None:
        return design, "extended_design"
    larger = difference_design(tables + 1, rounds, table_size, random) if byes == table_size - 1 else None
    return None if larger is None else (without_one(larger, random.randrange(players + 1)), "design_without_one")


def _repeated(players: int, rounds: int, cycle: int, table_size: int, random: Random) -> Found:
    whole, rest = divmod(rounds, cycle)
    groups: Groups = []
    for length in [cycle] * whole + [rest] * (rest > 0):
        found = constructed(players, length, table_size, random)
        assert found is not None  # What repeats is known, and so is every beginning of it.
        order = random.sample(range(players), players)
        groups += [[[order[player] for player in table] for table in tables] for tables in found[0]]
    return groups, "repeated_cycles"


HOT, COLD = 3.0, 0.3
PROPOSALS, FEW, MANY_TABLES = 60_000, 4_000, 13
"""What the search tries; with many tables the designs have left it little to do, and they are wanted at once."""


def number_tables(groups: Groups, players: int, random: Random, proposals: int = PROPOSALS) -> Groups:
    """Return the same tables in another order in each round, so that few players come back to a number they know.

    Perfect numbers are left alone, and the search stops at them. They do not exist everywhere: with 16 players who never
    meet twice, every table has four who sat at the same number before.
    """
    visits = table_visits(groups, players)
    goal = sum(least_sum_of_squares(sum(row), len(row)) for row in visits)
    excess = sum(count * count for row in visits for count in row) - goal
    tables = len(groups[0])
    if excess == 0 or tables < 2:
        return groups
    proposals = min(proposals, PROPOSALS if tables < MANY_TABLES else FEW)
    numbered, warmth, cooling, rand = (
        [round[:] for round in groups],
        HOT,
        (COLD / HOT) ** (1 / proposals),
        random.random,
    )
    for _ in range(proposals):
        warmth *= cooling
        round = numbered[int(rand() * len(numbered))]
        here, there = int(rand() * tables), int(rand() * tables)
        change = _change(visits, round, here, there)
        if change > 0 and rand() >= exp(-change / warmth):
            continue
        _swap(visits, round, here, there)
        excess += change
        if excess == 0:
            break
    return numbered


def _change(visits: Matrix, round: list[list[int]], here: int, there: int) -> int:
    if here == there:
        return 0
    change = 0
    for player in round[here]:
        change += visits[player][there] - visits[player][here] + 1
    for player in round[there]:
        change += visits[player][here] - visits[player][there] + 1
    return 2 * change


def _swap(visits: Matrix, round: list[list[int]], here: int, there: int) -> None:
    if here != there:
        for place, other in ((here, there), (there, here)):
            for player in round[place]:
                visits[player][place] -= 1
                visits[player][other] += 1
        round[here], round[there] = round[there], round[here]
