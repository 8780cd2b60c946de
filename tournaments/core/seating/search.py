"""Seatings without a known construction: found by search, with wishes, history, or after known rounds."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import exp
from random import Random

from tournaments.core.seating.certificate import least_sum_of_squares, table_visits
from tournaments.core.seating.problem import Groups, Matrix, Wishes, byes_so_far, deal_byes, meetings

Lineup = list[int]
"""A round as a flat list: tables in order, then byes."""

HOT, COLD = 2.0, 0.25


@dataclass(slots=True)
class Search:
    """The state of the search.

    `price[p][q]`: cost of one more meeting of p and q; `byes`: rounds without a game, by player. A pair that has met n
    times costs 2n + 1, plus a surcharge for pairs that should not meet, so the total cost is the sum of squared
    meetings plus surcharges.
    """

    lineups: list[Lineup]
    price: Matrix
    byes: list[int]
    table_size: int

    def groups(self) -> Groups:
        size = self.table_size
        return [
            [lineup[start : start + size] for start in range(0, len(lineup) - size + 1, size)]
            for lineup in self.lineups
        ]


def anneal(search: Search, random: Random, proposals: int, *, gain: int, heat: float = HOT) -> int:
    seated = len(search.lineups[0]) // search.table_size * search.table_size
    players, rounds, rand = len(search.lineups[0]), len(search.lineups), random.random
    cooling, warmth, fallen = (COLD / heat) ** (1 / max(proposals, 1)), heat, 0
    for _ in range(proposals):
        warmth *= cooling
        lineup = search.lineups[int(rand() * rounds)]
        here, there = int(rand() * seated), int(rand() * players)
        change = _change(search, lineup, here, there)
        if change is None or (change > 0 and rand() >= exp(-change / warmth)):
            continue
        _swap(search, lineup, here, there)
        fallen -= change
        if fallen >= gain:
            break
    return fallen


def _change(search: Search, lineup: Lineup, here: int, there: int) -> int | None:
    size = search.table_size
    first, second = here // size, there // size
    if first == second:
        return None
    mine, yours = lineup[here], lineup[there]
    my_price, your_price = search.price[mine], search.price[yours]
    start, other = first * size, second * size
    if other + size > len(lineup):
        if search.byes[yours] <= search.byes[mine]:
            return None
        change = 2 * (size - 1) - your_price[mine]
        for mate in lineup[start : start + size]:
            change += your_price[mate] - my_price[mate]
        return change
    change = 4 * (size - 1) - 2 * my_price[yours]
    for mate, rival in zip(lineup[start : start + size], lineup[other : other + size], strict=True):
        change += your_price[mate] - my_price[mate] + my_price[rival] - your_price[rival]
    return change


def _swap(search: Search, lineup: Lineup, here: int, there: int) -> None:
    size = search.table_size
    mine, yours = lineup[here], lineup[there]
    start, other = here // size * size, there // size * size
    _move(search.price, lineup[start : start + size], mine, yours)
    if other + size > len(lineup):
        search.byes[mine] += 1
        search.byes[yours] -= 1
    else:
        _move(search.price, lineup[other : other + size], yours, mine)
    lineup[here], lineup[there] = yours, mine


def _move(price: Matrix, table: list[int], leaves: int, comes: int) -> None:
    old, new = price[leaves], price[comes]
    for mate in table:
        if mate != leaves:
            row = price[mate]
            old[mate] -= 2
            row[leaves] -= 2
            new[mate] += 2
            row[comes] += 2


PRICE_APART, PRICE_GROUP = 24, 8
"""Surcharges per meeting: well above the cost of a repeated meeting, but low enough for the search to get past."""

EFFORTS = (1, 3, 12, 16)
"""Relative number of proposals for each search in turn; most seatings are optimal after the first."""


def surcharges(rounds: int, wishes: Wishes) -> dict[tuple[int, int], int]:
    extra: dict[tuple[int, int], int] = {}
    weights = (
        (wishes.group_pairs, PRICE_GROUP),
        (wishes.apart_pairs, PRICE_APART),
        # Exceeds the cost of any meeting, so more meetings are always better.
        (wishes.together_pairs, -3 * (rounds + len(wishes.history)) - 8),
    )
    for pairs, weight in weights:
        for pair in pairs:
            extra[pair] = extra.get(pair, 0) + weight
    return extra


def cost(met: Matrix, extra: dict[tuple[int, int], int]) -> int:
    squares = sum(count * count for row in met for count in row) // 2
    return squares + sum(weight * met[one][other] for (one, other), weight in extra.items())


def searched(players: int, rounds: int, table_size: int, wishes: Wishes, random: Random, proposals: int) -> Groups:
    """Return the best tables of several random searches; all players are present.

    Each search may take longer than the last. The first optimum ends the search.
    """
    before = meetings(wishes.history, players)
    extra = surcharges(rounds, wishes)
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
    now = meetings(search.groups(), len(before))
    return [[old + new for old, new in zip(*rows, strict=True)] for rows in zip(before, now, strict=True)]


def _least_cost(search: Search, before: Matrix, extra: dict[tuple[int, int], int]) -> int:
    """Return a lower bound of the cost: all new meetings between new pairs, or all meetings spread evenly."""
    players, met = len(before), _met(search, before)
    fresh = (sum(map(sum, met)) - sum(map(sum, before))) // 2
    first = sum(count * count for row in before for count in row) // 2 + fresh
    even = least_sum_of_squares(sum(map(sum, met)) // 2, players * (players - 1) // 2)
    wished = sum(weight * before[one][other] for (one, other), weight in extra.items())
    most = sum(len(search.lineups) * -weight for weight in extra.values() if weight < 0)
    return max(first, even) + wished - most


def prolonged(groups: Groups, players: int, rounds: int, table_size: int, random: Random, proposals: int) -> Groups:
    history = tuple(tuple(tuple(table) for table in tables) for tables in groups)
    more = searched(players, rounds - len(groups), table_size, Wishes(history=history), random, proposals)
    return [*groups, *more]


Pair = tuple[int, int]

WISHES_HOT, WISHES_COLD, PROPOSALS = 20.0, 1.0, 20_000


def relabelled(groups: Groups, players: int, unwanted: Mapping[Pair, int], random: Random) -> tuple[Groups, int]:
    """Return the schedule with renumbered players, and the remaining weight of unwanted meetings.

    Whole clubs are first assigned to columns of the design (players who never meet), then players are swapped.
    `unwanted`: weight of a meeting by pair.
    """
    met = meetings(groups, players)
    place = _packed(_families(unwanted), len(groups[0]), players, random)
    if _weight(place, met, unwanted):
        place = _exchanged(place, met, unwanted, random)
    owner = {seat: player for player, seat in enumerate(place)}
    renamed = [[[owner[seat] for seat in table] for table in tables] for tables in groups]
    return renamed, _weight(place, met, unwanted)


def _families(pairs: Iterable[Pair]) -> list[list[int]]:
    family: dict[int, list[int]] = {}
    for one, other in pairs:
        mine, theirs = family.setdefault(one, [one]), family.setdefault(other, [other])
        if mine is not theirs:
            mine += theirs
            family.update(dict.fromkeys(theirs, mine))
    distinct = {id(members): members for members in family.values()}
    return sorted(distinct.values(), key=len, reverse=True)


def _packed(families: list[list[int]], width: int, players: int, random: Random) -> list[int]:
    places = range(players)
    free = [list(places[start : start + width]) for start in range(0, players, width)]
    left = random.sample(places, players)
    placed: dict[int, int] = {}
    for family in families:
        column = next((column for column in free if len(column) >= len(family)), None)
        if column is not None:
            placed |= {player: column.pop(0) for player in family}
    rest = [place for column in free for place in column]
    placed |= dict(zip((player for player in left if player not in placed), rest, strict=True))
    return [placed[player] for player in range(players)]


def _weight(place: list[int], met: Matrix, unwanted: Mapping[Pair, int]) -> int:
    return sum(weight * met[place[one]][place[other]] for (one, other), weight in unwanted.items())


def _exchanged(place: list[int], met: Matrix, unwanted: Mapping[Pair, int], random: Random) -> list[int]:
    wishes: dict[int, list[Pair]] = {}
    for (one, other), weight in unwanted.items():
        wishes.setdefault(one, []).append((other, weight))
        wishes.setdefault(other, []).append((one, weight))
    place, left = place[:], _weight(place, met, unwanted)
    picky, warmth, cooling = sorted(wishes), WISHES_HOT, (WISHES_COLD / WISHES_HOT) ** (1 / PROPOSALS)
    for _ in range(PROPOSALS):
        if not left:
            break
        warmth *= cooling
        pair = (picky[int(random.random() * len(picky))], int(random.random() * len(place)))
        before = _weight_of(pair, place, met, wishes)
        _exchange(place, pair)
        change = _weight_of(pair, place, met, wishes) - before
        if change > 0 and random.random() >= exp(-change / warmth):
            _exchange(place, pair)
        else:
            left += change
    return place


def _exchange(place: list[int], pair: Pair) -> None:
    one, other = pair
    place[one], place[other] = place[other], place[one]


def _weight_of(pair: Pair, place: list[int], met: Matrix, wishes: Mapping[int, list[Pair]]) -> int:
    """Return the weight of two players' unwanted meetings, except with each other.

    Those stay the same if the two change places.
    """
    total = 0
    for player in set(pair):
        row = met[place[player]]
        for other, weight in wishes.get(player, ()):
            if other not in pair:
                total += weight * row[place[other]]
    return total


NUMBERS_HOT, NUMBERS_COLD = 3.0, 0.3
NUMBERS_PROPOSALS, FEW, MANY_TABLES = 60_000, 4_000, 13
"""Search budgets; with many tables, designs leave little to improve."""


def number_tables(groups: Groups, players: int, random: Random, proposals: int) -> Groups:
    """Return the same tables reordered within each round, so that players rarely repeat a table number.

    The search stops at an optimum. Zero repetitions are not always possible: with 16 players who never meet twice, each
    table has four players who have sat at the same table number before.
    """
    visits = table_visits(groups, players)
    goal = sum(least_sum_of_squares(sum(row), len(row)) for row in visits)
    excess = sum(count * count for row in visits for count in row) - goal
    tables = len(groups[0])
    if excess == 0 or tables < 2:
        return groups
    proposals = min(proposals, NUMBERS_PROPOSALS if tables < MANY_TABLES else FEW)
    numbered, warmth, rand = [round[:] for round in groups], NUMBERS_HOT, random.random
    cooling = (NUMBERS_COLD / NUMBERS_HOT) ** (1 / proposals)
    for _ in range(proposals):
        warmth *= cooling
        round = numbered[int(rand() * len(numbered))]
        here, there = int(rand() * tables), int(rand() * tables)
        change = _change_of_visits(visits, round, here, there)
        if change > 0 and rand() >= exp(-change / warmth):
            continue
        _swap_numbers(visits, round, here, there)
        excess += change
        if excess == 0:
            break
    return numbered


def _change_of_visits(visits: Matrix, round: list[list[int]], here: int, there: int) -> int:
    if here == there:
        return 0
    change = 0
    for player in round[here]:
        change += visits[player][there] - visits[player][here] + 1
    for player in round[there]:
        change += visits[player][here] - visits[player][there] + 1
    return 2 * change


def _swap_numbers(visits: Matrix, round: list[list[int]], here: int, there: int) -> None:
    if here != there:
        for place, other in ((here, there), (there, here)):
            for player in round[place]:
                visits[player][place] -= 1
                visits[player][other] += 1
        round[here], round[there] = round[there], round[here]
