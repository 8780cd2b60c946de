"""Entry point for schedules: a construction if one fits, else a known schedule, else a search."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from tournaments.core.seating.designs import difference_design, extended_design, without_one
from tournaments.core.seating.problem import (
    Groups,
    Schedule,
    SeatingError,
    Wishes,
    chance,
    check_problem,
    meetings,
    spare_the_ends,
)
from tournaments.core.seating.search import cost, number_tables, prolonged, relabelled, searched, surcharges
from tournaments.core.seating.winds import deal_winds

Found = tuple[Groups, str]
"""The tables of every round, and the code of the method."""

PROPOSALS = 800_000
"""Number of proposals per search, one to two seconds."""

PART_LENGTHS = (20, 16, 12)
"""Known schedule lengths to extend if none has all rounds; the last length is known for all numbers of players."""


def seat(
    players: int,
    rounds: int,
    *,
    table_size: int = 4,
    seed: int = 1,
    wishes: Wishes | None = None,
    proposals: int = PROPOSALS,
) -> Schedule:
    """Return tables for all rounds, with meetings, winds and table numbers as even as known to be possible.

    The three are independent: any tables allow perfect winds and any numbering. Deterministic for a seed. Raise
    SeatingError.
    """
    wishes = wishes or Wishes()
    check_problem(players, rounds, table_size, wishes)
    random = chance(seed, players, rounds, table_size)
    present = sorted(set(range(players)) - set(wishes.absent))
    if len(present) < players:
        groups, method = _without_absent(present, rounds, table_size, wishes, random, proposals)
    else:
        groups, method = _groups(players, rounds, table_size, wishes, random, proposals)
    if not wishes.history and len(present) % table_size:
        groups = spare_the_ends(groups, players)
    groups = number_tables(groups, players, random, proposals)
    return Schedule(players, table_size, deal_winds(groups, players, table_size, wishes.history), method, seed)


def _without_absent(
    present: list[int], rounds: int, table_size: int, wishes: Wishes, random: Random, proposals: int
) -> Found:
    number = {player: place for place, player in enumerate(present)}

    def among(groups: tuple[tuple[int, ...], ...]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(number[player] for player in group if player in number) for group in groups)

    def pairs(groups: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
        return tuple((number[one], number[other]) for one, other in groups if one in number and other in number)

    history = tuple(among(tables) for tables in wishes.history)
    inner = Wishes(pairs(wishes.apart), pairs(wishes.together), among(wishes.groups), history)
    groups, method = _groups(len(present), rounds, table_size, inner, random, proposals)
    return [[[present[place] for place in table] for table in tables] for tables in groups], method


def _groups(players: int, rounds: int, table_size: int, wishes: Wishes, random: Random, proposals: int) -> Found:
    found = None if wishes.history else _undisturbed(players, rounds, table_size, random, proposals)
    extra = surcharges(rounds, wishes)
    if found is not None and not extra:
        return _by_lot(found[0], players, random), found[1]
    candidates: list[Found] = []
    if found is not None and not wishes.together:
        groups, left = relabelled(found[0], players, extra, random)
        candidates = [(groups, found[1])]
        if not left:
            return candidates[0]
    candidates.append((searched(players, rounds, table_size, wishes, random, proposals), "annealing"))

    def price(candidate: Found) -> tuple[int, int]:
        met = meetings([*wishes.history, *candidate[0]], players)
        return sum(_apart_met(candidate[0], players, wishes).values()), cost(met, extra)

    best = min(candidates, key=price)
    for one, other in _apart_met(best[0], players, wishes):
        raise SeatingError(
            f"No seating was found that keeps all these pairs apart; players {one} and {other} still meet."
        )
    return best


def _undisturbed(players: int, rounds: int, table_size: int, random: Random, proposals: int) -> Found:
    found = constructed(players, rounds, table_size, random)
    if found is not None:
        return found
    shorter = (constructed(players, length, table_size, random) for length in PART_LENGTHS if length < rounds)
    begun = next(start for start in shorter if start is not None)
    return prolonged(begun[0], players, rounds, table_size, random, proposals), f"{begun[1]}+annealing"


def _apart_met(groups: Groups, players: int, wishes: Wishes) -> dict[tuple[int, int], int]:
    met = meetings(groups, players)
    return {(one, other): met[one][other] for one, other in wishes.apart_pairs if met[one][other]}


@cache
def _shelf(table_size: int) -> Mapping[str, Any]:
    name = {3: "tables_of_three.json", 4: "tables_of_four.json"}[table_size]
    shelf: Mapping[str, Any] = json.loads(files(__package__).joinpath(name).read_text("utf-8"))
    return shelf


CYCLES = {3: {9: 4}, 4: {8: 7, 12: 11, 16: 5, 28: 9, 40: 13}}
"""By table size and number of players: rounds after which all pairs have met equally often, so it can repeat."""


def constructed(players: int, rounds: int, table_size: int, random: Random) -> Found | None:
    if players == table_size:
        return [[list(range(players))]] * rounds, "one_table"
    cycle = CYCLES[table_size].get(players)
    if cycle is not None and rounds > max(cycle, 12 if cycle > 5 else 0):
        return _repeated(players, rounds, cycle, table_size, random)
    if players % table_size:
        return _known(players, rounds, table_size) or _with_byes(players, rounds, table_size, random)
    design = difference_design(players // table_size, rounds, table_size, random)
    return (design, "difference_matrix") if design is not None else _known(players, rounds, table_size)


def _known(players: int, rounds: int, table_size: int) -> Found | None:
    shelf = _shelf(table_size)
    entry = shelf["players"].get(str(players))
    if entry is None or rounds > len(entry["from"]):
        return None
    words = entry["rounds"][str(entry["from"][rounds - 1])].split()
    alphabet: str = shelf["alphabet"]
    seated = [[alphabet.index(letter) for letter in word] for word in words[:rounds]]
    return [
        [row[start : start + table_size] for start in range(0, len(row), table_size)] for row in seated
    ], "catalogue"


def _with_byes(players: int, rounds: int, table_size: int, random: Random) -> Found | None:
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
        assert found is not None  # A cycle is a known schedule, and so is every part of it from the start.
        groups += _by_lot(found[0], players, random)
    return groups, "repeated_cycles"


def _by_lot(groups: Groups, players: int, random: Random) -> Groups:
    """Return the tables with the numbers drawn by lot, so that each seed seats and rests other players."""
    order = random.sample(range(players), players)
    return [[[order[player] for player in table] for table in tables] for tables in groups]
