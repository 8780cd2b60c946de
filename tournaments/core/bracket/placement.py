"""Where boxes stand: stages in columns, each box in the middle of where its players come from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from tournaments.core.bracket.boxes import GAP, MAX_ROWS, OUTCOME_WIDTH, USUAL_ROWS, Box, BoxGroup, PlayerCounts
from tournaments.core.bracket.spreading import spread
from tournaments.core.format import Best, Destination, Entrants, Fill, Format, Source, Stage
from tournaments.core.places import place_count


def columns_of(format_: Format) -> dict[str, int]:
    """Return the column of every destination: one further than the last stage that sends it players."""
    columns: dict[str, int] = {}
    for each in format_.destinations():
        columns[each.key] = max((columns[key] + 1 for key in _feeding(each)), default=0)
    return columns


def _feeding(to: Destination) -> Iterator[str]:
    yield from (source.stage for source in to.sources if not isinstance(source, Entrants))


def _box_groups(format_: Format, columns: Mapping[str, int], players: PlayerCounts) -> Iterator[BoxGroup]:
    for each in format_.destinations():
        boxes = tuple(_boxes(each, players))
        # Of a bracket it is known from which table to which; whoever enters a stage is in a block from the start.
        if columns[each.key] == 0 or _is_bracket(each):
            yield from (BoxGroup(each.key, columns[each.key], (box,)) for box in boxes)
        else:
            yield BoxGroup(each.key, columns[each.key], boxes)


def _boxes(to: Destination, players: PlayerCounts) -> Iterator[Box]:
    if isinstance(to, Stage):
        for block in to.blocks:
            rows = max(players.get((to.key, block.key), 0), block.size or 0) or USUAL_ROWS
            yield Box(to.key, block.key, min(rows, MAX_ROWS))
    else:
        counts = [place_count(source, ("",)) for source in to.sources]
        rows = sum(count or 1 for count in counts)
        yield Box(to.key, None, min(rows, MAX_ROWS), width=OUTCOME_WIDTH)


def _is_bracket(to: Destination) -> bool:
    return isinstance(to, Stage) and to.fill is Fill.BRACKET


def placed_groups(format_: Format, columns: Mapping[str, int], players: PlayerCounts) -> list[BoxGroup]:
    """Return the boxes in their groups, column by column: each in the middle of where its players come from."""
    waiting = sorted(_box_groups(format_, columns, players), key=lambda group: group.column)
    placed: list[BoxGroup] = []
    for _, column in groupby(waiting, key=lambda group: group.column):
        wanted = [(_middle_of_feeders(format_, group, placed), group) for group in column]
        wanted.sort(key=lambda each: each[0])
        tops = spread([(middle, group.height) for middle, group in wanted], GAP)
        placed += [group.moved_to(top) for (_, group), top in zip(wanted, tops, strict=True)]
    return placed


def _middle_of_feeders(format_: Format, group: BoxGroup, placed: Sequence[BoxGroup]) -> int:
    middles = [
        box.middle
        for box, to, _ in links(format_, placed)
        if to.key == group.key and leads_into(format_, box, to, group)
    ]
    return sum(middles) // len(middles) if middles else 0


def leads_into(format_: Format, box: Box, to: Destination, group: BoxGroup) -> bool:
    """Return whether players of a box go into this group of boxes: in a bracket, by the number of the table."""
    if not isinstance(to, Stage) or not _is_bracket(to):
        return True
    return next_block(format_.stage(box.key), box.block or "", to) == group.boxes[0].block


def next_block(stage: Stage, block: str, to: Stage) -> str:
    """Return the block that a block of a stage feeds where neighbours meet: 1 and 2 feed 1, 3 and 4 feed 2."""
    keys, fed = stage.block_keys, to.block_keys
    return fed[keys.index(block) * len(fed) // len(keys)]


def links(format_: Format, groups: Iterable[BoxGroup]) -> Iterator[tuple[Box, Destination, tuple[Source, ...]]]:
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
