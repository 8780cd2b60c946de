"""Schedules from difference matrices: no pair meets twice, and players rarely get the same table number twice.

A difference matrix has a row for each round, a column for each seat and one for the table number; the differences
between any two columns are all distinct. Players (g, y), where g is a seat and y an element of a group of order T, are
numbered g T + y. In a round with row (o0, o1, …, s), table number x + s seats all (g, x + og). Source: classical
constructions (Bose, Shrikhande, Parker 1960); our own search for small matrices without a field.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random

from tournaments.core.seating.problem import Groups

Operation = Callable[[int, int], int]

_POLYNOMIALS = {
    4: (2, 0b111),
    8: (2, 0b1011),
    9: (3, 10),
    16: (2, 0b10011),
    25: (5, 27),
    27: (3, 34),
    32: (2, 0b100101),
    49: (7, 50),
}
"""Prime and irreducible polynomial of each non-prime field, as digits in base p with the constant last."""


@dataclass(frozen=True, slots=True)
class Group:
    """An Abelian group on 0..order-1; `times` is the multiplication if it is a field."""

    order: int
    plus: Operation
    times: Operation | None = None


def integers_modulo(order: int) -> Group:
    def plus(one: int, other: int) -> int:
        return (one + other) % order

    def times(one: int, other: int) -> int:
        return one * other % order

    return Group(order, plus, times if is_prime(order) else None)


def two_by_six() -> Group:
    """Return the group Z2 × Z6, with the element (a, b) written as a + 2b."""

    def plus(one: int, other: int) -> int:
        return (one + other) % 2 + (one // 2 + other // 2) % 6 * 2

    return Group(12, plus)


@cache
def group_of(order: int) -> Group:
    if order in _POLYNOMIALS:
        return _field(order, *_POLYNOMIALS[order])
    return two_by_six() if order == 12 else integers_modulo(order)


def is_prime(number: int) -> bool:
    return number > 1 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def _field(order: int, prime: int, polynomial: int) -> Group:
    """Return the field of a prime power. The base-p digits of an element are the coefficients of its polynomial."""

    def plus(one: int, other: int) -> int:
        total, weight = 0, 1
        while one or other:
            total += (one + other) % prime * weight
            one, other, weight = one // prime, other // prime, weight * prime
        return total

    def multiple(element: int, times: int) -> int:
        return 0 if times == 0 else plus(element, multiple(element, times - 1))

    # The highest power equals minus the rest of the polynomial.
    reduced = multiple(polynomial - order, prime - 1)

    def product(one: int, other: int) -> int:
        if other == 0:
            return 0
        top, rest = divmod(product(one, other // prime) * prime, order)
        return plus(plus(rest, multiple(reduced, top)), multiple(one, other % prime))

    sums = [[plus(one, other) for other in range(order)] for one in range(order)]
    products = [[product(one, other) for other in range(order)] for one in range(order)]
    return Group(order, lambda one, other: sums[one][other], lambda one, other: products[one][other])


Row = tuple[int, ...]

_KNOWN: dict[int, str] = {
    6: "0000 3125 4312 2431 1254",
    10: "0000 1697 2413 3165 4358 5972 7826 8541 9234",
    12: "0000 1436 25ab 3897 4159 5b24 62b5 7683 8a62 971a a978 b341",
    14: "0000 17b4 257c 3b62 438b 5c4a 64c7 7859 8a96 9d23 b6d1 d9a8",
    15: "cbcd 9276 3c8b b041 d508 51ec 17d7 743a 8694 0aa0 49b2 6855",
}
"""Columns 1, 2, 3 and the table number, one character per element; column 0 is all zeros."""

TRIALS, NODES = 12, 4000


def difference_rows(order: int, rounds: int, table_size: int, random: Random) -> list[Row] | None:
    """Return the rows of a difference matrix whose last column is the table number, None if none is known."""
    group = group_of(order)
    if group.times is not None and order > table_size and rounds <= order:
        return _field_rows(group, rounds, table_size + 1, random)
    if order in _KNOWN and rounds <= len(_KNOWN[order].split()):
        known = [(0, *(int(digit, 16) for digit in row)) for row in _KNOWN[order].split()]
        return [(*row[:table_size], row[-1]) for row in random.sample(known, rounds)]
    if group.times is not None and order == table_size and rounds <= order:
        # All columns of the field are used for seats, so there is none for the table numbers.
        return [(*row, 0) for row in _field_rows(group, rounds, table_size, random)]
    if rounds <= order and order > 15:
        return _searched_rows(group, rounds, table_size, random)
    return None


def _field_rows(group: Group, rounds: int, columns: int, random: Random) -> list[Row]:
    multipliers = random.sample(range(group.order), columns)
    assert group.times is not None
    rows = random.sample(range(group.order), rounds)
    return [tuple(group.times(row, multiplier) for multiplier in multipliers) for row in rows]


def _searched_rows(group: Group, rounds: int, table_size: int, random: Random) -> list[Row] | None:
    """Return rows over the integers modulo `order`, found by backtracking; None if the search takes too long."""
    for _ in range(TRIALS):
        search = _RowSearch(group.order, rounds, table_size + 1, random)
        if search.extend([0]):
            return search.rows
    return None


class _RowSearch:
    def __init__(self, order: int, rounds: int, columns: int, random: Random) -> None:
        self.order, self.rounds, self.columns, self.random = order, rounds, columns, random
        self.rows: list[Row] = []
        self.used: dict[tuple[int, int], set[int]] = {pair: set() for pair in combinations(range(columns), 2)}
        self.nodes = NODES

    def extend(self, row: list[int]) -> bool:
        column = len(row)
        if column == self.columns:
            self.rows.append(tuple(row))
            if len(self.rows) == self.rounds or self.extend([0]):
                return True
            self.rows.pop()
            return False
        for value in self.random.sample(range(self.order), self.order):
            self.nodes -= 1
            differences = [(value - before) % self.order for before in row]
            if any(new in self.used[place, column] for place, new in enumerate(differences)):
                continue
            self._mark(column, differences, used=True)
            if self.extend([*row, value]):
                return True
            self._mark(column, differences, used=False)
            if self.nodes < 0:
                break
        return False

    def _mark(self, column: int, differences: list[int], *, used: bool) -> None:
        for place, difference in enumerate(differences):
            taken = self.used[place, column]
            (taken.add if used else taken.discard)(difference)


def from_rows(rows: Sequence[Row], group: Group, table_size: int) -> Groups:
    order, groups = group.order, []
    for row in rows:
        tables: list[list[int]] = [[] for _ in range(order)]
        for x in range(order):
            tables[group.plus(x, row[-1])] = [seat * order + group.plus(x, row[seat]) for seat in range(table_size)]
        groups.append(tables)
    return groups


def difference_design(tables: int, rounds: int, table_size: int, random: Random) -> Groups | None:
    """Return full rounds in which no pair meets twice, None if there are too few tables.

    Of several matrices, take the one whose worst pair of players who never meet has the most common opponents. Source:
    Lester, "Scheduling Reach Mahjong Tournaments", SAT 2021.
    """
    if table_size <= tables and rounds == tables + 1 and tables % table_size == 0:
        rows = difference_rows(tables, tables, table_size, random)
        # An extra round seats together the players of the same column, who have not met in the design.
        columns = [list(range(start, start + table_size)) for start in range(0, tables * table_size, table_size)]
        return None if rows is None else [*from_rows(rows, group_of(tables), table_size), columns]
    group, best, quality = group_of(tables), None, (-1, -1)
    for _ in range(TRIALS if rounds > 1 else 1):
        rows = difference_rows(tables, rounds, table_size, random)
        if rows is None:
            break
        fresh = indirect_meetings(rows, group, table_size)
        if fresh > quality:
            best, quality = rows, fresh
        if not is_prime(tables) and tables > 32:
            break  # Searched matrices are slow to find, so try only one.
    return None if best is None else from_rows(best, group, table_size)


def indirect_meetings(rows: Sequence[Row], group: Group, table_size: int) -> tuple[int, int]:
    """Return the fewest common opponents of two players who never meet, and the sum over all such pairs.

    The design is symmetric between players of the same column, so checking one player per column is enough.
    """
    masks = [_opponents(rows, group, table_size, seat) for seat in range(table_size)]
    common = [
        (mine[0] & theirs).bit_count()
        for seat, mine in enumerate(masks)
        for other, column in enumerate(masks)
        for element, theirs in enumerate(column)
        if (seat, 0) != (other, element) and not mine[0] >> (other * group.order + element) & 1
    ]
    return min(common, default=0), sum(common)


def _opponents(rows: Sequence[Row], group: Group, table_size: int, seat: int) -> list[int]:
    order, masks = group.order, [0] * group.order
    for row in rows:
        for x in range(order):
            table = sum(
                1 << (other * order + group.plus(x, row[other])) for other in range(table_size) if other != seat
            )
            masks[group.plus(x, row[seat])] |= table
    return masks


def extended_design(design: Groups, extra: int, random: Random) -> Groups | None:
    """Return the design with a few extra players, who replace others every round without repeated meetings.

    The replaced players have a bye, each at most once, so byes are as even as possible. Return None if no such
    replacements are found.
    """
    for _ in range(TRIALS * 4):
        groups = [[table[:] for table in tables] for tables in design]
        resting: set[int] = set()
        newcomers = range(len(design[0]) * len(design[0][0]), len(design[0]) * len(design[0][0]) + extra)
        if all(_find_places(groups, newcomer, resting, random) for newcomer in newcomers):
            return groups
    return None


def _find_places(groups: Groups, newcomer: int, resting: set[int], random: Random) -> bool:
    met, seen = set[int](), set[int]()
    for tables in groups:
        place = next(_places(tables, newcomer, (met, resting), seen, random), None)
        if place is None:
            return False
        table = tables[place[0]]
        resting.add(table[place[1]])
        table[place[1]] = newcomer
        met.update(table)
        seen.add(place[0])
    return True


def _places(
    tables: list[list[int]], newcomer: int, taken: tuple[set[int], set[int]], seen: set[int], random: Random
) -> Iterator[tuple[int, int]]:
    met, resting = taken
    numbers = random.sample(range(len(tables)), len(tables))
    for number in sorted(numbers, key=lambda number: number in seen):
        for place in random.sample(range(len(tables[number])), len(tables[number])):
            mates = [player for player in tables[number] if player != tables[number][place]]
            gives_way = tables[number][place]
            if gives_way not in resting and gives_way < newcomer and met.isdisjoint(mates):
                yield number, place


def without_one(design: Groups, player: int) -> Groups:
    last = sum(map(len, design[0])) - 1
    kept = [[table for table in tables if player not in table] for tables in design]
    return [[[player if seat == last else seat for seat in table] for table in tables] for tables in kept]
