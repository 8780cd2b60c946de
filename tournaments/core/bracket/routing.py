"""Which way lines run from box to box: where they leave, which lane they take, where they turn and where they end."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tournaments.core.bracket.boxes import Box, BoxGroup
from tournaments.core.bracket.placement import leads_into, links
from tournaments.core.bracket.spreading import spread
from tournaments.core.format import Format, Source

PORT, LANE = 18, 20


@dataclass(slots=True)
class LineBundle:
    """All lines from the blocks of a stage to a group of boxes, on one side: they run together. Filled in step by step.

    `side`: 0 straight into the next column, -1 above what lies in between, 1 below. `port`: the height at which each
    box is left; `lane`: the height of its long stretch; `end`: the height or, from above and below, the place of the end.
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
        return self.lane if self.side else self.end


def line_bundles(format_: Format, groups: Sequence[BoxGroup]) -> Iterator[LineBundle]:
    """Yield the lines from the blocks of each stage, bundled by where they lead and on which side they run."""
    found: dict[tuple[str, str, str, int], LineBundle] = {}
    column = {box.key: group.column for group in groups for box in group.boxes}
    for box, to, sources in links(format_, groups):
        for group in groups:
            if group.key == to.key and leads_into(format_, box, to, group):
                side = _side(box, groups) if group.column > column[box.key] + 1 else 0
                name = (box.key, group.key, group.boxes[0].block or "", side)
                bundle = found.setdefault(name, LineBundle(box.key, group, side, {}))
                bundle.boxes[box.block or ""] = (box, sources)
    yield from found.values()


def _side(box: Box, groups: Sequence[BoxGroup]) -> int:
    """Return whether a long line runs above or below everything: whichever is nearer."""
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
        _share_side(group, [bundle for bundle in bundles if bundle.target is group and bundle.ends_at_side])


def _share_side(group: BoxGroup, bundles: list[LineBundle]) -> None:
    bundles.sort(key=_height_of_start)
    tops = spread([(group.middle, 0) for _ in bundles], PORT)
    for bundle, top in zip(bundles, tops, strict=True):
        bundle.end = top


def _height_of_start(bundle: LineBundle) -> int:
    starts = [box.middle for box, _ in bundle.boxes.values()]
    return bundle.lane if bundle.side else sum(starts) // len(starts)


Ports = dict[tuple[str, str, int], int]
"""The height at which a line leaves a box, by stage, block and bundle."""


def ports_of(bundles: Sequence[LineBundle]) -> Ports:
    """Return where the lines leave each box: apart from each other, in the order of the heights they go to."""
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
        # All of them stay on the side of the box.
        shift = max(0, low - heights[0]) - max(0, heights[-1] - high)
        for bundle, height in zip(group, heights, strict=True):
            ports[stage, block, id(bundle)] = height + shift
    return ports


def take_turns(bundles: Sequence[LineBundle], ports: Ports, column: Mapping[str, int]) -> None:
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
