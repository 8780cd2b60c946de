"""Blocks as input for requirements: totals, hanchan left, tables."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from django.utils.translation import gettext as _

from scoring.core import ScoringRules
from tournaments.core.format import Best, Format, RankBy, Ranks, Stage, is_from
from tournaments.core.needs.case import by_places, total_of_places
from tournaments.core.needs.proofs import Holder, Tables, WildCard
from tournaments.core.ranking import BlockRanking, Cut, RankingLine
from tournaments.core.state import StageProgress, StageState
from tournaments.messages.titles import cut_label, destination_label, rank_text
from tournaments.selectors.seating import SessionSeating, next_seats
from tournaments.selectors.state import CurrentState


def playing(ranking: BlockRanking) -> list[RankingLine]:
    return [line for line in ranking.lines if not line.withdrawn]


def goals_of(ranking: BlockRanking, stage: Stage, format_: Format) -> Iterator[int]:
    """Yield the number of players above each line of the block, or 1 if it has no lines and the format no titles.

    Wild-card lines are left out, because they depend on other blocks.
    """
    lines = [cut.after for cut in cuts_by_rank(ranking, stage, format_)]
    yield from lines or ([] if format_.outcomes or wild_cards_of(ranking, stage, format_) else [1])


def cuts_by_rank(ranking: BlockRanking, stage: Stage, format_: Format) -> list[Cut]:
    leads: dict[int, str] = {}
    for to in format_.destinations_from(stage.key):
        for source in to.sources:
            if isinstance(source, Ranks) and is_from(source, stage.key) and source.block in {None, ranking.block}:
                last = len(ranking.counting) if source.last is None else source.last
                for position in range(source.first, last + 1):
                    leads.setdefault(position, to.key)
    return [
        Cut(upper, leads.get(upper), leads.get(lower))
        for upper, lower in pairwise(range(1, len(ranking.counting) + 1))
        if leads.get(upper) != leads.get(lower)
    ]


def wild_cards_of(ranking: BlockRanking, stage: Stage, format_: Format) -> list[tuple[Best, str]]:
    ends = {0, *(cut.after for cut in cuts_by_rank(ranking, stage, format_))}
    return [
        (source, to.key)
        for to in format_.destinations_from(stage.key)
        for source in to.sources
        if isinstance(source, Best) and source.stage == stage.key and source.rank - 1 in ends
    ]


def line_of(current: CurrentState, progress_stage: Stage, ranking: BlockRanking, goal: int) -> str:
    """Return the name of the line below the first `goal` players, empty for the title."""
    cuts = cuts_by_rank(ranking, progress_stage, current.state.format)
    cut = next((cut for cut in cuts if cut.after == goal), None)
    return "" if cut is None or _is_the_title(cut, goal, current) else cut_label(cut, current.state.format)


def wild_card_line(source: Best, to: str, format_: Format) -> str:
    facts = {"to": destination_label(to, format_), "rank": rank_text(source.rank), "count": source.count}
    return _("Wild card to %(to)s (best %(count)s of those ranked %(rank)s)") % facts


def _is_the_title(cut: Cut, goal: int, current: CurrentState) -> bool:
    format_ = current.state.format
    if goal != 1 or cut.above is None or cut.above in {stage.key for stage in format_.stages}:
        return False
    # An outcome with several places is not a title.
    return sum(_places(source, format_) for source in format_.destination(cut.above).sources) == 1


def _places(source: object, format_: Format) -> int:
    if not isinstance(source, Ranks) or source.last is None:
        return 2
    blocks = 1 if source.block is not None else len(format_.stage(source.stage).blocks)
    return (source.last - source.first + 1) * blocks


def ranks_by_places(stage: Stage) -> bool:
    return stage.rank_by is RankBy.PLACEMENT


def rules_that_count(stage: Stage, rules: ScoringRules) -> ScoringRules:
    return by_places(rules) if ranks_by_places(stage) else rules


def totals_of(stage: Stage, ranking: BlockRanking) -> dict[str, int]:
    """Return a block's totals in the stage's unit (points or placements) by entry primary key as text, best first."""
    if not ranks_by_places(stage):
        return {str(line.participant): line.points for line in ranking.counting}
    ends = {line.participant: len(line.places) + line.left for line in ranking.counting}
    most = max(ends.values(), default=0)
    return {
        str(line.participant): total_of_places(line.places, most - ends[line.participant]) for line in ranking.counting
    }


def has_known_places(stage: Stage, ranking: BlockRanking, size: int) -> bool:
    if not ranks_by_places(stage):
        return True
    staying = playing(ranking)
    ends = {line.played + line.left for line in staying}
    return (
        len(staying) % size == 0 and len(ends) == 1 and all(len(line.places) == line.played for line in ranking.lines)
    )


MOST_LEFT = 16
"""With more hanchan left than this, a chance is not informative."""

Together = tuple[tuple[str, ...], ...]
"""Tables of the next hanchan, as primary keys of entries as text."""


def open_blocks(progress: StageProgress) -> Iterator[BlockRanking]:
    if progress.state in {StageState.DECIDED, StageState.WAITING, StageState.UNDRAWN}:
        return
    for ranking in progress.rankings:
        most = max((line.left for line in playing(ranking)), default=0)
        # One hanchan tells what it takes before it begins, with the points brought along.
        begins = most == 1 and (ranks_by_places(progress.stage) or any(line.points for line in playing(ranking)))
        if (ranking.started or begins) and not ranking.complete and 1 <= most <= MOST_LEFT:
            yield ranking


def is_one_table(ranking: BlockRanking, size: int) -> bool:
    left = [line.left for line in playing(ranking) if line.left]
    return len(left) == size and len(set(left)) == 1


def has_last(ranking: BlockRanking) -> bool:
    return any(line.left == 1 for line in playing(ranking))


def tables_together(
    current: CurrentState, progress: StageProgress, size: int, seatings: Iterable[SessionSeating]
) -> Together:
    """Return a stage's tables of the next hanchan; `seatings` are those of all sessions of the tournament."""
    entry_of = {entry.player_id: str(pk) for pk, entry in current.entries.items()}
    own = [each for each in seatings if each.stage.key == progress.stage.key]
    tables = {
        tuple(entry_of.get(seat.player.pk, "") for seat in found.table.seats) for found in next_seats(own).values()
    }
    return tuple(table for table in sorted(tables) if len(set(table) - {""}) == size)


def tables_of(
    progress: StageProgress, ranking: BlockRanking, goal: int, rules: ScoringRules, together: Together
) -> Tables:
    lines, size = ranking.counting, rules.players or 4
    left = {str(line.participant): line.left for line in lines}
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
    """Return whether equal totals are decided by the last hanchan.

    If placements rank, that holds only at one table.
    """
    first = progress.stage.tiebreak[:1]
    if not ranks_by_places(progress.stage):
        return first == ("last_hanchan",)
    return first == ("last_hanchan_by_placement",) or (first == ("last_hanchan",) and is_one_table(ranking, size))


def wild_card_in(
    progress: StageProgress, ranking: BlockRanking, own: Tables, count: int, together: Together, rules: ScoringRules
) -> WildCard | None:
    """Return the wild cards seen from a block whose goal is the rank, None if the placements are unknown.

    Also None if placements rank and blocks play different numbers of hanchan.
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
