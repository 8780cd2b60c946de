"""The layout of a bracket: boxes in columns from first to last stage, and lines between them.

All coordinates are whole units of at most one CSS pixel. Blocks of the entry stage form the first column; each later
stage is centred on its sources. A line to the next column runs between the columns, a longer line above or below all
boxes in between, so lines never cross a box. The layout depends only on the format and the number of players.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from tournaments.core.bracket.boxes import FRAME, Box, BoxGroup, Counts, arranged, columns_of, leads_into, links, spread
from tournaments.core.format import Format, Source

PORT, LANE = 18, 20


@dataclass(slots=True)
class LineBundle:
    """All lines from a stage's blocks to a group of boxes on one side; built up step by step.

    `side`: 0 straight into the next column, -1 above the boxes in between, 1 below. `port`: height at each box; `lane`:
    height of the long part; `end`: height at the target, or x if the line arrives from above or below.
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

    def start(self) -> int:
        starts = [box.middle for box, _ in self.boxes.values()]
        return self.lane if self.side else sum(starts) // len(starts)

    def aim(self) -> int:
        return self.lane if self.side else self.end


def line_bundles(format_: Format, groups: Sequence[BoxGroup], column: Mapping[str, int]) -> Iterator[LineBundle]:
    found: dict[tuple[str, str, str, int], LineBundle] = {}
    for box, to, sources in links(format_, groups):
        for group in groups:
            if group.key == to.key and leads_into(format_, box, to, group):
                side = _side(box, groups) if group.column > column[box.key] + 1 else 0
                name = (box.key, group.key, group.boxes[0].block or "", side)
                bundle = found.setdefault(name, LineBundle(box.key, group, side, {}))
                bundle.boxes[box.block or ""] = (box, sources)
    yield from found.values()


def _side(box: Box, groups: Sequence[BoxGroup]) -> int:
    inner = [group for group in groups if group.column > 0]
    return 1 if 2 * box.middle > min(group.top for group in inner) + max(group.bottom for group in inner) else -1


def set_ends(groups: Sequence[BoxGroup], bundles: Sequence[LineBundle]) -> None:
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
        arriving = [bundle for bundle in bundles if bundle.target is group and bundle.ends_at_side]
        arriving.sort(key=LineBundle.start)
        for bundle, top in zip(arriving, spread([(group.middle, 0) for _ in arriving], PORT), strict=True):
            bundle.end = top


Ports = dict[tuple[str, str, int], int]
"""The height at which a line leaves a box, by stage, block and bundle."""


def ports_of(bundles: Sequence[LineBundle]) -> Ports:
    by_box: dict[tuple[str, str], list[LineBundle]] = {}
    for bundle in bundles:
        for block in bundle.boxes:
            by_box.setdefault((bundle.stage, block), []).append(bundle)
    ports: Ports = {}
    for (stage, block), group in by_box.items():
        box = group[0].boxes[block][0]
        group.sort(key=LineBundle.aim)
        low, high = box.top + PORT, box.bottom - PORT // 2
        heights = spread([(min(max(bundle.aim(), low), high), 0) for bundle in group], PORT)
        # Keep all lines within the side of the box.
        shift = max(0, low - heights[0]) - max(0, heights[-1] - high)
        for bundle, height in zip(group, heights, strict=True):
            ports[stage, block, id(bundle)] = height + shift
    return ports


