"""What the blocks of a stage are played for: to be above a line, or to win."""

from collections.abc import Iterator
from itertools import pairwise

from django.utils.translation import gettext as _

from scoring.core import ScoringRules
from tournaments.core.format import Best, Format, RankBy, Ranks, Stage, is_from
from tournaments.core.needs.by_places import by_places, total_of_places
from tournaments.core.ranking import BlockRanking, Cut, RankingLine
from tournaments.messages.places import cut_label, destination_label
from tournaments.messages.ranks import rank_text
from tournaments.selectors.state import CurrentState


def playing(ranking: BlockRanking) -> list[RankingLine]:
    return [line for line in ranking.lines if not line.withdrawn]


# --- The lines -------------------------------------------------------------------------------------------------------


def goals_of(ranking: BlockRanking, stage: Stage, format_: Format) -> Iterator[int]:
    """Yield how many are above each line of the block; where there is none, one wins.

    A line that wild cards draw is none of these: who is above it does not follow from the block alone.
    """
    lines = [cut.after for cut in cuts_by_rank(ranking, stage, format_)]
    yield from lines or ([] if wild_cards_of(ranking, stage, format_) else [1])


def cuts_by_rank(ranking: BlockRanking, stage: Stage, format_: Format) -> list[Cut]:
    leads: dict[int, str] = {}
    for to in format_.destinations_from(stage.key):
        for source in to.sources:
            if isinstance(source, Ranks) and is_from(source, stage.key) and source.block in {None, ranking.block}:
                last = len(ranking.counting) if source.last is None else source.last
                for position in range(source.first, last + 1):
                    leads.setdefault(position, to.key)
    positions = range(1, len(ranking.counting) + 1)
    return [
        Cut(upper, leads.get(upper), leads.get(lower))
        for upper, lower in pairwise(positions)
        if leads.get(upper) != leads.get(lower)
    ]


def wild_cards_of(ranking: BlockRanking, stage: Stage, format_: Format) -> list[tuple[Best, str]]:
    """Return the wild cards of a stage with where they lead, as far as they lie just below a line of the block, or are all."""
    ends = {0, *(cut.after for cut in cuts_by_rank(ranking, stage, format_))}
    return [
        (source, to.key)
        for to in format_.destinations_from(stage.key)
        for source in to.sources
        if isinstance(source, Best) and source.stage == stage.key and source.rank - 1 in ends
    ]


def line_of(current: CurrentState, progress_stage: Stage, ranking: BlockRanking, goal: int) -> str:
    """Return what the line below the first `goal` is called, empty where they win the title."""
    cuts = cuts_by_rank(ranking, progress_stage, current.state.format)
    cut = next((cut for cut in cuts if cut.after == goal), None)
    return "" if cut is None or _is_the_title(cut, goal, current) else cut_label(cut, current.state.format)


def wild_card_line(source: Best, to: str, format_: Format) -> str:
    facts = {"to": destination_label(to, format_), "rank": rank_text(source.rank), "count": source.count}
    return _("Wild card to %(to)s (best %(count)s of those who come %(rank)s)") % facts


def _is_the_title(cut: Cut, goal: int, current: CurrentState) -> bool:
    """Return whether only one makes it, and plays no further stage."""
    format_ = current.state.format
    if goal != 1 or cut.above is None or cut.above in {stage.key for stage in format_.stages}:
        return False
    # An outcome that several reach is no title.
    return sum(_places(source, format_) for source in format_.destination(cut.above).sources) == 1


def _places(source: object, format_: Format) -> int:
    if not isinstance(source, Ranks) or source.last is None:
        return 2
    blocks = 1 if source.block is not None else len(format_.stage(source.stage).blocks)
    return (source.last - source.first + 1) * blocks


# --- What counts -----------------------------------------------------------------------------------------------------


def ranks_by_places(stage: Stage) -> bool:
    """Return whether places order the blocks of a stage, whatever the points."""
    return stage.rank_by is RankBy.PLACEMENT


def rules_that_count(stage: Stage, rules: ScoringRules) -> ScoringRules:
    """Return the rules as they make totals in a stage: of points, or of places alone."""
    return by_places(rules) if ranks_by_places(stage) else rules


def totals_of(stage: Stage, ranking: BlockRanking) -> dict[str, int]:
    """Return the totals of a block that go with these rules, by primary key of the entries as text, best first."""
    if not ranks_by_places(stage):
        return {str(line.participant): line.points for line in ranking.counting}
    ends = {line.participant: len(line.places) + (0 if line.withdrawn else line.left) for line in ranking.counting}
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
