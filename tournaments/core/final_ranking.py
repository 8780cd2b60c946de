"""Who came where in the end: the stages from last to first, and whoever has reached an outcome."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter

from tournaments.core.facts import Participant, Unranked
from tournaments.core.format import Fill, Format
from tournaments.core.state import FinalRank, StageProgress, StageState, TakenPlace


def final_ranks(
    format_: Format,
    stages: Sequence[StageProgress],
    arrivals: Mapping[str, Sequence[TakenPlace]],
    disqualified: frozenset[Participant] = frozenset(),
) -> Iterator[FinalRank]:
    """Yield everybody by where the tournament ended for them: the last stages first, equals of several blocks level.

    Who has no rank comes last: those behind move up.
    """
    placed: set[Participant] = set()
    unranked: dict[Participant, FinalRank] = {}
    by_key = {each.stage.key: each for each in stages}
    for key in format_.order or tuple(reversed(by_key)):
        progress = by_key.get(key)
        if progress is not None and progress.state is not StageState.DECIDED:
            # Who is still in it ends ahead of everybody below, nobody knows yet where.
            placed |= {place.participant for place in progress.places} - disqualified
            continue
        groups = _level_lines(progress) if progress is not None else [_arrived(arrivals[key])]
        for group in groups:
            there = [each for each in group if each.participant not in placed]
            for each in there:
                mark = Unranked.DISQUALIFIED if each.participant in disqualified else each.unranked
                if mark is not None:
                    unranked.setdefault(each.participant, replace(each, rank=0, unranked=mark))
            rest = [each for each in there if each.participant not in unranked]
            yield from (replace(final_rank, rank=len(placed) + final_rank.rank) for final_rank in rest)
            placed |= {final_rank.participant for final_rank in rest}
    yield from unranked.values()


def _arrived(places: Sequence[TakenPlace]) -> list[FinalRank]:
    return [FinalRank(place.participant, 1, place.stage or "", place.block, place.position or 0) for place in places]


def _level_lines(progress: StageProgress) -> Iterator[list[FinalRank]]:
    """Yield the lines of a stage in groups of equals: block by block where blocks are classes, else rank by rank."""
    by_block = progress.stage.fill is Fill.ORDER
    lines = [
        (
            (number if by_block else 0, line.rank),
            FinalRank(line.participant, 1, progress.stage.key, ranking.block, line.position, line.unranked),
        )
        for number, ranking in enumerate(progress.rankings)
        for line in ranking.lines
    ]
    for _, group in groupby(sorted(lines, key=itemgetter(0)), key=itemgetter(0)):
        yield [final_rank for _, final_rank in group]
