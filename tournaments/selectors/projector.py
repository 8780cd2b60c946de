"""Hall display views of a stage: pages of standings, and next seats."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from string import ascii_uppercase
from unicodedata import east_asian_width

from django.utils.translation import pgettext

from league.models import Player
from scoring.messages.numbers import in_language
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import StageProgress, StageState, TournamentState
from tournaments.messages.titles import line_mark
from tournaments.selectors.picture import FilledPicture, PictureBox
from tournaments.selectors.seating import PlannedRound, SessionSeating, sessions_waiting
from tournaments.selectors.state import CurrentState, reader_name

MAX_UNITS = 15
"""Lines of text that fit on a screen, readable from eight metres."""

MAX_TABLES = 8
"""Tables whose names fit on a screen."""

WIDTHS = {1: 1600, 2: 780, 3: 505}
"""Lists side by side, with the width of each in 1/1000 of the height of a 16:9 screen."""

LEAST, CLEAR, HIGH = 36, 40, 520
"""The smallest text, one easier to read, and the height of all the letters of a list, in 1/1000 of the screen."""

LETTERS = dict.fromkeys(ascii_uppercase, 66) | dict.fromkeys("filjrtI1.,:;'()- ", 35) | dict.fromkeys("MWmw@&", 90)
"""Widths of Latin letters unlike the others, in 1/100 em."""

URGENCY = (StageState.RUNNING, StageState.PLAYED, StageState.READY, StageState.UNDRAWN)
"""Order in which the default stage is chosen."""


@dataclass(frozen=True, slots=True)
class ProjectorRow:
    """A row of the standings.

    `mark`: one word beside the name. `played`: where the block played another number of hanchan. `cut`: destinations
    above and below the line drawn under it, None without one.
    """

    line: RankingLine
    player: Player
    mark: str
    played: str
    cut: tuple[str | None, str | None] | None


@dataclass(frozen=True, slots=True)
class StandingsPanel:
    """Standings of a block on the hall display. `played`: hanchan it has played, some with byes; `is_blank`: no one has points."""

    block: str
    rows: tuple[ProjectorRow, ...]
    played: int
    is_blank: bool


@dataclass(frozen=True, slots=True)
class StandingsScreen:
    """`width`: of the longest line, in em. `has_gaps`: there is room for the distance to the line. `is_blank`: no points yet."""

    panels: tuple[StandingsPanel, ...]
    planned: int
    width: int
    has_gaps: bool
    is_blank: bool

    @property
    def played(self) -> int | None:
        """Hanchan played, None if the blocks differ."""
        played = {panel.played for panel in self.panels}
        return played.pop() if len(played) == 1 else None


@dataclass(frozen=True, slots=True)
class SeatingScreen:
    session_seating: SessionSeating
    round: PlannedRound


def stages_on_projector(
    state: TournamentState, asked: str | None, session_seatings: Iterable[SessionSeating]
) -> list[StageProgress]:
    """Return the stage `asked` for, or the most urgent one and those that play now. Raise KeyError."""
    if asked:
        return [state.stage(asked)]
    urgent = [each for wanted in URGENCY for each in state.stages if each.state is wanted]
    first = (urgent or [each for each in state.stages[::-1] if each.state is StageState.DECIDED] or state.stages)[0]
    keys = {each.stage.key for each in seatings_now(state, session_seatings)}
    return [first, *(each for each in state.stages if each is not first and each.stage.key in keys)]


def seatings_now(state: TournamentState, session_seatings: Iterable[SessionSeating]) -> list[SessionSeating]:
    """Return the seatings of all stages that are played now or next, before others of the same players and day."""
    unfinished = {each.stage.key for each in state.stages if each.state in URGENCY}
    ahead = seatings_ahead(unfinished, session_seatings, None)
    waiting = sessions_waiting(ahead)
    return [each for each in ahead if each.stage_session.session_id not in waiting]


def standings_screens(current: CurrentState, progress: StageProgress, block: str | None) -> list[StandingsScreen]:
    """Return the standings of a stage or block as screens. Raise KeyError if there is no such block."""
    rankings = [progress.ranking(block)] if block else list(progress.rankings)
    lists = [_list(current, progress, ranking) for ranking in rankings if ranking.lines]
    rows = [row for each in lists for row in each.rows]
    is_blank = all(each.is_blank for each in lists)
    narrow = max((_width(row, is_blank=is_blank) for row in rows), default=1)
    gaps = [
        _figure(row.line.above or row.line.below or 0) for row in rows if row.cut or row.line.above or row.line.below
    ]
    wide = narrow + (max(gaps) + 130 if gaps and not is_blank else 0)
    # Where the names need it, the distance to the line gives way, and then a list beside the others.
    needed = sum(map(_parts_of, lists))
    text = LEAST if needed >= len(WIDTHS) else CLEAR
    has_gaps = not is_blank and _abreast(wide, text) >= min(needed, len(WIDTHS))
    width = wide if has_gaps else narrow
    panels = [
        panel for each in lists for panel in _split(each, _parts_of(each) if len(lists) > 1 else _best(each, width))
    ]
    size = -(-len(panels) // -(-len(panels) // _abreast(width))) if panels else 1
    groups = [tuple(panels[start : start + size]) for start in range(0, len(panels), size)]
    return [StandingsScreen(each, progress.stage.planned, -(-width // 100), has_gaps, is_blank) for each in groups]


def seating_screens(
    progress: StageProgress, session_seatings: Iterable[SessionSeating], block: str | None
) -> list[SeatingScreen]:
    return [
        SeatingScreen(each, replace(current, tables=current.tables[start : start + MAX_TABLES]))
        for each in seatings_ahead({progress.stage.key}, session_seatings, block)
        if (current := each.current) is not None
        for start in range(0, len(current.tables), MAX_TABLES)
    ]


def seatings_ahead(
    stages: Collection[str], session_seatings: Iterable[SessionSeating], block: str | None
) -> list[SessionSeating]:
    """Return the seatings of these stages, by key, on the next day that has some."""
    ahead = [each for each in session_seatings if _is_ahead(each, stages, block)]
    return [each for each in ahead if each.day == min(other.day for other in ahead)]


def between_hanchan(progress: StageProgress, session_seatings: Iterable[SessionSeating]) -> bool:
    rounds = [each.current for each in session_seatings if _is_ahead(each, {progress.stage.key}, None)]
    return any(each is not None and not each.is_begun for each in rounds)


def _is_ahead(session_seating: SessionSeating, stages: Collection[str], block: str | None) -> bool:
    here = session_seating.stage.key in stages and (not block or session_seating.stage_session.block in {"", block})
    return here and not session_seating.is_over and session_seating.current is not None


def _list(current: CurrentState, progress: StageProgress, ranking: BlockRanking) -> StandingsPanel:
    block = ranking.block if len(progress.stage.blocks) > 1 else ""
    ranking = ranking.as_listed
    cuts = {cut.after: (cut.above, cut.below) for cut in ranking.cuts}
    counted = Counter(line.played for line in ranking.lines if not line.withdrawn)
    size = current.tournament.format.table_size
    # With byes, most players may have played fewer hanchan than the block.
    rounds = sum(counted.elements()) // max(counted.total() // size * size, size)
    usual = min(max(counted, default=0), max(rounds, max(sorted(counted), key=counted.__getitem__, default=0)))
    rows = tuple(
        ProjectorRow(
            line=line,
            player=current.player(line.participant),
            mark=pgettext("wall", "sub") if line.replaces is not None and not line.withdrawn else line_mark(line),
            played="" if line.withdrawn or line.played == usual else f"{line.played}/{line.planned}",
            cut=cuts.get(line.position) if ranking.started else None,
        )
        for line in ranking.lines
    )
    return StandingsPanel(block, rows, usual, not any(line.played or line.points for line in ranking.lines))


def _parts_of(panel: StandingsPanel) -> int:
    return -(-(len(panel.rows) + sum(row.cut is not None for row in panel.rows)) // MAX_UNITS)


def _best(panel: StandingsPanel, width: int) -> int:
    """Return into how many lists to split one, for the largest text."""
    least = _parts_of(panel)
    if least >= _abreast(width):
        return least

    def size(parts: int) -> int:
        return min(HIGH * parts // (len(panel.rows) + parts - 1), WIDTHS[parts] * 100 // width)

    return max(range(least, _abreast(width) + 1), key=size)


def _split(panel: StandingsPanel, parts: int) -> Iterator[StandingsPanel]:
    length = -(-len(panel.rows) // parts)
    for start in range(0, len(panel.rows), length):
        yield replace(panel, rows=panel.rows[start : start + length])


def _abreast(width: int, text: int = LEAST) -> int:
    """Return how many lists fit side by side with lines of this width, in 1/100 em, in text of this size."""
    return max((number for number, room in WIDTHS.items() if room * 100 >= width * text), default=1)


def _width(row: ProjectorRow, *, is_blank: bool) -> int:
    name = letters(reader_name(row.player)) + sum(60 + letters(word) for word in (row.mark, row.played) if word)
    return name + 60 if is_blank else name + 320 + _figure(row.line.points)


def _figure(points: int) -> int:
    return 57 * len(f"{abs(points) // 1000:,}.0")


def letters(text: str) -> int:
    """Return about how wide a text is, in 1/100 em."""
    return sum(100 if east_asian_width(letter) in "WFA" else LETTERS.get(letter, 57) for letter in text)


MOST, MOST_TALL = 6, 3
"""Boxes of a stage per screen; the second number applies if boxes have more rows than a table has seats."""

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
    def lines(self) -> int:
        return max(len(card.filled.rows) + bool(card.filled.more) for card in self.cards)

    @property
    def shape(self) -> str:
        return f"tall-{len(self.cards)}" if any(map(_is_tall, self.cards)) else str(len(self.cards))


def bracket_screens(current: CurrentState, picture: FilledPicture) -> list[BracketScreen]:
    cards = [BracketCard(each, _onward(current, picture, each)) for each in picture.boxes]
    stages = [list(found) for _, found in groupby(cards, key=lambda card: card.filled.box.key)]
    parts = list(_parts(stages))
    return [BracketScreen(tuple(part), number, len(parts)) for number, part in enumerate(parts, 1)]


def _parts(stages: Sequence[list[BracketCard]]) -> Iterator[Sequence[BracketCard]]:
    together: list[BracketCard] = []
    for stage in stages:
        is_tall = any(map(_is_tall, stage))
        most = ROUND - 1 if is_tall or any(map(_is_tall, together)) else MOST
        if together and (len(stage) >= ROUND or len(together) + len(stage) > most):
            yield together
            together = []
        if len(stage) >= ROUND:
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
