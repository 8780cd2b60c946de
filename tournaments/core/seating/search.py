"""Seatings that no construction knows: searched for, with wishes, with history, or after known rounds."""

from random import Random

from tournaments.core.seating.annealing import Search, anneal
from tournaments.core.seating.bounds import least_sum_of_squares
from tournaments.core.seating.byes import byes_so_far, deal_byes
from tournaments.core.seating.meetings import meetings
from tournaments.core.seating.problem import Groups, Matrix, Wishes

PRICE_APART, PRICE_GROUP = 24, 8
"""Added to the price of a meeting: well above what a repeated meeting costs, low enough for a search to pass through."""

EFFORTS = (1, 3, 12, 16)
"""Shares of the proposals that one search after another may use: most seatings are as even as can be after the first."""


def surcharges(players: int, rounds: int, wishes: Wishes) -> dict[tuple[int, int], int]:
    """Return what a meeting of some pairs costs beyond that it is a meeting; less than nothing for pairs kept together."""
    extra: dict[tuple[int, int], int] = {}
    weights = (
        (wishes.group_pairs, PRICE_GROUP),
        (wishes.apart_pairs, PRICE_APART),
        # More than the price of the last of all meetings, so that no number of them is enough.
        (wishes.together_pairs, -3 * (rounds + len(wishes.history)) - 8),
    )
    for pairs, weight in weights:
        for pair in pairs:
            extra[pair] = extra.get(pair, 0) + weight
    return extra


def cost(met: Matrix, extra: dict[tuple[int, int], int]) -> int:
    """Return what a search makes as small as it can: squared meetings, and meetings of some pairs by their weight."""
    squares = sum(count * count for row in met for count in row) // 2
    return squares + sum(weight * met[one][other] for (one, other), weight in extra.items())


def searched(players: int, rounds: int, table_size: int, wishes: Wishes, random: Random, proposals: int) -> Groups:
    """Return the best tables of several searches from random ones, for players who are all present.

    Each may take longer than the one before; none begins, or goes on, after one that nothing can beat.
    """
    before = meetings(wishes.history, players)
    extra = surcharges(players, rounds, wishes)
    best: tuple[int, Groups] | None = None
    for effort in EFFORTS:
        search = _start(players, rounds, table_size, wishes, random)
        _price(search, before, extra)
        least = _least_cost(search, before, extra)
        now = cost(_met(search, before), extra)
        found = now - anneal(search, random, proposals * effort // sum(EFFORTS), gain=now - least)
        if best is None or found < best[0]:
            best = found, search.groups()
        if found <= least:
            break
    assert best is not None
    return best[1]


def _start(players: int, rounds: int, table_size: int, wishes: Wishes, random: Random) -> Search:
    waited = byes_so_far(wishes.history, players)
    lineups = []
    for resting in deal_byes(range(players), rounds, players % table_size, waited, random):
        seated = [player for player in range(players) if player not in resting]
        lineups.append(random.sample(seated, len(seated)) + resting)
    return Search(lineups, [], waited, table_size)


def _price(search: Search, before: Matrix, extra: dict[tuple[int, int], int]) -> None:
    met = meetings(search.groups(), len(before))
    search.price = [
        [2 * (old + new) + 1 if one != other else 0 for other, (old, new) in enumerate(zip(*rows, strict=True))]
        for one, rows in enumerate(zip(before, met, strict=True))
    ]
    for (one, other), weight in extra.items():
        search.price[one][other] += weight
        search.price[other][one] += weight


def _met(search: Search, before: Matrix) -> Matrix:
    """Return all meetings: those before, and those of the state of the search."""
    now = meetings(search.groups(), len(before))
    return [[old + new for old, new in zip(*rows, strict=True)] for rows in zip(before, now, strict=True)]


def _least_cost(search: Search, before: Matrix, extra: dict[tuple[int, int], int]) -> int:
    """Return what no search can beat: every new meeting is a pair's first, or all meetings are spread evenly."""
    players, met = len(before), _met(search, before)
    fresh = (sum(map(sum, met)) - sum(map(sum, before))) // 2
    first = sum(count * count for row in before for count in row) // 2 + fresh
    even = least_sum_of_squares(sum(map(sum, met)) // 2, players * (players - 1) // 2)
    wished = sum(weight * before[one][other] for (one, other), weight in extra.items())
    most = sum(len(search.lineups) * -weight for weight in extra.values() if weight < 0)
    return max(first, even) + wished - most


def prolonged(groups: Groups, players: int, rounds: int, table_size: int, random: Random, proposals: int) -> Groups:
    """Return the given rounds and further ones up to the number wanted, searched for against those before them."""
    history = tuple(tuple(tuple(table) for table in tables) for tables in groups)
    more = searched(players, rounds - len(groups), table_size, Wishes(history=history), random, proposals)
    return [*groups, *more]
