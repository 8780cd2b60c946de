"""Seating of a session that balances opponents and seat winds over the season.

Deterministic for the same people, season, seed and number of swaps. Pairs are weighted by the square of their meetings,
so that one pair with three meetings outweighs three pairs with one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from random import Random

from league.core.seating import deal

Tables = tuple[tuple[int, ...], ...]
"""People at each table, by number; those beyond the first `size` sit out first."""

PROVEN_UP_TO = 12
"""Up to this number of people, all seatings are tried."""

KICK = 3
"""Random swaps to leave a local optimum."""


@dataclass(frozen=True, slots=True)
class SeasonSoFar:
    """How often people have met, and at which winds they started.

    People are numbered from 0. `met[i][j]`: shared hanchan, symmetric. `winds[i][w]`: hanchan started at wind w.
    """

    met: Sequence[Sequence[int]]
    winds: Sequence[Sequence[int]]


def even_tables(so_far: SeasonSoFar, size: int, seed: int, *, late: frozenset[int], most: int) -> Tables:
    """Return the tables with the lowest weight of earlier meetings that could be found.

    Starts from the random draw for the seed and tries at most `most` swaps, so it is never worse than the draw; optimal
    up to PROVEN_UP_TO people if `most` suffices. Latecomers sit out first, as far as possible. Winds are balanced at
    each table. Raise TooFewError if a table cannot be filled.
    """
    random = Random(seed)  # noqa: S311 - a published lot, not a secret
    lot, waiting = _late_waiting(deal(range(len(so_far.met)), size, seed), size, late)
    seating = _Seating(lot, [[count * count for count in row] for row in so_far.met], waiting)
    best: Sequence[Sequence[int]] = _searched(seating, random, most)
    if len(so_far.met) <= PROVEN_UP_TO:
        best = _proven(best, seating.weights, waiting, most)
    return tuple(_by_winds(table, so_far.winds, size, waiting, random) for table in best)


def lot_tables(count: int, size: int, seed: int, *, late: frozenset[int]) -> Tables:
    lot, _waiting = _late_waiting(deal(range(count), size, seed), size, late)
    return tuple(map(tuple, lot))


def pairs_at(tables: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Yield the pairs at each table, including players who sit out first."""
    for table in tables:
        yield from combinations(sorted(table), 2)


def _late_waiting(lot: Tables, size: int, late: frozenset[int]) -> tuple[list[list[int]], frozenset[int]]:
    """Move latecomers to the places that sit out first; also return those who got one."""
    order = [person for table in lot for person in table]
    coming_late = [person for person in order if person in late]
    waiting = frozenset(coming_late[: sum(len(table) - size for table in lot)])
    punctual = iter([person for person in order if person not in waiting])
    still_late = iter([person for person in coming_late if person in waiting])
    tables = []
    for table in lot:
        out = [person for person in (next(still_late, None) for _ in table[size:]) if person is not None]
        tables.append([next(punctual) for _ in range(len(table) - len(out))] + out)
    return tables, waiting


class _Seating:
    """A seating under optimisation. `pull[person][table]`: total weight of the person with the people there."""

    def __init__(self, tables: Sequence[Sequence[int]], weights: list[list[int]], waiting: frozenset[int]) -> None:
        self.weights, self.waiting = weights, waiting
        people = range(len(weights))
        self.at = [0] * len(weights)
        for number, table in enumerate(tables):
            for person in table:
                self.at[person] = number
        self.pull = [[sum(weights[person][other] for other in table) for table in tables] for person in people]
        # Latecomers who sit out only swap with each other.
        kinds = [[p for p in people if (p in waiting) is late] for late in (False, True)]
        self.swaps = [pair for kind in kinds for pair in combinations(kind, 2)]

    def gain(self, one: int, other: int) -> int:
        here, there, pull = self.at[one], self.at[other], self.pull
        if here == there:
            return 0
        gone = pull[one][here] + pull[other][there]
        return gone - pull[one][there] - pull[other][here] + 2 * self.weights[one][other]

    def swap(self, one: int, other: int) -> None:
        here, there = self.at[one], self.at[other]
        self.at[one], self.at[other] = there, here
        for pull, mine, theirs in zip(self.pull, self.weights[one], self.weights[other], strict=True):
            pull[here] += theirs - mine
            pull[there] += mine - theirs

    def tables(self) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in range(max(self.at) + 1)]
        for person, table in enumerate(self.at):
            found[table].append(person)
        return found

    def weight(self) -> int:
        return sum(pull[table] for pull, table in zip(self.pull, self.at, strict=True))


