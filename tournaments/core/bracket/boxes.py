"""Boxes of a bracket: each block or outcome, in columns, close to the boxes its players come from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from tournaments.core.format import Destination, Entrants, Fill, Format, Ranks, Source, Stage, is_from
from tournaments.core.places import place_count

WIDTH, WIDER, OUTCOME_WIDTH = 156, 224, 116
FEW_COLUMNS = 3
"""With at most this many columns, the boxes of stages are wider."""

HEAD, ROW, LINE, FOOT = 30, 20, 15, 6
GAP, FRAME = 22, 8

MAX_ROWS = 16
"""Maximum number of players listed in a box; the last row counts the rest."""

USUAL_ROWS = 8
"""Rows of a block of open size without entries."""


@dataclass(slots=True, eq=False)
class Box:
    """A block of a stage, or (`block` None) an outcome. `rows`, `wrapped`: its names, and those that take two lines."""

    key: str
    block: str | None
    rows: int
    left: int = 0
    top: int = 0
    width: int = WIDTH
    wrapped: int = 0

    @property
    def height(self) -> int:
        return HEAD + self.rows * ROW + self.wrapped * LINE + FOOT

    @property
    def right(self) -> int:
        return self.left + self.width

    @property
    def bottom(self) -> int:
        return self.top + self.height

    @property
    def middle(self) -> int:
        return self.top + self.height // 2


@dataclass(frozen=True, slots=True, eq=False)
class BoxGroup:
    """The target of a line: one box, or a frame with all boxes of a stage if a draw assigns the players."""

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

    def move_to(self, top: int) -> None:
        edge = top + (FRAME if self.framed else 0)
        for box in self.boxes:
            box.top = edge
            edge += box.height + GAP


Counts = Mapping[tuple[str, str], int]
"""Number of players, or of names in two lines, by stage and block."""


def spread(wanted: Sequence[tuple[int, int]], gap: int) -> list[int]:
    """Return start positions for items given as (desired middle, size), in order and at least `gap` apart."""
    runs: list[list[tuple[int, int]]] = []
    for each in wanted:
        runs.append([each])
        while len(runs) > 1:
            length = sum(size + gap for _, size in runs[-2])
            if _begin(runs[-2], gap) + length <= _begin(runs[-1], gap):
                break
            runs[-2:] = [runs[-2] + runs[-1]]
    return [edge for run in runs for edge in _beginnings(run, _begin(run, gap), gap)]


def _begin(run: Sequence[tuple[int, int]], gap: int) -> int:
    offsets = _beginnings(run, 0, gap)
    return sum(middle - size // 2 - at for (middle, size), at in zip(run, offsets, strict=True)) // len(run)


def _beginnings(run: Sequence[tuple[int, int]], begin: int, gap: int) -> list[int]:
    edges = [begin]
    for _, size in run[:-1]:
        edges.append(edges[-1] + size + gap)
    return edges


def columns_of(format_: Format) -> dict[str, int]:
    columns: dict[str, int] = {}
    for each in format_.destinations():
        feeding = (source.stage for source in each.sources if not isinstance(source, Entrants))
        columns[each.key] = max((columns[key] + 1 for key in feeding), default=0)
    return columns


def _box_groups(format_: Format, columns: Mapping[str, int], players: Counts, wrapped: Counts) -> Iterator[BoxGroup]:
    for each in format_.destinations():
        boxes = tuple(_boxes(each, players, WIDER if max(columns.values()) < FEW_COLUMNS else WIDTH, wrapped))
        # Tables of a bracket are fixed, and entrants have their blocks from the start.
        if columns[each.key] == 0 or _is_bracket(each):
            yield from (BoxGroup(each.key, columns[each.key], (box,)) for box in boxes)
        else:
            yield BoxGroup(each.key, columns[each.key], boxes)


def _boxes(to: Destination, players: Counts, width: int, wrapped: Counts) -> Iterator[Box]:
    if isinstance(to, Stage):
        for block in to.blocks:
            rows = max(players.get((to.key, block.key), 0), block.size or 0) or USUAL_ROWS
            yield Box(to.key, block.key, min(rows, MAX_ROWS), width=width, wrapped=wrapped.get((to.key, block.key), 0))
    else:
        counts = [place_count(source, ("",)) for source in to.sources]
        rows = sum(count or 1 for count in counts)
        yield Box(to.key, None, min(rows, MAX_ROWS), width=OUTCOME_WIDTH, wrapped=wrapped.get((to.key, ""), 0))


def _is_bracket(to: Destination) -> bool:
    return isinstance(to, Stage) and to.fill is Fill.BRACKET


def arranged(format_: Format, columns: Mapping[str, int], players: Counts, wrapped: Counts) -> list[BoxGroup]:
    waiting = sorted(_box_groups(format_, columns, players, wrapped), key=lambda group: group.column)
    placed: list[BoxGroup] = []
    for _, column in groupby(waiting, key=lambda group: group.column):
        wanted = [(_middle_of_feeders(format_, group, placed), group) for group in column]
        wanted.sort(key=lambda each: each[0])
        tops = spread([(middle, group.height) for middle, group in wanted], GAP)
        for (_, group), top in zip(wanted, tops, strict=True):
            group.move_to(top)
            placed.append(group)
    return placed


def _middle_of_feeders(format_: Format, group: BoxGroup, placed: Sequence[BoxGroup]) -> int:
    ways = [(box, to) for box, to, _ in links(format_, placed) if to.key == group.key]
    middles = [box.middle for box, to in ways if leads_into(format_, box, to, group)]
    return sum(middles) // len(middles) if middles else 0


def leads_into(format_: Format, box: Box, to: Destination, group: BoxGroup) -> bool:
    if not isinstance(to, Stage) or not _is_bracket(to):
        return True
    return next_block(format_.stage(box.key), box.block or "", to) == group.boxes[0].block


def next_block(stage: Stage, block: str, to: Stage) -> str:
    """Return the block that `block` feeds if neighbours meet: 1 and 2 feed 1, 3 and 4 feed 2."""
    keys, fed = stage.block_keys, to.block_keys
    return fed[keys.index(block) * len(fed) // len(keys)]


def links(format_: Format, groups: Iterable[BoxGroup]) -> Iterator[tuple[Box, Destination, tuple[Source, ...]]]:
    for box in (box for group in groups for box in group.boxes):
        for to in format_.destinations_from(box.key):
            fed = (source for source in to.sources if is_from(source, box.key))
            if sources := tuple(each for each in fed if not isinstance(each, Ranks) or each.block in {None, box.block}):
                yield box, to, sources
