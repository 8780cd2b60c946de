"""Hall display views of a stage: pages of standings, and next seats."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from league.models import Player
from scoring.messages.numbers import in_language
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import StageProgress, StageState, TournamentState
from tournaments.selectors.picture import FilledPicture, PictureBox
from tournaments.selectors.seating import PlannedRound, SessionSeating
from tournaments.selectors.state import CurrentState, mark_of

MAX_UNITS = 15
"""Lines of text that fit on a screen, readable from eight metres."""

MAX_TABLES = 8
"""Tables whose names fit on a screen."""

SIDE_BY_SIDE = 3

ROOM, CUT = 640, 42
"""Height available for a panel's lines, and height of a line's label, in 1/1000 of the screen."""

URGENCY = (
    StageState.RUNNING,
    StageState.PLAYED,
    StageState.READY,
    StageState.UNDRAWN,
)
"""Order in which the default stage is chosen."""


@dataclass(frozen=True, slots=True)
class ProjectorRow:
    """A row of the standings. `cut`: destinations above and below the line drawn under it, None without one."""

    line: RankingLine
    player: Player
    mark: str
    cut: tuple[str | None, str | None] | None


@dataclass(frozen=True, slots=True)
class StandingsPanel:
    """Standings of a block on the hall display."""

    block: str
    rows: tuple[ProjectorRow, ...]

    @property
    def cuts(self) -> int:
        return sum(row.cut is not None for row in self.rows)


@dataclass(frozen=True, slots=True)
class StandingsScreen:
    panels: tuple[StandingsPanel, ...]
    played: int
    planned: int

    @property
    def room(self) -> int:
        """Maximum height of a player's line, in 1/1000 of the screen; determines the font size."""
        return min((ROOM - CUT * panel.cuts) // len(panel.rows) for panel in self.panels)

    @property
    def is_even(self) -> bool:
        return len({row.line.played for panel in self.panels for row in panel.rows if not row.line.withdrawn}) <= 1


@dataclass(frozen=True, slots=True)
class SeatingScreen:
    session_seating: SessionSeating
    round: PlannedRound


def stage_on_projector(state: TournamentState, asked: str | None) -> StageProgress:
    """Return the stage `asked` for, or the most urgent one. Raise KeyError if there is no such stage."""
    if asked:
        return state.stage(asked)
    for urgent in URGENCY:
        for each in state.stages:
            if each.state is urgent:
                return each
    decided = [each for each in state.stages if each.state is StageState.DECIDED]
    return decided[-1] if decided else state.stages[0]


def standings_screens(current: CurrentState, progress: StageProgress, block: str | None) -> list[StandingsScreen]:
    """Return the standings of a stage or block as screens. Raise KeyError if there is no such block."""
    rankings = [progress.ranking(block)] if block else list(progress.rankings)
    named = len(progress.stage.blocks) > 1
    panels = [panel for ranking in rankings for panel in _panels(current, ranking, ranking.block if named else "")]
    screens = max(1, -(-len(panels) // SIDE_BY_SIDE))
    size = max(1, -(-len(panels) // screens))
    groups = [tuple(panels[start : start + size]) for start in range(0, len(panels), size)]
    return [StandingsScreen(group, _played(group), progress.stage.planned) for group in groups]


def seating_screens(
    progress: StageProgress, session_seatings: Iterable[SessionSeating], block: str | None
) -> list[SeatingScreen]:
    return [
        SeatingScreen(each, replace(current, tables=current.tables[start : start + MAX_TABLES]))
        for each in seatings_ahead(progress, session_seatings, block)
        if (current := each.current) is not None
        for start in range(0, len(current.tables), MAX_TABLES)
    ]


def seatings_ahead(
    progress: StageProgress, session_seatings: Iterable[SessionSeating], block: str | None
) -> list[SessionSeating]:
    ahead = [each for each in session_seatings if _is_ahead(each, progress, block)]
    return [each for each in ahead if each.day == min(other.day for other in ahead)]


def between_hanchan(progress: StageProgress, session_seatings: Iterable[SessionSeating]) -> bool:
    rounds = [each.current for each in session_seatings if _is_ahead(each, progress, None)]
    return any(each is not None and not each.is_begun for each in rounds)


def _is_ahead(session_seating: SessionSeating, progress: StageProgress, block: str | None) -> bool:
    here = session_seating.stage.key == progress.stage.key and (
        not block or session_seating.stage_session.block in {"", block}
    )
    return here and not session_seating.is_over and session_seating.current is not None


def _panels(current: CurrentState, ranking: BlockRanking, block: str) -> Iterator[StandingsPanel]:
    cuts = {cut.after: (cut.above, cut.below) for cut in ranking.cuts}
    rows = [
        ProjectorRow(line, current.player(line.participant), mark_of(current, line), cuts.get(line.position))
        for line in ranking.lines
    ]
    if not rows:
        return
    parts = -(-(len(rows) + StandingsPanel(block, tuple(rows)).cuts) // MAX_UNITS)
    length = -(-len(rows) // parts)
    for start in range(0, len(rows), length):
        yield StandingsPanel(block, tuple(rows[start : start + length]))


def _played(panels: Iterable[StandingsPanel]) -> int:
    return min((row.line.played for panel in panels for row in panel.rows if not row.line.withdrawn), default=0)


PICTURE_ROOM = (700, 370)
"""Maximum width and height of a bracket in units, for readable text."""

MOST, MOST_TALL = 6, 3
"""Boxes per screen; the second number applies if boxes have more rows than a table has seats."""

ROWS = 4
ROUND = 3
"""Stages with at least this many boxes get screens of their own."""


@dataclass(frozen=True, slots=True)
class BracketCard:
    filled: PictureBox
    onward: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class BracketScreen:
    """A part of the bracket; `number` counts from 1."""

    cards: tuple[BracketCard, ...]
    number: int
    of: int

    @property
    def shape(self) -> str:
        return f"tall-{len(self.cards)}" if any(map(_is_tall, self.cards)) else str(len(self.cards))


def fits_as_picture(picture: FilledPicture) -> bool:
    return picture.layout.width <= PICTURE_ROOM[0] and picture.layout.height <= PICTURE_ROOM[1]


def bracket_screens(current: CurrentState, picture: FilledPicture) -> list[BracketScreen]:
    cards = [BracketCard(each, _onward(current, picture, each)) for each in picture.boxes]
    stages = [list(found) for _, found in groupby(cards, key=lambda card: card.filled.box.key)]
    parts = list(_parts(stages))
    return [BracketScreen(tuple(part), number, len(parts)) for number, part in enumerate(parts, 1)]


def _parts(stages: Sequence[list[BracketCard]]) -> Iterator[Sequence[BracketCard]]:
    together: list[BracketCard] = []
    for stage in stages:
        is_tall = any(map(_is_tall, stage))
        if together and (is_tall or len(stage) >= ROUND or len(together) + len(stage) > MOST):
            yield together
            together = []
        if is_tall or len(stage) >= ROUND:
            screens = -(-len(stage) // (MOST_TALL if is_tall else MOST))
            size = -(-len(stage) // screens)
            yield from (stage[start : start + size] for start in range(0, len(stage), size))
        else:
            together = [*together, *stage]
    if together:
        yield together


def _is_tall(card: BracketCard) -> bool:
    return len(card.filled.rows) + bool(card.filled.more) > ROWS


def _onward(current: CurrentState, picture: FilledPicture, each: PictureBox) -> tuple[tuple[str, str], ...]:
    format_ = current.state.format
    return tuple(
        (line.words, in_language(format_.destination(line.route.to).name))
        for line in picture.lines
        if (line.route.stage, line.route.block) == (each.box.key, each.box.block)
    )