def _searched(seating: _Seating, random: Random, most: int) -> list[list[int]]:
    """Improve the tables by swaps, restarting from random changes at each local optimum."""
    tried = _descend(seating, random)
    best, lightest = seating.tables(), seating.weight()
    while lightest and seating.swaps and tried < most:
        for _ in range(KICK):
            seating.swap(*random.choice(seating.swaps))
        tried += _descend(seating, random)
        if (weight := seating.weight()) <= lightest:
            best, lightest = seating.tables(), weight
        else:
            seating = _Seating(best, seating.weights, seating.waiting)
    return best


def _descend(seating: _Seating, random: Random) -> int:
    """Swap while it improves the tables; return the number of swaps tried."""
    tried, has_gained = 0, True
    order = random.sample(seating.swaps, len(seating.swaps))
    while has_gained:
        has_gained = False
        tried += len(order)
        for one, other in order:
            if seating.gain(one, other) > 0:
                seating.swap(one, other)
                has_gained = True
    return tried


def _proven(
    best: Sequence[Sequence[int]], weights: list[list[int]], waiting: frozenset[int], most: int
) -> Sequence[Sequence[int]]:
    """Return optimal tables of the same shape, or `best` if `most` steps are not enough."""
    found = best
    lightest = sum(weights[one][other] for one, other in pairs_at(best))
    shape = [(len(table), sum(person in waiting for person in table)) for table in best]
    steps: list[tuple[int, tuple[int, ...], Tables]] = [(0, tuple(range(len(weights))), ())]
    for _ in range(most):
        if not steps or not lightest:
            break
        weight, left, tables = steps.pop()
        if weight >= lightest:
            continue
        if not left:
            lightest, found = weight, tables
            continue
        count, late = shape[len(tables)]
        for table in combinations(left, count):
            heavier = weight + sum(weights[one][other] for one, other in combinations(table, 2))
            if heavier < lightest and sum(person in waiting for person in table) == late:
                steps.append((heavier, tuple(person for person in left if person not in table), (*tables, table)))
    return found


def _by_winds(
    table: Sequence[int], winds: Sequence[Sequence[int]], size: int, waiting: frozenset[int], random: Random
) -> tuple[int, ...]:
    """Return the players in seat order, first dealer first, so that seat winds are balanced.

    The sum of squared wind counts is minimised. Those with the fewest hanchan do not sit out, unless they come late.
    """
    here = random.sample(sorted(set(table) - waiting), len(set(table) - waiting))
    seated = min(permutations(here, size), key=lambda order: wind_weight(order, winds))
    return (*seated, *(person for person in here if person not in seated), *sorted(set(table) & waiting))


def wind_weight(order: Sequence[int], winds: Sequence[Sequence[int]]) -> int:
    return sum(2 * winds[person][wind] + 1 for wind, person in enumerate(order))


@dataclass(frozen=True, slots=True)
class Evenness:
    """How tables change the balance of a season.

    `before`, `after`: number of pairs by number of meetings, from 0. `met`: earlier meetings of all pairs at the
    tables; `by_lot`: the same for an average random draw, in tenths. `often`: the pairs with the most meetings.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    met: int
    by_lot: int
    often: tuple[tuple[int, int, int], ...]


SHOWN_PAIRS = 5


def evenness_of(tables: Sequence[Sequence[int]], so_far: SeasonSoFar) -> Evenness:
    sharing = set(pairs_at(tables))
    everybody = sorted(person for table in tables for person in table)
    before = {pair: so_far.met[pair[0]][pair[1]] for pair in combinations(everybody, 2)}
    after = {pair: count + (pair in sharing) for pair, count in before.items()}
    # Any two people share a table with the same probability, so the average is exact, not sampled.
    tenths = 10 * sum(before.values()) * len(sharing)
    by_lot = (2 * tenths + len(before)) // (2 * len(before)) if before else 0
    often = sorted((-before[pair], *pair) for pair in sharing if before[pair])[:SHOWN_PAIRS]
    return Evenness(
        before=_spread(before.values()),
        after=_spread(after.values()),
        met=sum(before[pair] for pair in sharing),
        by_lot=by_lot,
        often=tuple((one, other, -count) for count, one, other in often),
    )


def _spread(counts: Iterable[int]) -> tuple[int, ...]:
    found = Counter(counts)
    return tuple(found[number] for number in range(max(found, default=0) + 1))
