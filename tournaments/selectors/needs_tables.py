"""The blocks of a stage as what is needed in them asks for: who has which total, how much is left, who sits together."""

from collections.abc import Iterable, Iterator, Sequence

from scoring.core import ScoringRules
from tournaments.core.needs.tables import Tables
from tournaments.core.needs.wild_cards import Holder, WildCard
from tournaments.core.ranking import BlockRanking
from tournaments.core.state import StageProgress, StageState
from tournaments.selectors.goals import has_known_places, playing, ranks_by_places, rules_that_count, totals_of
from tournaments.selectors.seating import SessionSeating, next_seats
from tournaments.selectors.state import CurrentState

MOST_LEFT = 16
"""With more left to play a chance says too little."""

Together = tuple[tuple[str, ...], ...]
"""Who sits together in the next hanchan, table by table, by primary key of the entries as text."""


def open_blocks(progress: StageProgress) -> Iterator[BlockRanking]:
    """Yield the blocks that are under way, and near enough to their end. Places say something before the only hanchan too."""
    if progress.state in {StageState.DECIDED, StageState.WAITING, StageState.UNDRAWN}:
        return
    for ranking in progress.rankings:
        most = max((line.left for line in playing(ranking)), default=0)
        begins = ranks_by_places(progress.stage) and most == 1
        if (ranking.started or begins) and not ranking.complete and 1 <= most <= MOST_LEFT:
            yield ranking


def is_one_table(ranking: BlockRanking, size: int) -> bool:
    """Return whether all who still play have as much left, and fit at one table."""
    left = [line.left for line in playing(ranking) if line.left]
    return len(left) == size and len(set(left)) == 1


def has_last(ranking: BlockRanking) -> bool:
    return any(line.left == 1 for line in playing(ranking))


def tables_together(
    current: CurrentState, progress: StageProgress, size: int, seatings: Iterable[SessionSeating]
) -> Together:
    """Return who of a stage sits together in the next hanchan; `seatings` of all sessions of its tournament."""
    entry_of = {entry.player_id: str(pk) for pk, entry in current.entries.items()}
    own = [each for each in seatings if each.stage.key == progress.stage.key]
    tables = {
        tuple(entry_of.get(seat.player.pk, "") for seat in found.table.seats) for found in next_seats(own).values()
    }
    return tuple(table for table in sorted(tables) if len(set(table) - {""}) == size)


def tables_of(
    progress: StageProgress, ranking: BlockRanking, goal: int, rules: ScoringRules, together: Together
) -> Tables:
    """Return a block with so many places to be had; `rules` of the stage."""
    lines, size = ranking.counting, rules.players or 4
    left = {str(line.participant): 0 if line.withdrawn else line.left for line in lines}
    last = [player for player, count in left.items() if count == 1]
    if is_one_table(ranking, size):
        tables: Sequence[tuple[str, ...]] = [tuple(last)] if last else []
    else:
        tables = [table for table in together if set(table) <= set(last)]
    seen: set[str] = set()
    known = []
    for table in tables:
        if not seen & set(table):
            known.append(table)
            seen |= set(table)
    return Tables(
        rules=rules_that_count(progress.stage, rules),
        totals=totals_of(progress.stage, ranking),
        left=left,
        goal=goal,
        together=tuple(known),
        earlier=tuple(str(line.participant) for line in lines if not (line.undecided or line.shared)),
        last_decides=last_decides(progress, ranking, size),
        is_closed=not any(line.withdrawn or line.uninvited for line in lines),
    )


def last_decides(progress: StageProgress, ranking: BlockRanking, size: int) -> bool:
    """Return whether level totals go to whoever got more in the last hanchan.

    Where places rank, the points of the last hanchan follow the place at one table alone.
    """
    first = progress.stage.tiebreak[:1]
    if not ranks_by_places(progress.stage):
        return first == ("last_hanchan",)
    return first == ("last_hanchan_by_placement",) or (first == ("last_hanchan",) and is_one_table(ranking, size))


def wild_card_in(
    progress: StageProgress, ranking: BlockRanking, own: Tables, count: int, together: Together, rules: ScoringRules
) -> WildCard | None:
    """Return wild cards as seen from a block, whose tables have the rank as their goal; None where places are not known.

    Neither where places rank and some block plays less: whoever has played more is ranked first there, across blocks too.
    """
    ends = {line.played + line.left for each in progress.rankings for line in playing(each)}
    if ranks_by_places(progress.stage) and len(ends) > 1:
        return None
    others = [each for each in progress.rankings if each.block != ranking.block and each.lines]
    size = rules.players or 4
    if not all(has_known_places(progress.stage, each, size) for each in others):
        return None
    tables = [tables_of(progress, each, own.goal, rules, together) for each in others]
    holders = []
    for each, found in zip(others, tables, strict=True):
        if len(each.lines) >= own.goal:
            player = str(each.lines[own.goal - 1].participant)
            holders.append(Holder(each.block, player, found.totals[player], max(found.left.values())))
    holders.sort(key=lambda holder: -holder.total)
    return WildCard(count, own, tuple(tables), tuple(holders))