def take_turns(bundles: Sequence[LineBundle], ports: Ports, column: Mapping[str, int]) -> None:
    """Assign positions between two columns to turning lines, from 1; the last to turn is rightmost.

    Going up, the upper line turns first; going down, the lower one, so lines of one box do not cross. Straight lines
    need no position.
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


Point = tuple[int, int]

LABEL, SPACING, ARROW = 41, 10, 8
MARGIN = 8


@dataclass(frozen=True, slots=True)
class BracketLine:
    """A line from a block to a destination of its players.

    `sources`: the sources of places it stands for; `label`: where its label starts.
    """

    stage: str
    block: str
    to: str
    sources: tuple[Source, ...]
    corners: tuple[Point, ...]
    label: Point


@dataclass(frozen=True, slots=True)
class BracketLayout:
    width: int
    height: int
    boxes: tuple[Box, ...]
    frames: tuple[BoxGroup, ...]
    lines: tuple[BracketLine, ...]


def layout(format_: Format, players: Counts | None = None, wrapped: Counts | None = None) -> BracketLayout:
    columns = columns_of(format_)
    groups = arranged(format_, columns, players or {}, wrapped or {})
    bundles = tuple(line_bundles(format_, groups, columns))
    set_ends(groups, bundles)
    ports = ports_of(bundles)
    take_turns(bundles, ports, columns)
    set_columns(groups, bundles, columns)
    lines = [_bracket_line(bundle, block, ports, groups) for bundle in bundles for block in bundle.boxes]
    return _cropped(groups, lines)


def set_columns(groups: Sequence[BoxGroup], bundles: Sequence[LineBundle], column: Mapping[str, int]) -> None:
    turns: dict[int, int] = {}
    for bundle in bundles:
        for channel, turn in ((column[bundle.stage], bundle.turn), (bundle.target.column - 1, bundle.turn_in)):
            turns[channel] = max(turns.get(channel, 0), turn)
    edge = 0
    for number in range(max(group.column for group in groups) + 1):
        here = [group for group in groups if group.column == number]
        frame = FRAME if any(group.framed for group in here) else 0
        boxes = [box for group in here for box in group.boxes]
        for box in boxes:
            box.left = edge + frame
        edge += max(box.width for box in boxes) + 2 * frame + LABEL + SPACING * turns.get(number, 0) + ARROW


def _bracket_line(bundle: LineBundle, block: str, ports: Ports, groups: Sequence[BoxGroup]) -> BracketLine:
    group = bundle.target
    box, sources = bundle.boxes[block]
    channel = _channel(groups, next(each.column for each in groups if box in each.boxes))
    port, turn = ports[bundle.stage, block, id(bundle)], channel + LABEL + SPACING * bundle.turn
    line = [(box.right, port), (turn, port), (turn, bundle.aim())]
    if bundle.side == 0:
        line.append((group.left, bundle.end))
    elif bundle.ends_at_side:
        turn_in = _channel(groups, group.column - 1) + LABEL + SPACING * bundle.turn_in
        line += [(turn_in, bundle.lane), (turn_in, bundle.end), (group.left, bundle.end)]
    else:
        place = group.left + _share_of_width(bundle)
        line += [(place, bundle.lane), (place, group.top if bundle.side < 0 else group.bottom)]
    return BracketLine(bundle.stage, block, group.key, sources, tuple(_straightened(line)), (channel, port))


def _channel(groups: Iterable[BoxGroup], column: int) -> int:
    return max(group.left + group.width for group in groups if group.column == column)


def _share_of_width(bundle: LineBundle) -> int:
    group = bundle.target
    depth = abs(bundle.lane - (group.top if bundle.side < 0 else group.bottom))
    return min(group.width // 2 + depth // 8, group.width - FRAME)


def _straightened(line: Sequence[Point]) -> Iterator[Point]:
    kept = [line[0], *(after for before, after in pairwise(line) if before != after)]
    for number, point in enumerate(kept):
        before, after = kept[max(number - 1, 0)], kept[min(number + 1, len(kept) - 1)]
        if number in {0, len(kept) - 1} or not (before[0] == point[0] == after[0] or before[1] == point[1] == after[1]):
            yield point


def _cropped(groups: Sequence[BoxGroup], lines: Sequence[BracketLine]) -> BracketLayout:
    across = [group.left for group in groups] + [x for line in lines for x, _ in line.corners]
    down = [group.top for group in groups] + [y for line in lines for _, y in line.corners]
    right, bottom = max(group.left + group.width for group in groups), max([*down, *(group.bottom for group in groups)])
    left, top = MARGIN - min(across), MARGIN - min(down)

    def move(point: Point) -> Point:
        return point[0] + left, point[1] + top

    boxes = tuple(box for group in groups for box in group.boxes)
    for box in boxes:
        box.left, box.top = move((box.left, box.top))
    return BracketLayout(
        width=right + left + MARGIN,
        height=bottom + top + MARGIN,
        boxes=boxes,
        frames=tuple(group for group in groups if group.framed),
        lines=tuple(replace(each, corners=tuple(map(move, each.corners)), label=move(each.label)) for each in lines),
    )
