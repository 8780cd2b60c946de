"""What the blocks of a stage are played for: to be above a line, or to win."""

from collections.abc import Iterator

from tournaments.core.format import Format, Ranks, Stage, is_from
from tournaments.core.ranking import BlockRanking, Cut, RankingLine
from tournaments.messages.places import cut_label
from tournaments.selectors.state import CurrentState


def playing(ranking: BlockRanking) -> list[RankingLine]:
    """Return the lines of those who have not withdrawn."""
    return [line for line in ranking.lines if not line.withdrawn]


def goals_of(ranking: BlockRanking, stage: Stage, format_: Format) -> Iterator[int]:
    """Yield how many are above each line of the block; where there is none, one wins.

    A line that wild cards draw is none: who is above it does not follow from the block alone.
    """
    sources = [source for each in format_.destinations_from(stage.key) for source in each.sources]
    ranks = [each for each in sources if isinstance(each, Ranks) and is_from(each, stage.key)]
    drawn = {end for each in ranks for end in (each.first - 1, each.last)}
    lines = {cut.after for cut in ranking.cuts if cut.after < len(ranking.lines)}
    yield from sorted(lines & drawn) if lines else [1]


def line_of(current: CurrentState, ranking: BlockRanking, goal: int) -> str:
    """Return what the line below the first `goal` is called, empty where they win the title."""
    cut = next((cut for cut in ranking.cuts if cut.after == goal), None)
    return "" if cut is None or _is_the_title(cut, goal, current) else cut_label(cut, current.state.format)


def _is_the_title(cut: Cut, goal: int, current: CurrentState) -> bool:
    """Return whether only one makes it, and plays no further stage."""
    return goal == 1 and cut.above is not None and cut.above not in {stage.key for stage in current.state.format.stages}
