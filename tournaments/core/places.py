"""Proposed places of the next stage from block rankings, and ties that leave them undecided."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tournaments.core.facts import DecidedOrder, Participant
from tournaments.core.format import Best, Destination, Ranks, Source, Stage, is_from
from tournaments.core.ranking import BlockRanking, Contender, ranked


@dataclass(frozen=True, slots=True)
class ProposedPlace:
    participant: Participant
    block: str
    position: int
    source: Source


@dataclass(frozen=True, slots=True)
class Proposal:
    """The proposal for one path out of a stage.

    `places`: in format order. `level`: groups tied across the line; the director must order them first.
    """

    places: tuple[ProposedPlace, ...]
    level: tuple[tuple[Participant, ...], ...] = ()

    @property
    def players(self) -> tuple[Participant, ...]:
        return tuple(place.participant for place in self.places)


def propose(
    stage: Stage,
    to: Destination,
    rankings: Sequence[BlockRanking],
    across: Mapping[Participant, Contender],
    orders: Iterable[DecidedOrder] = (),
) -> Proposal:
    """Return the proposed players for a destination's places from this stage, by the current rankings.

    Players who left early get no place; those behind them move up.

    `across`: the stage's players with results, for comparisons between blocks; `orders`: decisions about tied players.
    Source: Cinderella League 2020, "予選リーグ" to "決勝": places go to ranks of a stage, block by block.
    """
    decided = [order.players for order in orders if order.stage == stage.key]
    places: list[ProposedPlace] = []
    level: list[tuple[Participant, ...]] = []
    for source in to.sources:
        if isinstance(source, Ranks) and is_from(source, stage.key):
            for ranking in rankings:
                if source.block in {None, ranking.block}:
                    lines = ranking.counting[source.first - 1 : source.last]
                    places += [ProposedPlace(line.participant, ranking.block, line.position, source) for line in lines]
                    level += _cut_through(ranking, source.first, source.last)
        elif isinstance(source, Best) and is_from(source, stage.key):
            best, tied = _best(stage, source, rankings, across, decided)
            places += best
            level += tied
    return Proposal(tuple(places), tuple(dict.fromkeys(level)))


def place_count(source: Source, blocks: Sequence[str]) -> int | None:
    if isinstance(source, Best):
        return source.count
    if source.last is None:
        return None
    width = source.last - source.first + 1
    if isinstance(source, Ranks) and source.block is None:
        return width * len(blocks)
    return width


def _cut_through(ranking: BlockRanking, first: int, last: int | None) -> list[tuple[Participant, ...]]:
    inside = {line.participant for line in ranking.counting[first - 1 : last]}
    counting = {line.participant for line in ranking.counting}
    groups = (tuple(participant for participant in group if participant in counting) for group in ranking.level)
    return [group for group in groups if 0 < len(inside & set(group)) < len(group)]


def _best(
    stage: Stage,
    source: Best,
    rankings: Sequence[BlockRanking],
    across: Mapping[Participant, Contender],
    decided: Sequence[Sequence[Participant]],
) -> tuple[list[ProposedPlace], list[tuple[Participant, ...]]]:
    rivals: dict[Participant, ProposedPlace] = {}
    level = []
    for ranking in rankings:
        level += _cut_through(ranking, source.rank, source.rank)
        for line in ranking.counting[source.rank - 1 : source.rank]:
            rivals[line.participant] = ProposedPlace(line.participant, ranking.block, line.position, source)
    order = list(ranked(stage, (across[participant] for participant in rivals), decided))
    inside, outside = order[: source.count], order[source.count :]
    if inside and outside and inside[-1][0] == outside[0][0]:
        level.append(tuple(each.participant for rank, each, _ in order if rank == inside[-1][0]))
    return [rivals[each.participant] for _, each, _ in inside], level
