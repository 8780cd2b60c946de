"""Who plays in which block: by lot from a published number, in order, or in a snake."""

from collections.abc import Hashable, Iterator, Sequence
from itertools import cycle
from typing import TypeVar

from tournaments.core.seating.chance import chance
from tournaments.core.seating.problem import SeatingError

K = TypeVar("K", bound=Hashable)


def draw_blocks(
    entrants: Sequence[K], sizes: Sequence[int], *, seed: int, method: str = "draw", seeded: int = 0
) -> tuple[tuple[K, ...], ...]:
    """Return the players of each block; the sizes add up to the number of entrants.

    `entrants` are strongest first where that matters: "order" fills block after block, "snake" deals there and back.
    "draw" deals the first `seeded` of them in a snake and draws lots for the rest, so that the same entrants and the
    same seed always give the same blocks. Raises SeatingError.
    """
    if sum(sizes) != len(entrants):
        message = f"{len(entrants)} players do not fill blocks of {', '.join(map(str, sizes))}."
        raise SeatingError(message)
    order = list(entrants)
    if method == "draw":
        rest = order[seeded:]
        chance(seed, "blocks").shuffle(rest)
        order[seeded:] = rest
    return _in_order(order, sizes) if method in {"order", "bracket"} else _snake(order, sizes)


def _in_order(order: Sequence[K], sizes: Sequence[int]) -> tuple[tuple[K, ...], ...]:
    each = iter(order)
    return tuple(tuple(next(each) for _ in range(size)) for size in sizes)


def _snake(order: Sequence[K], sizes: Sequence[int]) -> tuple[tuple[K, ...], ...]:
    blocks: list[list[K]] = [[] for _ in sizes]
    turns = _there_and_back(len(sizes))
    for player in order:
        block = next(number for number in turns if len(blocks[number]) < sizes[number])
        blocks[block].append(player)
    return tuple(map(tuple, blocks))


def _there_and_back(blocks: int) -> Iterator[int]:
    return cycle([*range(blocks), *reversed(range(blocks))])
