"""What the players of a stage need in what is left of it, and how likely they are to get it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from scoring.core import ScoringRules
from tournaments.core.format import RankBy
from tournaments.core.needs import (
    Apart,
    Case,
    FinishPlace,
    Margin,
    Proofs,
    Tables,
    apart,
    margins_of,
    ordinary,
    proofs_of_tables,
)
from tournaments.core.odds import Bank
from tournaments.core.ranking import BlockRanking
from tournaments.core.state import StageProgress, StageState
from tournaments.estimates import Odds, odds_of
from tournaments.messages.titles import block_name
from tournaments.models import Entry
from tournaments.phrases import sentences_of_tables
from tournaments.selectors.beliefs import Knowledge, names_of_strengths
from tournaments.selectors.goals import goals_of, line_of, playing
from tournaments.selectors.names import reader_name
from tournaments.selectors.outlook import seed_of
from tournaments.selectors.seating import next_seats
from tournaments.selectors.state import CurrentState

MOST_LEFT = 16
"""With more left to play a chance says too little."""

MOST_TOLD = 24
"""For so many, the nearest to a line, it is said what they need; all the others have a gap."""


LINES_TOLD = 2
"""Of so many lines, those that are nearest, somebody hears; the differences stand with the nearest."""

MOST_SHOWN = 4
"""More players than these a page folds away."""

MOST_APART = 12
"""So many who play elsewhere, the nearest, are listed for each player."""


@dataclass(frozen=True, slots=True)
class MarginTable:
    """A player's margins against a rival at the table: a row for each own place, a cell for each place of the rival.

    A cell is None where both would have the same place.
    """

    rival: Entry
    rows: tuple[tuple[Margin | None, ...], ...]


@dataclass(frozen=True, slots=True)
class RivalApart:
    """What decides between a player and a rival who do not meet in the last hanchan. `plays`: the rival has it before them."""

    rival: Entry
    apart: Apart
    plays: bool


@dataclass(frozen=True, slots=True)
class PlayerNeeds:
    """What one player needs, as sentences and in figures, and how likely it is (None: not estimated).

    `gap` in 1/1000 pt: what is missing to the last above the line, or (not negative) the lead over the first below it.
    `left`: hanchan still to be played.
    """

    entry: Entry
    sentences: tuple[str, ...]
    chance: float | None
    secured: bool
    out: bool
    left: int = 0
    is_above: bool = False
    gap: int = 0
    margins: tuple[MarginTable, ...] = ()
    apart: tuple[RivalApart, ...] = ()


@dataclass(frozen=True, slots=True)
class BlockNeeds:
    """What a block is played for: among the first `goal`. `left`: how many hanchan at most somebody has still to play.

    `line`: what the line below them is called, empty for the title. `odds`: None where chances are not estimated here.
    `from_results`: the odds know real hanchan of the league; `equal`: nobody's strength is known. `tables` and `proofs` are
    what all of it follows from.
    """

    title: str
    goal: int
    line: str
    left: int
    odds: Odds | None
    from_results: bool
    equal: bool
    players: tuple[PlayerNeeds, ...]
    block: str
    tables: Tables
    proofs: Proofs

    @property
    def is_folded(self) -> bool:
        """Whether there are so many players that a page shows them when asked."""
        return len(self.players) > MOST_SHOWN


@dataclass(frozen=True, slots=True)
class _Telling:
    """By which rules, results and strengths it is told, under which names, in which language; players by primary key as text."""

    rules: ScoringRules
    bank: Bank
    strength: Mapping[str, float]
    names: Mapping[str, str]
    language: str
    together: tuple[tuple[str, ...], ...]


def may_tell_needs(progress: StageProgress) -> bool:
    """Return whether a block of the stage is under way, and near enough to its end."""
    return any(True for _ in _open_blocks(progress))


def has_last_hanchan(progress: StageProgress) -> bool:
    """Return whether nobody in some block of the stage has more than one hanchan left, and somebody has that."""
    return any(max(line.left for line in playing(ranking)) == 1 for ranking in _open_blocks(progress))


def needs_as_read(
    current: CurrentState, progress: StageProgress, knowledge: Knowledge | None = None
) -> tuple[BlockNeeds, ...]:
    """Return the same under the names as they stand in `current`, in the reader's language.

    `knowledge`: what the page has asked for already. One query more where it has not, for the rules.
    """
    if not may_tell_needs(progress):
        return ()
    knowledge = knowledge or Knowledge(current)
    return needs_of(current, progress, names_of(current), get_language() or "ja", knowledge=knowledge)


def names_of(current: CurrentState) -> dict[str, str]:
    """Return what entries are called, by primary key as text."""
    return {str(pk): reader_name(entry.player) for pk, entry in current.entries.items()}


def needs_of(
    current: CurrentState, progress: StageProgress, names: Mapping[str, str], language: str, *, knowledge: Knowledge
) -> tuple[BlockNeeds, ...]:
    """Return what is needed in every block under way. What `knowledge` has not asked for yet is asked for.

    `names`: by primary key of the entry as text, as the reader may read them; `language` of the sentences.
    """
    version, blocks = knowledge.rules_of(progress.stage), list(_open_blocks(progress))
    rules = version.readable()
    if rules is None or rules.missing or not blocks:
        return ()
    size = rules.players or 4
    # Whoever sits at one table is told chances too, unless the organisers show none.
    bank: Bank = ()
    strength: Mapping[str, float] = {}
    if current.tournament.shows_chances and any(_is_one_table(each, size) for each in blocks):
        bank, strength = knowledge.bank_of(version, rules), names_of_strengths(knowledge.strengths)
    seated = any(not _is_one_table(each, size) and _has_last(each) for each in blocks)
    together = _together(current, progress, size, knowledge) if seated else ()
    telling = _Telling(rules, bank, strength, names, language, together)
    return tuple(
        _needs(current, progress, ranking, goal, telling)
        for ranking in blocks
        for goal in goals_of(ranking, progress.stage, current.state.format)
    )


def _open_blocks(progress: StageProgress) -> Iterator[BlockRanking]:
    """Yield the blocks that are under way by points, and near enough to their end. Where places rank, points tell nothing."""
    if progress.state is StageState.DECIDED or progress.stage.rank_by is not RankBy.POINTS:
        return
    for ranking in progress.rankings:
        left = [line.left for line in playing(ranking)]
        if ranking.started and not ranking.complete and 1 <= max(left, default=0) <= MOST_LEFT:
            yield ranking


def _is_one_table(ranking: BlockRanking, size: int) -> bool:
    """Return whether all who still play have as much left, and fit at one table."""
    left = [line.left for line in playing(ranking) if line.left]
    return len(left) == size and len(set(left)) == 1


def _has_last(ranking: BlockRanking) -> bool:
    return any(line.left == 1 for line in playing(ranking))


def _together(
    current: CurrentState, progress: StageProgress, size: int, knowledge: Knowledge
) -> tuple[tuple[str, ...], ...]:
    """Return who sits together in the next hanchan, table by table, by primary key of the entries as text."""
    entry_of = {entry.player_id: str(pk) for pk, entry in current.entries.items()}
    seatings = [each for each in knowledge.seatings if each.stage.key == progress.stage.key]
    tables = {
        tuple(entry_of.get(seat.player.pk, "") for seat in found.table.seats) for found in next_seats(seatings).values()
    }
    return tuple(table for table in sorted(tables) if len(set(table) - {""}) == size)


def _tables(progress: StageProgress, ranking: BlockRanking, goal: int, telling: _Telling) -> Tables:
    lines, size = ranking.lines, telling.rules.players or 4
    left = {str(line.participant): 0 if line.withdrawn else line.left for line in lines}
    last = [player for player, count in left.items() if count == 1]
    if _is_one_table(ranking, size):
        together: Sequence[tuple[str, ...]] = [tuple(last)] if last else []
    else:
        together = [table for table in telling.together if set(table) <= set(last)]
    seen: set[str] = set()
    known = []
    for table in together:
        if not seen & set(table):
            known.append(table)
            seen |= set(table)
    return Tables(
        rules=telling.rules,
        totals={str(line.participant): line.points for line in lines},
        left=left,
        goal=goal,
        together=tuple(known),
        earlier=tuple(str(line.participant) for line in lines if not (line.undecided or line.shared)),
        last_decides=progress.stage.tiebreak[:1] == ("last_hanchan",),
        is_closed=not any(line.withdrawn or line.uninvited for line in lines),
    )


def _needs(
    current: CurrentState, progress: StageProgress, ranking: BlockRanking, goal: int, telling: _Telling
) -> BlockNeeds:
    tables = _tables(progress, ranking, goal, telling)
    proofs = proofs_of_tables(tables)
    odds = _odds(current, ranking, tables, telling)
    gaps = _gaps(ranking, goal)
    nearest = _nearest_lines(ranking, list(goals_of(ranking, progress.stage, current.state.format)))
    told = sorted((player for player in gaps if goal in nearest[player]), key=lambda player: abs(gaps[player]))
    told = told[:MOST_TOLD]
    compared = {player for player in told if nearest[player][0] == goal} - {*proofs.secured, *proofs.out}
    line = line_of(current, ranking, goal)
    name = telling.names.__getitem__
    said = sentences_of_tables(tables, told, proofs, telling.language, name, is_title=not line)
    return BlockNeeds(
        title=block_name(ranking.block),
        goal=goal,
        line=line,
        left=max(tables.left.values()),
        odds=odds,
        from_results=bool(telling.bank),
        equal=not telling.strength,
        players=tuple(
            PlayerNeeds(
                entry=current.entries[int(player)],
                sentences=said.get(player, ()),
                chance=odds.chance.get(player) if odds else None,
                secured=player in proofs.secured,
                out=player in proofs.out,
                left=tables.left[player],
                is_above=position <= goal,
                gap=gap,
                margins=_margins(current, tables, player) if player in compared else (),
                apart=_apart(current, tables, player) if player in compared else (),
            )
            for position, (player, gap) in enumerate(gaps.items(), start=1)
            if int(player) in {line.participant for line in playing(ranking)}
        ),
        block=ranking.block,
        tables=tables,
        proofs=proofs,
    )


def _gaps(ranking: BlockRanking, goal: int) -> dict[str, int]:
    """Return, best first, everybody's lead over the first below a line, or (negative) what is missing to the last above it."""
    points = [line.points for line in ranking.lines]
    below, above = (points[goal] if goal < len(points) else points[-1]), points[goal - 1]
    return {str(line.participant): line.points - (below if line.position <= goal else above) for line in ranking.lines}


