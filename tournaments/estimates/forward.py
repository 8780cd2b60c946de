"""Simulate a tournament to its end: advancement and winners.

Arrays have a row for each place and a column for each ending, so all endings advance at once. The order at a table
follows Plackett-Luce with exponential times (equivalent to Gumbel noise on strengths). See docs/adr/0060.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Any

from tournaments.core.facts import Participant, TournamentFacts
from tournaments.core.format import Best, Carry, Destination, Entrants, Fill, Format, Ranks, Stage, is_from
from tournaments.core.odds import Bank
from tournaments.core.state import StageProgress, TournamentState
from tournaments.estimates import np
from tournaments.estimates.blocks import PlayedBlock, Players, best_first, known_block, play, unknown_blocks

if TYPE_CHECKING:
    import numpy.typing as npt

    # Number of endings per participant, in the order of `Drawing.participants`.
    Counts = npt.NDArray[np.int64]

Tables = Mapping[str, Sequence[Sequence[Participant]]]
"""Tables that are seated but not played yet, by stage, in order of play."""


PLACES_AT_ONCE = 1 << 16
"""Number of places simulated at once, so that the arrays fit in the processor's cache."""


@dataclass(frozen=True, slots=True)
class Outset:
    """Input of a simulation: a tournament's state, and player strengths.

    `banks`: points from real hanchan by stage, at least one row each; `strength`: by participant, 0 if unknown;
    `stages`: stages to simulate, None for all.
    """

    state: TournamentState
    facts: TournamentFacts
    banks: Mapping[str, Bank]
    tables: Tables = field(default_factory=dict)
    strength: Mapping[Participant, float] = field(default_factory=dict)
    only: str | None = None


@dataclass(frozen=True, slots=True)
class DrawnEndings:
    """Counts over simulated endings.

    `ways`: by stage and destination, how often each participant advanced there; `first`: by stage, how often each
    participant came first in its first block. Participants with a count of zero are missing.
    """

    samples: int
    ways: Mapping[tuple[str, str], Mapping[Participant, int]]
    first: Mapping[str, Mapping[Participant, int]]

    def goes_on(self, stage: str, to: Collection[str] = ()) -> dict[Participant, float]:
        ways = self.ways.items()
        return self._summed(counts for (source, way), counts in ways if source == stage and (not to or way in to))

    def reaches(self, to: str) -> dict[Participant, float]:
        return self._summed(counts for (_, destination), counts in self.ways.items() if destination == to)

    def wins(self, stage: str) -> dict[Participant, float]:
        return self._summed([self.first.get(stage, {})])

    def _summed(self, counts: Iterable[Mapping[Participant, int]]) -> dict[Participant, float]:
        found: dict[Participant, float] = {}
        for participant, count in chain.from_iterable(each.items() for each in counts):
            found[participant] = found.get(participant, 0) + count / self.samples
        return found


def endings_of(outset: Outset, samples: int, seed: int) -> DrawnEndings:
    generator = np.random.default_rng(seed)
    participants = participants_of(outset.state, outset.facts)
    ways: dict[tuple[str, str], Counter[Participant]] = {}
    first: dict[str, Counter[Participant]] = {}
    # The first stage has the largest blocks, and blocks are simulated separately.
    blocks = len(outset.state.format.stages[0].blocks)
    portions = ceil(samples * len(participants) / blocks / PLACES_AT_ONCE) or 1
    for portion in range(portions):
        count = samples // portions + (portion < samples % portions)
        drawing = _Drawing(outset, participants, count, generator)
        for stage in outset.state.format.stages:
            if outset.only in {None, stage.key}:
                drawing.draw(stage)
        for way, rows in drawing.ways.items():
            ways.setdefault(way, Counter()).update(drawing.named(rows))
        for key, row in drawing.first.items():
            first.setdefault(key, Counter()).update(drawing.named(row))
    return DrawnEndings(samples, ways, first)


def participants_of(state: TournamentState, facts: TournamentFacts) -> tuple[Participant, ...]:
    found: dict[Participant, None] = dict.fromkeys(each.participant for each in facts.entrants)
    for progress in state.stages:
        found |= dict.fromkeys(line.participant for ranking in progress.rankings for line in ranking.lines)
        found |= dict.fromkeys(place.participant for place in progress.places)
        for path in progress.paths:
            found |= dict.fromkeys(path.decision.players if path.decision else ())
    found |= dict.fromkeys(each.substitute for each in facts.withdrawals if each.substitute is not None)
    return tuple(found)


