"""Requirements of players in the rest of a stage, and their chances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.core import ScoringRules
from tournaments.core.format import Best
from tournaments.core.needs.case import counts_places
from tournaments.core.needs.proofs import (
    Apart,
    Proofs,
    Tables,
    WildCard,
    apart,
    is_open,
    proofs_of_tables,
    proofs_of_wild_card,
)
from tournaments.core.odds import Bank, chances_by_places
from tournaments.core.ranking import BlockRanking
from tournaments.core.state import StageProgress
from tournaments.estimates.odds import Odds, odds_of
from tournaments.messages.needs import Names
from tournaments.messages.needs_tables import MOST_RIVALS, Line, LowerLine, sentences_of_tables, sentences_of_wild_card
from tournaments.messages.titles import block_name
from tournaments.models import Entry
from tournaments.selectors.needs_tables import (
    cuts_by_rank,
    goals_of,
    has_known_places,
    has_last,
    is_one_table,
    line_of,
    open_blocks,
    playing,
    tables_of,
    tables_together,
    wild_card_in,
    wild_card_line,
    wild_cards_of,
)
from tournaments.selectors.outlook import Knowledge, seed_of
from tournaments.selectors.state import CurrentState, reader_language, reader_names

MOST_APART = 12
"""Maximum number of players at other tables listed per player, nearest first."""


@dataclass(frozen=True, slots=True)
class RivalApart:
    """The lead needed over a rival who sits elsewhere. `plays`: the rival still has the last hanchan to play.

    `is_open`: an ordinary hanchan can decide who ends above.
    """

    rival: Entry
    apart: Apart
    plays: bool
    is_open: bool


def rivals_apart(current: CurrentState, tables: Tables, player: str) -> tuple[RivalApart, ...]:
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
        RivalApart(current.entries[int(rival)], found, bool(tables.left[rival]), is_open(tables, player, rival))
        for rival, found in sorted(nearest, key=lambda found: -tables.totals[found[0]])
    )


MOST_TOLD = 24
"""Number of players nearest to a line who get full requirements; the others get only a gap."""


LINES_TOLD = 2
"""Number of nearest lines described."""

MOST_SHOWN = 4
"""With more players than this, the page collapses the list."""

MOST_WILD = 4
"""Number of players nearest to the rank who are told about a wild card."""


@dataclass(frozen=True, slots=True)
class PlayerNeeds:
    """A player's requirements for one line.

    `gap`: points (1/1000 pt) behind the last player above the line (negative), or the lead over the first player below
    it (zero or positive). `left`: hanchan still to be played. `is_exact`: only the player's own table still plays.
    """

    entry: Entry
    sentences: tuple[str, ...]
    secured: bool
    out: bool
    left: int
    is_above: bool
    gap: int
    chance: float | None = None
    apart: tuple[RivalApart, ...] = ()
    is_exact: bool = False

    @property
    def untold(self) -> tuple[RivalApart, ...]:
        """The rivals elsewhere, if they are more than the sentences name above or below a player who still plays."""
        found = tuple(each for each in self.apart if each.is_open and self.left and not self.is_exact)
        above = sum(each.apart.least > 0 for each in found)
        return found if max(above, len(found) - above) > MOST_RIVALS else ()


@dataclass(frozen=True, slots=True)
class BlockNeeds:
    """Requirements in a block for its first `goal` places. `left`: most hanchan a player has left.

    `line`: the line's name, empty for the title. `odds`: None if not estimated. `from_results`: points come from the
    league's hanchan; `equal`: strengths unknown. `tables` and `proofs`: the data behind the
    requirements. `has_idle`: some have yet to play.
    """

    title: str
    goal: int
    line: str
    left: int
    players: tuple[PlayerNeeds, ...]
    block: str
    tables: Tables
    proofs: Proofs
    odds: Odds | None = None
    from_results: bool = False
    equal: bool = False
    lower: tuple[LowerLine, ...] = ()
    wild: WildCard | None = None
    has_idle: bool = False

    @property
    def by_places(self) -> bool:
        return counts_places(self.tables.rules)

    @property
    def told(self) -> list[list[PlayerNeeds]]:
        """The players of whom there is something to say, with the same requirements together; those who play first."""
        found: dict[object, list[PlayerNeeds]] = {}
        for each in self.players:
            if not each.secured and not each.out and (each.sentences or each.untold or each.chance is not None):
                found.setdefault((each.sentences, each.untold) if each.sentences else each.entry, []).append(each)
        return sorted(found.values(), key=lambda group: not group[0].left)

    @property
    def decided(self) -> list[tuple[bool, list[PlayerNeeds]]]:
        secured, out = [each for each in self.players if each.secured], [each for each in self.players if each.out]
        return [(is_good, players) for is_good, players in ((True, secured), (False, out)) if players]

    @property
    def is_folded(self) -> bool:
        return len(self.players) > MOST_SHOWN


@dataclass(frozen=True, slots=True)
class _Telling:
    """Context for sentences: rules, results, strengths, names, language; players by primary key as text."""

    rules: ScoringRules
    bank: Bank
    strength: Mapping[str, float]
    names: Mapping[str, str]
    language: str
    together: tuple[tuple[str, ...], ...]


def said_in(block: BlockNeeds, players: Sequence[str], language: str, name: Names) -> Mapping[str, tuple[str, ...]]:
    if block.wild is not None:
        return sentences_of_wild_card(block.wild, players, block.proofs, language, name)
    return sentences_of_tables(
        block.tables, players, block.proofs, language, name, line=Line(is_title=not block.line, lower=block.lower)
    )


def may_tell_needs(progress: StageProgress) -> bool:
    return any(True for _ in open_blocks(progress))


def has_last_hanchan(progress: StageProgress) -> bool:
    return any(max(line.left for line in playing(ranking)) == 1 for ranking in open_blocks(progress))


def needs_as_read(
    current: CurrentState, progress: StageProgress, knowledge: Knowledge | None = None
) -> tuple[BlockNeeds, ...]:
    """Return the requirements of a stage with the names visible to the reader, in the active language.

    `knowledge`: data the page has already loaded; otherwise one query for the rules.
    """
    if not may_tell_needs(progress):
        return ()
    knowledge = knowledge or Knowledge(current)
    version = knowledge.rules_of(progress.stage)
    rules = version.readable()
    if rules is None or rules.missing:
        return ()
    size, stage, format_ = rules.players or 4, progress.stage, current.state.format
    blocks = [each for each in open_blocks(progress) if has_known_places(stage, each, size)]
    if not blocks:
        return ()
    # A block at one table also gets chances, unless the organisers hide them.
    bank: Bank = ()
    strength: Mapping[str, float] = {}
    if current.tournament.shows_chances and any(is_one_table(each, size) for each in blocks):
        bank = knowledge.bank_of(version, rules)
        strength = {str(pk): value for pk, value in knowledge.strengths.items()}
    seated = any(not is_one_table(each, size) and has_last(each) for each in blocks)
    together = tables_together(current, progress, size, knowledge.seatings) if seated else ()
    telling = _Telling(rules, bank, strength, reader_names(current), reader_language(), together)
    by_rank = [
        _needs(current, progress, ranking, goal, telling)
        for ranking in blocks
        for goal in goals_of(ranking, stage, format_)
    ]
    # Players who have finished still wait for the other blocks.
    waiting = [each for each in progress.rankings if each in blocks or each.complete]
    by_wild_card = [
        _wild_card_needs(current, progress, ranking, found, telling)
        for ranking in waiting
        for found in wild_cards_of(ranking, stage, format_)
    ]
    order = list(stage.block_keys)
    told = [*by_rank, *(each for each in by_wild_card if each is not None)]
    return tuple(sorted(told, key=lambda each: (order.index(each.block), each.goal)))


def _needs(
    current: CurrentState, progress: StageProgress, ranking: BlockRanking, goal: int, telling: _Telling
) -> BlockNeeds:
    format_ = current.state.format
    tables = tables_of(progress, ranking, goal, telling.rules, telling.together)
    proofs = proofs_of_tables(tables)
    odds = _odds(current, ranking, tables, telling)
    gaps = _gaps(tables.totals, goal)
    nearest = _nearest_lines(tables.totals, list(goals_of(ranking, progress.stage, format_)))
    told = sorted((player for player in gaps if goal in nearest[player]), key=lambda player: abs(gaps[player]))
    told = told[:MOST_TOLD]
    compared = {player for player in told if nearest[player][0] == goal} - {*proofs.secured, *proofs.out}
    if counts_places(tables.rules):
        compared = set()
    line = line_of(current, progress.stage, ranking, goal)
    lower = tuple(
        LowerLine(cut.after, format_.destination(cut.above).name)
        for cut in cuts_by_rank(ranking, progress.stage, format_)
        if cut.after > goal and cut.above is not None
    )
    name = telling.names.__getitem__
    said = sentences_of_tables(tables, told, proofs, telling.language, name, line=Line(is_title=not line, lower=lower))
    staying = {str(each.participant) for each in playing(ranking)}
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
                apart=rivals_apart(current, tables, player) if player in compared else (),
                is_exact=tables.is_last(tables.table_of(player)),
            )
            for position, (player, gap) in enumerate(gaps.items(), start=1)
            if player in staying
        ),
        block=ranking.block,
        tables=tables,
        proofs=proofs,
        lower=lower,
        has_idle=any(not line.rank and line.unranked is None for line in playing(ranking.as_listed)),
    )


def _wild_card_needs(
    current: CurrentState, progress: StageProgress, ranking: BlockRanking, found: tuple[Best, str], telling: _Telling
) -> BlockNeeds | None:
    source, to = found
    if len(ranking.counting) < source.rank:
        return None
    own = tables_of(progress, ranking, source.rank, telling.rules, telling.together)
    wild = wild_card_in(progress, ranking, own, source.count, telling.together, telling.rules)
    if wild is None:
        return None
    proofs = proofs_of_wild_card(wild)
    target = wild.target
    holder = ranking.counting[source.rank - 1]
    beaten = own.totals[str(holder.participant)] if target is None else target
    near = sorted(own.players, key=lambda player: abs(own.totals[player] - own.totals[str(holder.participant)]))
    lines = {str(line.participant): line for line in playing(ranking)}
    shown = [line for player, line in lines.items() if player in near[:MOST_WILD]]
    if ranking.complete:
        shown = [line for line in shown if line.rank == holder.rank]
    told = [str(line.participant) for line in shown]
    said = sentences_of_wild_card(wild, told, proofs, telling.language, telling.names.__getitem__)
    return BlockNeeds(
        title=block_name(ranking.block),
        goal=source.rank,
        line=wild_card_line(source, to, current.state.format),
        left=max(own.left.values()),
        players=tuple(
            PlayerNeeds(
                entry=current.entries[int(player)],
                sentences=said[player],
                secured=player in proofs.secured,
                out=player in proofs.out,
                left=own.left[player],
                is_above=lines[player].position < source.rank
                or (lines[player].position == source.rank and own.totals[player] > beaten),
                gap=own.totals[player] - beaten,
            )
            for player in told
        ),
        block=ranking.block,
        tables=own,
        proofs=proofs,
        wild=wild,
    )


def _gaps(totals: Mapping[str, int], goal: int) -> dict[str, int]:
    points = list(totals.values())
    below, above = (points[goal] if goal < len(points) else points[-1]), points[goal - 1]
    return {
        player: total - (below if position <= goal else above)
        for position, (player, total) in enumerate(totals.items(), start=1)
    }


def _nearest_lines(totals: Mapping[str, int], goals: Sequence[int]) -> dict[str, list[int]]:
    gaps = {goal: _gaps(totals, goal) for goal in goals}
    return {player: sorted(goals, key=lambda goal: abs(gaps[goal][player]))[:LINES_TOLD] for player in totals}


def _odds(current: CurrentState, ranking: BlockRanking, tables: Tables, telling: _Telling) -> Odds | None:
    if not current.tournament.shows_chances or not is_one_table(ranking, telling.rules.players or 4):
        return None
    playing = tuple(player for player, left in tables.left.items() if left)
    case, left = tables.case_at(playing), tables.left[playing[0]]
    if counts_places(tables.rules):
        return Odds(chances_by_places(case, telling.strength), 0.0, 0, "exact") if left == 1 else None
    return odds_of(case, left, strength=telling.strength, bank=telling.bank, seed=seed_of(current.state.stages))
