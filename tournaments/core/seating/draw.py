"""Drawing blocks: from a published seed, in order, or in a snake."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import cycle
from typing import Literal, TypeVar

from tournaments.core.seating.problem import SeatingError, chance

Entrant = TypeVar("Entrant", bound=Hashable)


def draw_blocks(
    entrants: Sequence[Entrant],
    sizes: Sequence[int],
    *,
    seed: int,
    method: Literal["draw", "order", "snake"] = "draw",
    seeds: Mapping[Entrant, int] | None = None,
) -> tuple[tuple[Entrant, ...], ...]:
    """Return the blocks, each with as many entrants as its size.

    "draw": entrants with `seeds` are dealt first in a snake, number 1 to the first block; the others are drawn.
    "order": block after block. "snake": all dealt in the given order. Deterministic for a seed. Raise SeatingError if
    sizes do not fit.
    """
    _check(entrants, sizes)
    if method == "order":
        starts = [sum(sizes[:number]) for number in range(len(sizes))]
        return tuple(tuple(entrants[start : start + size]) for start, size in zip(starts, sizes, strict=True))
    if method == "snake":
        return _dealt(list(entrants), sizes, [])
    order = lot_order(entrants, seed, seeds or {})
    seeded = sum(entrant in (seeds or {}) for entrant in entrants)
    return _dealt(order[:seeded], sizes, order[seeded:])


def lot_order(entrants: Sequence[Entrant], seed: int, seeds: Mapping[Entrant, int]) -> tuple[Entrant, ...]:
    seeded = sorted((entrant for entrant in entrants if entrant in seeds), key=lambda entrant: seeds[entrant])
    others = [entrant for entrant in entrants if entrant not in seeds]
    return (*seeded, *chance(seed, "blocks").sample(others, len(others)))


def _check(entrants: Sequence[Entrant], sizes: Sequence[int]) -> None:
    if not sizes or min(sizes) < 1:
        message = "Every block needs at least one spot."
        raise SeatingError(message)
    if len(set(entrants)) < len(entrants):
        message = "Nobody is drawn twice."
        raise SeatingError(message)
    if sum(sizes) != len(entrants):
        raise SeatingError(f"{len(entrants)} entrants do not fill the {sum(sizes)} places of the blocks.")


def _dealt(first: Sequence[Entrant], sizes: Sequence[int], rest: Sequence[Entrant]) -> tuple[tuple[Entrant, ...], ...]:
    blocks: list[list[Entrant]] = [[] for _ in sizes]
    there = list(range(len(sizes)))
    route = cycle([*there, *reversed(there)])
    for entrant in first:
        number = next(number for number in route if len(blocks[number]) < sizes[number])
        blocks[number].append(entrant)
    left = iter(rest)
    for block, size in zip(blocks, sizes, strict=True):
        block += [next(left) for _ in range(size - len(block))]
    return tuple(map(tuple, blocks))
