"""The picture of a format: boxes in columns from the first stage to the last, and lines between them.

Everything is a whole number of units (at most one CSS pixel each). Blocks of the stage that people enter stand in the
first column; the stages after it follow, each in the middle of where its players come from. A line to the next column
runs between the columns; one that skips a column runs above or below everything in between. So no box lies on another,
and no line runs through a box. The layout knows no names: it is the same for a format and a number of players.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from tournaments.core.format import Best, Destination, Entrants, Fill, Format, Source, Stage
from tournaments.core.places import place_count

Point = tuple[int, int]

WIDTH, OUTCOME_WIDTH = 156, 124
HEAD, ROW, FOOT = 30, 20, 6
GAP, FRAME = 22, 8
LABEL, SPACING, ARROW = 42, 10, 8
PORT, LANE = 18, 20
MARGIN = 8

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
        """How high it is."""
        return HEAD + self.rows * ROW + FOOT

    @property
    def right(self) -> int:
        """Where it ends."""
        return self.left + self.width

    @property
    def bottom(self) -> int:
        """Where it ends below."""
        return self.top + self.height

    @property
    def middle(self) -> int:
        """Half its height."""
        return self.top + self.height // 2


@dataclass(frozen=True, slots=True)
class BoxGroup:
    """What a line can lead to: one box, or all boxes of a stage in a frame, because a draw says who goes into which."""

    key: str
    column: int
    boxes: tuple[Box, ...]

    @property
    def framed(self) -> bool:
        """Whether there is a frame around several boxes."""
        return len(self.boxes) > 1

    @property
    def height(self) -> int:
        """How high it is, with the frame."""
        inside = sum(box.height for box in self.boxes) + GAP * (len(self.boxes) - 1)
        return inside + (2 * FRAME if self.framed else 0)

    @property
    def top(self) -> int:
        """Where it begins."""
        return self.boxes[0].top - (FRAME if self.framed else 0)

    @property
    def bottom(self) -> int:
        """Where it ends."""
        return self.top + self.height

    @property
    def middle(self) -> int:
        """Half its height."""
        return self.top + self.height // 2

    @property
    def left(self) -> int:
        """Where it begins at the side."""
        return self.boxes[0].left - (FRAME if self.framed else 0)

    @property
    def width(self) -> int:
        """How wide it is."""
        return self.boxes[0].width + (2 * FRAME if self.framed else 0)

    def moved_to(self, top: int) -> "BoxGroup":
        """Return the unit with its boxes below each other from there on."""
        boxes, edge = [], top + (FRAME if self.framed else 0)
        for box in self.boxes:
            boxes.append(replace(box, top=edge))
            edge += box.height + GAP
        return replace(self, boxes=tuple(boxes))


@dataclass(frozen=True, slots=True)
class BracketLine:
    """A line from a block to where some of its players go. `sources`: which; `label`: where words about it begin."""

    stage: str
    block: str
    to: str
    sources: tuple[Source, ...]
    corners: tuple[Point, ...]
    label: Point


@dataclass(frozen=True, slots=True)
class BracketLayout:
    """All of it, from the upper left corner. `frames` are units of several boxes that lines lead to as one."""

    width: int
    height: int
    boxes: tuple[Box, ...]
    frames: tuple[BoxGroup, ...]
    lines: tuple[BracketLine, ...]


PlayerCounts = Mapping[tuple[str, str], int]
"""How many play in a block, by stage and block."""


def layout(format_: Format, heads: PlayerCounts | None = None) -> BracketLayout:
    """Return the picture of a format; `heads` are the players of blocks whose size is open."""
    columns = _columns(format_)
    groups = _placed(format_, columns, heads or {})
    bundles = tuple(_line_bundles(format_, groups))
    return _routed(groups, bundles)


# --- Columns and rows ------------------------------------------------------------------------------------------------


def _columns(format_: Format) -> dict[str, int]:
    """Return the column of every destination: one further than the last stage that sends it players."""
    columns: dict[str, int] = {}
    for each in format_.destinations():
        columns[each.key] = max((columns[key] + 1 for key in _feeding(each)), default=0)
    return columns


def _feeding(to: Destination) -> Iterator[str]:
    yield from (source.stage for source in to.sources if not isinstance(source, Entrants))


def _box_groups(format_: Format, columns: Mapping[str, int], heads: PlayerCounts) -> Iterator[BoxGroup]:
    for each in format_.destinations():
        boxes = tuple(_boxes(each, heads))
        # Of a bracket it is known from which table to which; whoever enters a stage is in a block from the start.
        if columns[each.key] == 0 or _is_bracket(each):
            yield from (BoxGroup(each.key, columns[each.key], (box,)) for box in boxes)
        else:
            yield BoxGroup(each.key, columns[each.key], boxes)


def _boxes(to: Destination, heads: PlayerCounts) -> Iterator[Box]:
    if isinstance(to, Stage):
        for block in to.blocks:
            rows = max(heads.get((to.key, block.key), 0), block.size or 0) or USUAL_ROWS
            yield Box(to.key, block.key, min(rows, MAX_ROWS))
    else:
        counts = [place_count(source, ("",)) for source in to.sources]
        rows = sum(count or 1 for count in counts)
        yield Box(to.key, None, min(rows, MAX_ROWS), width=OUTCOME_WIDTH)


def _is_bracket(to: Destination) -> bool:
    return isinstance(to, Stage) and to.fill is Fill.BRACKET


def _placed(format_: Format, columns: Mapping[str, int], heads: PlayerCounts) -> list[BoxGroup]:
    """Return the units with their rows, column by column: each in the middle of where its players come from."""
    waiting = sorted(_box_groups(format_, columns, heads), key=lambda unit: unit.column)
    placed: list[BoxGroup] = []
    for _, group in groupby(waiting, key=lambda unit: unit.column):
        wanted = [(_middle_of_feeders(format_, unit, placed), unit) for unit in group]
        wanted.sort(key=lambda each: each[0])
        tops = spread([(middle, unit.height) for middle, unit in wanted], GAP)
        placed += [unit.moved_to(top) for (_, unit), top in zip(wanted, tops, strict=True)]
    return placed


def _middle_of_feeders(format_: Format, group: BoxGroup, placed: Sequence[BoxGroup]) -> int:
    middles = [
        box.middle
        for box, to, _ in _links(format_, placed)
        if to.key == group.key and _leads_into(format_, box, to, group)
    ]
    return sum(middles) // len(middles) if middles else 0


def _leads_into(format_: Format, box: Box, to: Destination, group: BoxGroup) -> bool:
    """Return whether players of a box go into this unit of a destination: in a bracket, by the number of the table."""
    if not isinstance(to, Stage) or not _is_bracket(to):
        return True
    return next_block(format_.stage(box.key), box.block or "", to) == group.boxes[0].block


def next_block(stage: Stage, block: str, to: Stage) -> str:
    """Return the block that a block of a stage feeds where neighbours meet: 1 and 2 feed 1, 3 and 4 feed 2."""
    tables, fed = stage.block_keys, to.block_keys
    return fed[tables.index(block) * len(fed) // len(tables)]


def _links(format_: Format, groups: Iterable[BoxGroup]) -> Iterator[tuple[Box, Destination, tuple[Source, ...]]]:
    """Yield every box that sends players, where to, and which."""
    for group in groups:
        for box in group.boxes:
            for to in format_.destinations():
                sources = tuple(source for source in to.sources if _sends(source, box))
                if sources:
                    yield box, to, sources


def _sends(source: Source, box: Box) -> bool:
    if isinstance(source, Entrants) or source.stage != box.key:
        return False
    return isinstance(source, Best) or source.block in {None, box.block}


def spread(wanted: Sequence[tuple[int, int]], gap: int) -> list[int]:
    """Return where things begin that want their middle somewhere: (middle, size) in order, as near as the gap allows."""
    runs: list[list[tuple[int, int]]] = []
    for each in wanted:
        runs.append([each])
        while len(runs) > 1 and _begin(runs[-2], gap) + _length(runs[-2], gap) + gap > _begin(runs[-1], gap):
            runs[-2:] = [runs[-2] + runs[-1]]
    return [edge for run in runs for edge in _beginnings(run, _begin(run, gap), gap)]


def _begin(run: Sequence[tuple[int, int]], gap: int) -> int:
    """Return where a run of things begins whose middles are right on average."""
    offsets = _beginnings(run, 0, gap)
    return sum(middle - size // 2 - at for (middle, size), at in zip(run, offsets, strict=True)) // len(run)


def _length(run: Sequence[tuple[int, int]], gap: int) -> int:
    return sum(size for _, size in run) + gap * (len(run) - 1)


def _beginnings(run: Sequence[tuple[int, int]], begin: int, gap: int) -> list[int]:
    edges = [begin]
    for _, size in run[:-1]:
        edges.append(edges[-1] + size + gap)
    return edges


# --- Lines -----------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class LineBundle:
    """All lines from the blocks of a stage to a unit, on one side: they share their way. Filled in step by step.

    `side`: 0 straight into the next column, -1 above what lies in between, 1 below. `port`: the height at which each
    box is left; `lane`: the height of the long way; `end`: the height or, from above and below, the place of the end.
    """

    stage: str
    target: BoxGroup
    side: int
    boxes: dict[str, tuple[Box, tuple[Source, ...]]]
    lane: int = 0
    end: int = 0
    ends_at_side: bool = True
    turn: int = 0
    turn_in: int = 0

    def aim(self) -> int:
        """Return the height that a line goes to from its box."""
        return self.lane if self.side else self.end


def _line_bundles(format_: Format, groups: Sequence[BoxGroup]) -> Iterator[LineBundle]:
    found: dict[tuple[str, str, str, int], LineBundle] = {}
    column = {box.key: group.column for group in groups for box in group.boxes}
    for box, to, sources in _links(format_, groups):
        for group in groups:
            if group.key == to.key and _leads_into(format_, box, to, group):
                side = _side(box, groups) if group.column > column[box.key] + 1 else 0
                name = (box.key, group.key, group.boxes[0].block or "", side)
                bundle = found.setdefault(name, LineBundle(box.key, group, side, {}))
                bundle.boxes[box.block or ""] = (box, sources)
    yield from found.values()


def _side(box: Box, groups: Sequence[BoxGroup]) -> int:
    """Return whether a long line runs above or below everything: whichever is nearer."""
    inner = [group for group in groups if group.column > 0]
    return 1 if 2 * box.middle > min(group.top for group in inner) + max(group.bottom for group in inner) else -1


def _routed(groups: Sequence[BoxGroup], bundles: Sequence[LineBundle]) -> BracketLayout:
    """Return the picture once heights are known: ends, lanes, ports, then the columns with room for the turns."""
    column = {box.key: group.column for group in groups for box in group.boxes}
    _enter(groups, bundles)
    ports = _ports(bundles)
    _take_turns(bundles, ports, column)
    shifted = _in_columns(groups, bundles, column)
    edges = [_bracket_line(bundle, block, ports, shifted) for bundle in bundles for block in bundle.boxes]
    return _cropped(shifted, edges)


def _enter(groups: Sequence[BoxGroup], bundles: Sequence[LineBundle]) -> None:
    """Say where lines end, and at which height the long ones run."""
    inner = [group for group in groups if group.column > 0]
    ceiling = min((group.top for group in inner), default=0)
    floor = max((group.bottom for group in inner), default=0)
    for side, limit in ((-1, ceiling), (1, floor)):
        long = sorted((bundle for bundle in bundles if bundle.side == side), key=lambda bundle: bundle.target.column)
        for number, bundle in enumerate(long, start=1):
            bundle.lane = limit + side * LANE * number
            beside = [group for group in groups if group.column == bundle.target.column]
            bundle.ends_at_side = bundle.target is not (beside[0] if side < 0 else beside[-1])
    for group in groups:
        _share_side(group, [bundle for bundle in bundles if bundle.target is group and bundle.ends_at_side])


def _share_side(group: BoxGroup, bundles: list[LineBundle]) -> None:
    """Give the lines that end at the side of a unit their heights, around its middle."""
    bundles.sort(key=_height_of_start)
    tops = spread([(group.middle, 0) for _ in bundles], PORT)
    for bundle, top in zip(bundles, tops, strict=True):
        bundle.end = top


def _height_of_start(bundle: LineBundle) -> int:
    starts = [box.middle for box, _ in bundle.boxes.values()]
    return bundle.lane if bundle.side else sum(starts) // len(starts)


Ports = dict[tuple[str, str, int], int]
"""The height at which a line leaves a box, by stage, block and wire."""


def _ports(bundles: Sequence[LineBundle]) -> Ports:
    leaving: dict[tuple[str, str], list[LineBundle]] = {}
    for bundle in bundles:
        for block in bundle.boxes:
            leaving.setdefault((bundle.stage, block), []).append(bundle)
    ports: Ports = {}
    for (stage, block), group in leaving.items():
        box = group[0].boxes[block][0]
        group.sort(key=LineBundle.aim)
        low, high = box.top + PORT, box.bottom - PORT // 2
        heights = spread([(min(max(bundle.aim(), low), high), 0) for bundle in group], PORT)
        # All of them stay on the side of the box.
        shift = max(0, low - heights[0]) - max(0, heights[-1] - high)
        for bundle, height in zip(group, heights, strict=True):
            ports[stage, block, id(bundle)] = height + shift
    return ports


def _take_turns(bundles: Sequence[LineBundle], ports: Ports, column: Mapping[str, int]) -> None:
    """Take places between two columns for the lines that turn there, from 1; what turns last stands furthest right.

    Upward, the upper line turns first, downward the lower one: so lines of one box do not cross. What runs straight
    needs no place.
    """

    def order(bundle: LineBundle) -> tuple[int, int]:
        starts = [ports[bundle.stage, block, id(bundle)] for block in bundle.boxes]
        return (0, starts[0]) if bundle.aim() < starts[0] else (1, -starts[-1])

    taken: dict[int, int] = {}
    for bundle in sorted(bundles, key=order):
        if all(ports[bundle.stage, block, id(bundle)] == bundle.aim() for block in bundle.boxes):
            continue
        channel = column[bundle.stage]
        bundle.turn = taken[channel] = taken.get(channel, 0) + 1
    for bundle in bundles:
        if bundle.side and bundle.ends_at_side:
            channel = bundle.target.column - 1
            bundle.turn_in = taken[channel] = taken.get(channel, 0) + 1


def _in_columns(
    groups: Sequence[BoxGroup], bundles: Sequence[LineBundle], column: Mapping[str, int]
) -> dict[int, BoxGroup]:
    """Return the units, by identity, with their places from left to right."""
    turns: dict[int, int] = {}
    for bundle in bundles:
        for channel, turn in ((column[bundle.stage], bundle.turn), (bundle.target.column - 1, bundle.turn_in)):
            turns[channel] = max(turns.get(channel, 0), turn)
    lefts, edge = {}, 0
    for number in range(max(group.column for group in groups) + 1):
        here = [group for group in groups if group.column == number]
        frame = FRAME if any(group.framed for group in here) else 0
        lefts[number] = edge + frame
        edge += max(box.width for group in here for box in group.boxes) + 2 * frame
        edge += LABEL + SPACING * turns.get(number, 0) + ARROW
    return {
        id(group): replace(group, boxes=tuple(replace(box, left=lefts[group.column]) for box in group.boxes))
        for group in groups
    }


def _bracket_line(bundle: LineBundle, block: str, ports: Ports, shifted: Mapping[int, BoxGroup]) -> BracketLine:
    group = shifted[id(bundle.target)]
    box, sources = bundle.boxes[block]
    column, right = next(
        (each.column, other.right) for each in shifted.values() for other in each.boxes if _is_same(other, box)
    )
    channel = _channel(shifted.values(), column)
    port, turn = ports[bundle.stage, block, id(bundle)], channel + LABEL + SPACING * bundle.turn
    line = [(right, port), (turn, port), (turn, bundle.aim())]
    if bundle.side == 0:
        line.append((group.left, bundle.end))
    elif bundle.ends_at_side:
        turn_in = _channel(shifted.values(), group.column - 1) + LABEL + SPACING * bundle.turn_in
        line += [(turn_in, bundle.lane), (turn_in, bundle.end), (group.left, bundle.end)]
    else:
        place = group.left + _share_of_width(bundle, shifted)
        line += [(place, bundle.lane), (place, group.top if bundle.side < 0 else group.bottom)]
    return BracketLine(bundle.stage, block, bundle.target.key, sources, tuple(_straightened(line)), (channel, port))


def _is_same(one: Box, other: Box) -> bool:
    return (one.key, one.block) == (other.key, other.block)


def _channel(groups: Iterable[BoxGroup], column: int) -> int:
    return max(group.left + group.width for group in groups if group.column == column)


def _share_of_width(bundle: LineBundle, shifted: Mapping[int, BoxGroup]) -> int:
    """Return how far from the left edge a line from above or below ends; lines of higher lanes further right."""
    group = shifted[id(bundle.target)]
    depth = abs(bundle.lane - (group.top if bundle.side < 0 else group.bottom))
    return min(group.width // 2 + depth // 8, group.width - FRAME)


def _straightened(line: Sequence[Point]) -> Iterator[Point]:
    """Yield the corners of a line, without those that are no corners."""
    kept = [line[0], *(after for before, after in pairwise(line) if before != after)]
    for number, point in enumerate(kept):
        before, after = kept[max(number - 1, 0)], kept[min(number + 1, len(kept) - 1)]
        if number in {0, len(kept) - 1} or not (before[0] == point[0] == after[0] or before[1] == point[1] == after[1]):
            yield point


def _cropped(shifted: Mapping[int, BoxGroup], edges: Sequence[BracketLine]) -> BracketLayout:
    """Return the picture moved to the corner, with a margin around it."""
    groups = list(shifted.values())
    across = [group.left for group in groups] + [x for edge in edges for x, _ in edge.corners]
    down = [group.top for group in groups] + [y for edge in edges for _, y in edge.corners]
    right, bottom = max(group.left + group.width for group in groups), max([*down, *(group.bottom for group in groups)])
    left, top = MARGIN - min(across), MARGIN - min(down)

    def move(point: Point) -> Point:
        return point[0] + left, point[1] + top

    moved = [_moved(group, move) for group in groups]
    return BracketLayout(
        width=right + left + MARGIN,
        height=bottom + top + MARGIN,
        boxes=tuple(box for group in moved for box in group.boxes),
        frames=tuple(group for group in moved if group.framed),
        lines=tuple(replace(each, corners=tuple(map(move, each.corners)), label=move(each.label)) for each in edges),
    )


def _moved(group: BoxGroup, move: Callable[[Point], Point]) -> BoxGroup:
    boxes = []
    for box in group.boxes:
        left, top = move((box.left, box.top))
        boxes.append(replace(box, left=left, top=top))
    return replace(group, boxes=tuple(boxes))
