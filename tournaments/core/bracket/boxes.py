"""The boxes of a bracket: a block of a stage or an outcome each, alone or several in a frame."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

WIDTH, OUTCOME_WIDTH = 156, 124
HEAD, ROW, FOOT = 30, 20, 6
GAP, FRAME = 22, 8

MAX_ROWS = 16
"""Players that a box lists at most; the rest are counted in its last row."""

USUAL_ROWS = 8
"""Rows of a block whose size is open, as long as nobody has entered."""


@dataclass(frozen=True, slots=True)
class Box:
    """A block of a stage, or an outcome (`block` is None), with room for so many rows."""

    key: str
    block: str | None
    rows: int
    left: int = 0
    top: int = 0
    width: int = WIDTH

    @property
    def height(self) -> int:
        return HEAD + self.rows * ROW + FOOT

    @property
    def right(self) -> int:
        return self.left + self.width

    @property
    def bottom(self) -> int:
        return self.top + self.height

    @property
    def middle(self) -> int:
        return self.top + self.height // 2


@dataclass(frozen=True, slots=True)
class BoxGroup:
    """What a line can lead to: one box, or all boxes of a stage in a frame, because a draw says who goes into which."""

    key: str
    column: int
    boxes: tuple[Box, ...]

    @property
    def framed(self) -> bool:
        return len(self.boxes) > 1

    @property
    def height(self) -> int:
        inside = sum(box.height for box in self.boxes) + GAP * (len(self.boxes) - 1)
        return inside + (2 * FRAME if self.framed else 0)

    @property
    def top(self) -> int:
        return self.boxes[0].top - (FRAME if self.framed else 0)

    @property
    def bottom(self) -> int:
        return self.top + self.height

    @property
    def middle(self) -> int:
        return self.top + self.height // 2

    @property
    def left(self) -> int:
        return self.boxes[0].left - (FRAME if self.framed else 0)

    @property
    def width(self) -> int:
        return self.boxes[0].width + (2 * FRAME if self.framed else 0)

    def moved_to(self, top: int) -> "BoxGroup":
        boxes, edge = [], top + (FRAME if self.framed else 0)
        for box in self.boxes:
            boxes.append(replace(box, top=edge))
            edge += box.height + GAP
        return replace(self, boxes=tuple(boxes))


PlayerCounts = Mapping[tuple[str, str], int]
"""How many play in a block, by stage and block."""