def _nearest_lines(ranking: BlockRanking, goals: Sequence[int]) -> dict[str, list[int]]:
    """Return of which lines everybody hears, the nearest first."""
    gaps = {goal: _gaps(ranking, goal) for goal in goals}
    return {
        player: sorted(goals, key=lambda goal: abs(gaps[goal][player]))[:LINES_TOLD]
        for player in (str(line.participant) for line in ranking.lines)
    }


def _odds(current: CurrentState, ranking: BlockRanking, tables: Tables, telling: _Telling) -> Odds | None:
    if not current.tournament.shows_chances or not _is_one_table(ranking, telling.rules.players or 4):
        return None
    playing = tuple(player for player, left in tables.left.items() if left)
    case, left = tables.case_at(playing), tables.left[playing[0]]
    return odds_of(case, left, strength=telling.strength, bank=telling.bank, seed=seed_of(current))


def _margins(current: CurrentState, tables: Tables, player: str) -> tuple[MarginTable, ...]:
    table = tables.table_of(player)
    if not table:
        return ()
    case = tables.case_at(table)
    margins = margins_of(case, player)
    places = [FinishPlace(number) for number in range(1, len(table) + 1)]
    found = (
        MarginTable(
            current.entries[int(rival)],
            tuple(
                tuple(_cell(case, margins.get(own, {}).get(rival, {}).get(theirs)) for theirs in places)
                for own in places
            ),
        )
        for rival in case.rivals(player)
    )
    # Where every place is enough, or none, the figures say nothing more.
    return tuple(each for each in found if len({cell for row in each.rows for cell in row if cell is not None}) > 1)


def _cell(case: Case, margin: Margin | None) -> Margin | None:
    return None if margin is None else ordinary(case, margin)


def _apart(current: CurrentState, tables: Tables, player: str) -> tuple[RivalApart, ...]:
    if tables.left[player] > 1:
        return ()
    table = tables.table_of(player)
    elsewhere = [
        (rival, apart(tables, player, rival))
        for rival in tables.players
        if rival not in {player, *table} and tables.left[rival] <= 1 and (tables.left[player] or tables.left[rival])
    ]
    nearest = sorted(elsewhere, key=lambda found: abs(found[1].least))[:MOST_APART]
    return tuple(
        RivalApart(current.entries[int(rival)], found, bool(tables.left[rival]))
        for rival, found in sorted(nearest, key=lambda found: -tables.totals[found[0]])
    )
