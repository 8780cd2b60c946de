"""Swiss pairing: players of similar rank meet, without repeated meetings."""

from collections.abc import Sequence
from math import exp
from random import Random

from tournaments.core.seating.problem import Matrix, Round, SeatingError, byes_so_far, chance, check_rounds, meetings
from tournaments.core.seating.winds import count_winds, winds_by_need

Byes = tuple[int, int]
"""How many byes a player had in earlier stages, and when the last was, as a number up to 0."""

WINDOW = 12
"""Maximum difference in rank between two players whose seats are exchanged in one search step."""
PROPOSALS, BEST_OF = 150_000, 96
"""Search steps, shared by `BEST_OF` / players searches, since short ones suffice for few players."""
HOT, HOT_FOR_REPEATS, COLD = 4.0, 0.3, 20.0
"""Annealing temperatures: start for players, start for repeated meetings, end."""
REPEATS_FIRST = 40
"""Weight of a repeated meeting per player, high enough to come before all differences in rank."""


def next_swiss_round(
    order: Sequence[int],
    history: Sequence[Round],
    *,
    seed: int = 1,
    table_size: int = 4,
    proposals: int = PROPOSALS,
    before: Sequence[Byes] = (),
) -> Round:
    """Return the next round for players in the order of the standings, best first; table 1 is the strongest.

    Each pair at a table costs its squared number of earlier meetings (three second meetings are better than a third
    one), then its squared difference in rank. Byes go to players who have had the fewest in these rounds, then the fewest
    `before` (in the order of the standings), then the longest ago, then to the lowest-ranked. Winds are balanced.
    """
    _check(order, history, table_size)
    random = chance(seed, "swiss", len(history))
    seated = _seated(order, history, table_size, before)
    heavy = table_size * REPEATS_FIRST * len(order)
    searches = max(1, BEST_OF // len(seated))
    proposals = max(1, min(proposals, PROPOSALS) // searches)
    met = meetings(history, _count(order, history))
    price = [
        [(rank - other) ** 2 + heavy * met[player][rival] ** 2 for other, rival in enumerate(seated)]
        for rank, player in enumerate(seated)
    ]
    found = [_cooled(list(range(len(seated))), price, table_size, random, heavy, proposals) for _ in range(searches)]
    places = min(found)[1]
    tables = sorted((places[start : start + table_size] for start in range(0, len(places), table_size)), key=sum)
    return _with_winds([[seated[rank] for rank in table] for table in tables], order, history, random)


def round_by_standing(
    order: Sequence[int], history: Sequence[Round], *, table_size: int = 4, seed: int = 1, before: Sequence[Byes] = ()
) -> Round:
    _check(order, history, table_size)
    seated = _seated(order, history, table_size, before)
    tables = [seated[start : start + table_size] for start in range(0, len(seated), table_size)]
    return _with_winds(tables, order, history, chance(seed, "standing", len(history)))


def _count(order: Sequence[int], history: Sequence[Round]) -> int:
    return 1 + max([*order, *(player for tables in history for table in tables for player in table)])


def _check(order: Sequence[int], history: Sequence[Round], table_size: int) -> None:
    if table_size not in {3, 4} or len(order) < table_size:
        raise SeatingError(f"{len(order)} players cannot fill a table of {table_size}.")
    if len(set(order)) < len(order) or min(order) < 0:
        message = "Every player appears once in the order, as a number from 0."
        raise SeatingError(message)
    check_rounds(history, _count(order, history), table_size)


def _seated(order: Sequence[int], history: Sequence[Round], table_size: int, before: Sequence[Byes]) -> list[int]:
    before = before or [(0, 0)] * len(order)
    waited = byes_so_far(history, _count(order, history))
    last = {player: when for player, (_, when) in zip(order, before, strict=True)}
    for number, tables in enumerate(history, start=1):
        last |= dict.fromkeys(set(order).difference(*tables), number)
    byes = [(waited[player], before[rank][0], last[player], -rank) for rank, player in enumerate(order)]
    resting = {order[-each[-1]] for each in sorted(byes)[: len(order) % table_size]}
    return [player for player in order if player not in resting]


def _cooled(
    places: list[int], price: Matrix, size: int, random: Random, heavy: int, proposals: int
) -> tuple[int, list[int]]:
    if len(places) == size:
        return 0, places
    where = list(range(len(places)))
    warmth = HOT * len(places) + HOT_FOR_REPEATS * heavy
    cooling = (COLD / warmth) ** (1 / proposals)
    best, cost, least = places[:], 0, 0
    for _ in range(proposals):
        warmth *= cooling
        rank = int(random.random() * len(places))
        other = rank + 1 + int(random.random() * WINDOW)
        if other >= len(places):
            continue
        here, there = where[rank], where[other]
        change = _change(places, price, (here, there), size)
        if change > 0 and random.random() >= exp(-change / warmth):
            continue
        places[here], places[there], where[rank], where[other] = other, rank, there, here
        cost += change
        if cost < least:
            best, least = places[:], cost
    return least, best


def _change(places: list[int], price: Matrix, swap: tuple[int, int], size: int) -> int:
    here, there = swap
    first, second = here // size * size, there // size * size
    if first == second:
        return 0
    mine, yours = price[places[here]], price[places[there]]
    # A player's price with themself is zero, so their own place may stay in the list.
    change = -2 * mine[places[there]]
    for mate, rival in zip(places[first : first + size], places[second : second + size], strict=True):
        change += yours[mate] - mine[mate] + mine[rival] - yours[rival]
    return change


def _with_winds(tables: list[list[int]], order: Sequence[int], history: Sequence[Round], random: Random) -> Round:
    size = len(tables[0])
    counts = count_winds(history, _count(order, history), size)
    return tuple(winds_by_need(random.sample(table, size), counts) for table in tables)
