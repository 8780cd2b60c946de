"""The bracket of a running tournament: the format's boxes filled with players."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import accumulate
from unicodedata import east_asian_width

from django.utils.translation import pgettext

from scoring.messages.numbers import in_language
from tournaments.core.bracket.boxes import HEAD, LINE, ROW, Box, BoxGroup, next_block
from tournaments.core.bracket.layout import BracketLayout, BracketLine, layout
from tournaments.core.format import Best, Fill, Ranks, Source, Stage
from tournaments.core.ranking import BlockRanking
from tournaments.core.state import StageProgress, StageState
from tournaments.messages.titles import rank_text, stage_name
from tournaments.selectors import stage_views
from tournaments.selectors.decisions import told_paths
from tournaments.selectors.state import CurrentState, absent, reader_name

TYPE = 13
"""Font size in units; a full-width character is that wide, others at most half."""

MARK, EDGE, POINTS, LOUDER = 22, 8, 46, 12
"""Width in units: before the name, after the name, of the points, and by which a name in bold is wider."""

CELLS_OF_TITLE, ORIGIN_CELLS = 17, 4


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A row. `mark`: "on" advances, "up" moved up, "if" would now, "left" left or passed over, "out" eliminated."""

    name: str
    lines: tuple[str, str]
    mark: str
    points: int | None = None
    aside: str = ""
    y: int = 0


@dataclass(frozen=True, slots=True)
class PictureBox:
    """A box with title, progress and rows; `more`: number of players who did not fit."""

    box: Box
    title: str
    clipped_title: str
    state: str
    played: int
    planned: int
    rows: tuple[PictureRow, ...]
    more: int

    @property
    def is_stage(self) -> bool:
        return self.box.block is not None


@dataclass(frozen=True, slots=True)
class PictureLine:
    """A line with its optional label; `approved`: all advancement along it is approved."""

    route: BracketLine
    points: str
    words: str
    approved: bool


@dataclass(frozen=True, slots=True)
class FilledPicture:
    layout: BracketLayout
    boxes: tuple[PictureBox, ...]
    lines: tuple[PictureLine, ...]
    frames: tuple[BoxGroup, ...]


def picture_of(current: CurrentState) -> FilledPicture:
    state = current.state
    players = {
        (progress.stage.key, ranking.block): _size(current, progress, ranking)
        for progress in state.stages
        for ranking in progress.rankings
    }
    boxes = [_box(current, box) for box in layout(state.format, players).boxes]
    wrapped = {(each.box.key, each.box.block or ""): sum(bool(row.lines[1]) for row in each.rows) for each in boxes}
    picture = layout(state.format, players, wrapped)
    return FilledPicture(
        layout=picture,
        boxes=tuple(_box(current, box) for box in picture.boxes),
        lines=tuple(_line(current, route) for route in picture.lines),
        frames=picture.frames,
    )


def _size(current: CurrentState, progress: StageProgress, ranking: BlockRanking) -> int:
    stage = progress.stage
    if ranking.lines or len(stage.blocks) > 1:
        return len(ranking.lines) + len(absent(current, stage.key, ranking.block))
    return len([*stage_views.destination_places(current, stage), *stage_views.open_places(current, stage)])


def cells(text: str) -> int:
    return sum(2 if east_asian_width(letter) in "WFA" else 1 for letter in text)


def clipped(text: str, room: int) -> str:
    if cells(text) <= room:
        return text
    kept, left = "", room - 2
    for letter in text:
        left -= cells(letter)
        if left < 0:
            break
        kept += letter
    return kept.rstrip() + "…"


def _box(current: CurrentState, box: Box) -> PictureBox:
    if box.block is None:
        outcome = current.state.format.destination(box.key)
        rows = list(_place_rows(box, list(stage_views.destination_places(current, outcome)), []))
        is_over = all(path.complete for path in current.state.paths_into(box.key))
        state = "decided" if current.state.arrivals[box.key] else "played" if is_over else "waiting"
        title, played, planned = in_language(outcome.name), 0, 0
    else:
        progress = current.state.stage(box.key)
        ranking = progress.ranking(box.block)
        rows = list(_rows(current, progress, ranking, box))
        title, state = _title(progress.stage, box.block), _state(progress, ranking)
        played, planned = stage_views.slowest([ranking]), progress.stage.planned
    more = max(0, len(rows) - box.rows)
    rows = rows[: box.rows - 1] if more else rows
    heights = accumulate((ROW + LINE * bool(row.lines[1]) for row in rows), initial=box.top + HEAD + ROW - 6)
    return PictureBox(
        box=box,
        title=title,
        clipped_title=clipped(title, CELLS_OF_TITLE),
        state=state,
        played=played,
        planned=planned,
        rows=tuple(replace(row, y=y) for row, y in zip(rows, heights, strict=False)),
        more=more + 1 if more else 0,
    )


def _title(stage: Stage, block: str) -> str:
    if len(stage.blocks) == 1:
        return stage_name(stage)
    facts = {"stage": stage_name(stage), "block": block}
    if block.isdecimal():
        return pgettext("title of a box", "%(stage)s T%(block)s") % facts
    return pgettext("title of a box", "%(stage)s %(block)s") % facts