class _Drawing:
    def __init__(
        self, outset: Outset, participants: Sequence[Participant], samples: int, generator: np.random.Generator
    ) -> None:
        self.outset, self.samples, self.generator, self.participants = outset, samples, generator, participants
        self.number = {participant: number for number, participant in enumerate(participants)}
        haste = [np.exp(-outset.strength.get(each, 0.0)) for each in self.participants]
        size = outset.state.format.table_size
        self.players = Players(self.number, np.asarray(haste, dtype=np.float32), samples, size)
        self.ways: dict[tuple[str, str], Any] = {}
        self.first: dict[str, Any] = {}
        self.totals: dict[str, Any] = {}

    def draw(self, stage: Stage) -> None:
        progress = self.outset.state.stage(stage.key)
        ranked = [
            play(block, self.outset.banks[stage.key], self.generator) for block in self._blocks(progress) if block.size
        ]
        if not ranked:
            return
        self.players.replace(progress, self.outset.facts)
        if any(each.carry and each.carry.stage == stage.key for each in self.outset.state.format.stages):
            self.totals[stage.key] = np.zeros((len(self.participants), self.samples), dtype=np.int64)
            for block in ranked:
                np.put_along_axis(self.totals[stage.key], block.players, block.totals, axis=0)
        self.first[stage.key] = ranked[0].players[0]
        for to in self.outset.state.format.destinations_from(stage.key):
            path = progress.path(to.key)
            if path.decision is not None and self.outset.only is None:
                self.ways[stage.key, to.key] = self._constant(self.outset.state.taken(stage.key, to.key))
            elif path.complete and not path.proposal.level:
                # Nothing to simulate: the proposed players advance, and vacant places stay vacant.
                self.ways[stage.key, to.key] = self._constant(path.proposed)
            else:
                rows = [row for source in _rows_of(stage, to, ranked, self.generator) for row in source]
                if rows:
                    self.ways[stage.key, to.key] = self.players.replaced(np.stack(rows))

    def named(self, rows: Any) -> dict[Participant, int]:
        counts: Counts = np.bincount(rows.ravel(), minlength=len(self.participants))
        return {participant: int(count) for participant, count in zip(self.participants, counts, strict=True) if count}

    def _constant(self, participants: Sequence[Participant]) -> Any:
        rows = np.asarray([self.number[each] for each in participants], dtype=np.int64)
        return np.broadcast_to(rows[:, None], (len(rows), self.samples))

    def _blocks(self, progress: StageProgress) -> Iterator[PlayedBlock]:
        stage, facts = progress.stage, self.outset.facts
        if self._is_known(progress):
            tables = self.outset.tables.get(stage.key, ())
            for ranking in progress.rankings:
                yield known_block(stage, ranking, facts, tables, self.players)
            return
        places = list(self._places(stage))
        if places:
            players = np.concatenate([rows for rows, _ in places])
            bonus = np.concatenate([np.full(len(rows), bonus) for rows, bonus in places])
            totals = np.repeat(bonus[:, None], self.samples, axis=1)
            if stage.carry is not None and stage.carry.stage in self.totals:
                totals += _carried(stage.carry, np.take_along_axis(self.totals[stage.carry.stage], players, axis=0))
            yield from unknown_blocks(stage, players, totals, self.players, self.generator)

    def _is_known(self, progress: StageProgress) -> bool:
        if any(ranking.started for ranking in progress.rankings) or self.outset.only is not None:
            return True
        sources = self.outset.state.paths_into(progress.stage.key)
        return all(path.decision for path in sources) and not progress.undrawn

    def _places(self, stage: Stage) -> Iterator[tuple[Any, int]]:
        entered = [place for place in self.outset.state.stage(stage.key).places if place.stage is None]
        seeds = {each.participant: each.seed for each in self.outset.facts.entrants if each.seed is not None}
        entered.sort(key=lambda place: seeds.get(place.participant, 1 << 30))
        for place in entered:
            yield self._constant([place.participant]), place.bonus
        for each in self.outset.state.format.stages:
            if (each.key, stage.key) in self.ways:
                bonus = next(source.bonus for source in stage.sources if is_from(source, each.key))
                yield self.ways[each.key, stage.key], bonus


def _carried(carry: Carry, totals: Any) -> Any:
    numerator, denominator = carry.factor.numerator * 2, carry.factor.denominator * 2 * carry.unit
    return (numerator * totals + denominator // 2) // denominator * carry.unit


def _rows_of(
    stage: Stage, to: Destination, ranked: Sequence[PlayedBlock], generator: np.random.Generator
) -> Iterator[Any]:
    for source in to.sources:
        if isinstance(source, Entrants) or source.stage != stage.key:
            continue
        if isinstance(source, Ranks):
            for block in ranked:
                if source.block in {None, block.key}:
                    yield block.players[source.first - 1 : source.last]
        elif isinstance(source, Best):
            there = [block for block in ranked if block.size >= source.rank]
            if there:
                keys = np.stack([block.keys[source.rank - 1] for block in there])
                rivals = np.stack([block.players[source.rank - 1] for block in there])
                yield np.take_along_axis(rivals, best_first(keys, generator), axis=0)[: source.count]


def title_of(format_: Format) -> tuple[str, bool] | None:
    """Return what wins the tournament: (outcome with one place, True) or (stage won by its first place, False).

    Return None if several players share the top outcome.
    """
    top = (format_.order or tuple(stage.key for stage in reversed(format_.stages)))[0]
    alone = [
        each.key
        for each in format_.outcomes
        if len(each.sources) == 1 and isinstance(first := each.sources[0], Ranks) and first.first == first.last == 1
    ]
    to = format_.destination(top)
    if not isinstance(to, Stage):
        return (top, True) if top in alone else None
    for key in alone:
        if any(is_from(source, top) for source in format_.destination(key).sources):
            return key, True
    return (top, False) if len(to.blocks) == 1 or to.fill is Fill.ORDER else None
