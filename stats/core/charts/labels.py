"""Labels beside the ends of lines: as near to them as they can be without covering each other."""

from collections.abc import Sequence
from dataclasses import dataclass

from league.core.numbers import divided


@dataclass(slots=True)
class _Stack:
    """Labels that touch: `count` of them, and the sum of where the first would be for each to be where it is wanted."""

    count: int
    wanted: int

    def top(self, gap: int, lowest: int, highest: int) -> int:
        """Return where the first of them is, so that all lie between the edges."""
        return max(lowest, min(divided(self.wanted, self.count), highest - gap * (self.count - 1)))


def placed(wanted: Sequence[int], gap: int, lowest: int, highest: int) -> tuple[int, ...]:
    """Return where labels go that are wanted at these heights: `gap` apart at least, in the same order.

    Together they lie as near as the sum of squares can be small, between `lowest` and `highest`; equal ones keep the
    order they came in. Where there is no room for all of them, they stand from `lowest` on, `gap` apart.
    """
    order = sorted(range(len(wanted)), key=lambda index: (wanted[index], index))
    stacks: list[_Stack] = []
    for index in order:
        stacks.append(_Stack(1, wanted[index]))
        while len(stacks) > 1 and _touch(stacks[-2], stacks[-1], gap, lowest, highest):
            below = stacks.pop()
            stacks[-1].wanted += below.wanted - gap * stacks[-1].count * below.count
            stacks[-1].count += below.count
    heights = (stack.top(gap, lowest, highest) + gap * number for stack in stacks for number in range(stack.count))
    found = dict(zip(order, heights, strict=True))
    return tuple(found[index] for index in range(len(wanted)))


def _touch(above: _Stack, below: _Stack, gap: int, lowest: int, highest: int) -> bool:
    return above.top(gap, lowest, highest) + gap * above.count > below.top(gap, lowest, highest)