def _state(progress: StageProgress, ranking: BlockRanking) -> str:
    if progress.state is StageState.RUNNING:
        return StageState.RUNNING if ranking.started else StageState.READY
    return progress.state


def _rows(current: CurrentState, progress: StageProgress, ranking: BlockRanking, box: Box) -> Iterator[PictureRow]:
    if progress.state in stage_views.NOT_BEGUN and (len(progress.stage.blocks) == 1 or not ranking.lines):
        alone, found = len(progress.stage.blocks) == 1, stage_views.destination_places(current, progress.stage)
        places = [place for place in found if alone or _feeds(current, place, progress, ranking)]
        yield from _place_rows(box, places, stage_views.open_places(current, progress.stage) if alone else [])
        return
    approved, title = stage_views.decided_players(progress.paths), current.state.format.title_of(progress.stage.key)
    others = "out" if progress.state is StageState.DECIDED and progress.paths and not title else ""
    away = [each for each in current.facts.withdrawals if not current.facts.results(each.stage).get(each.participant)]
    gone = {each.participant for each in away if each.stage in {path.to for path in progress.paths}}
    told = {path.to for path in told_paths(progress) if ranking.started}
    # If no one is eliminated, only those with the best destination are marked.
    marks = dict.fromkeys(approved, "") | dict.fromkeys(stage_views.decided_players(told_paths(progress)), "on")
    paths = [path for path in told_paths(progress) if not path.overtaken]
    # Who was passed over by a decision is marked like who withdrew.
    gone |= {each for path in paths if path.decision for each in path.proposed} - approved
    marks |= {each: "up" for path in paths for each in stage_views.decided_players([path]) - set(path.proposed)}
    listed = ranking.as_listed.lines
    # Who has a substitute makes room for them.
    replaced = {line.replaces for line in listed} if len(listed) > box.rows else set()
    for line in (each for each in listed if each.participant not in replaced):
        going = marks.get(line.participant, others)
        would = going or ("if" if line.advances_to in told and line.participant not in marks else "")
        points = line.points if ranking.started else None
        name = reader_name(current.player(line.participant))
        lines = _lines(box, name, 0 if points is None else POINTS, LOUDER * (going in {"on", "up"}))
        would = "left" if line.withdrawn or line.participant in gone else would
        yield PictureRow(name, lines, would, points)
    for each in absent(current, progress.stage.key, ranking.block):
        name = reader_name(current.player(each))
        yield PictureRow(name, _lines(box, name), "left")


def _feeds(
    current: CurrentState, place: stage_views.DestinationPlace, progress: StageProgress, ranking: BlockRanking
) -> bool:
    if progress.stage.fill is not Fill.BRACKET or place.stage is None or not place.block:
        return False
    return next_block(current.state.format.stage(place.stage), place.block, progress.stage) == ranking.block


def _place_rows(box: Box, places: list[stage_views.DestinationPlace], labels: list[str]) -> Iterator[PictureRow]:
    for place in places:
        name = reader_name(place.entry.player)
        aside = place.origin if box.block is not None and cells(place.origin) <= ORIGIN_CELLS else ""
        lines = _lines(box, name, (cells(aside) + 1) * TYPE // 2 * bool(aside), LOUDER * bool(place.stage))
        mark = "if" if place.provisional else "on" if place.stage else ""
        yield PictureRow(name, lines, mark, aside=aside)
    for label in labels[: max(0, box.rows - len(places))]:
        yield PictureRow("", _lines(box, label), "")


def _lines(box: Box, name: str, taken: int = 0, louder: int = 0) -> tuple[str, str]:
    """Return a name in one line, or in two if it does not fit."""
    below = box.width - MARK - EDGE - louder
    room, (first, _space, rest) = 2 * (below - taken) // TYPE, name.partition(" ")
    in_one = cells(name) <= room or not rest
    return (clipped(name, room), "") if in_one else (clipped(first, room), clipped(rest, 2 * below // TYPE))


def _line(current: CurrentState, route: BracketLine) -> PictureLine:
    progress = current.state.stage(route.stage)
    path, ranking = progress.path(route.to), progress.ranking(route.block)
    return PictureLine(
        route=route,
        points=" ".join(f"{x},{y}" for x, y in route.corners),
        words=" · ".join(_words(source, len(ranking.counting)) for source in route.sources),
        approved=path.decision is not None,
    )


def _words(source: Source, players: int) -> str:
    if isinstance(source, Best):
        facts = {"count": source.count, "rank": rank_text(source.rank)}
        if source.count == 1:
            return pgettext("line of a picture", "best %(rank)s") % facts
        return pgettext("line of a picture", "best %(count)s of %(rank)s") % facts
    assert isinstance(source, Ranks)
    last = source.last or players
    if last < source.first:
        return pgettext("line of a picture", "from %(first)s") % {"first": source.first}
    ranks = str(source.first) if last == source.first else f"{source.first}–{last}"
    return pgettext("line of a picture", "%(ranks)s") % {"ranks": ranks}
