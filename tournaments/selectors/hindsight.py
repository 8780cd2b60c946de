"""What chances there were before, of stages that are over: how likely what came was, and how good such chances are."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zlib import crc32

from scoring.core import PlayerResult
from tournaments.core.facts import Participant, results_after
from tournaments.core.odds import Calibration, Prediction, calibration_of
from tournaments.core.resolution import resolve
from tournaments.core.state import StageProgress
from tournaments.estimates.forward import Outset, endings_of
from tournaments.messages.titles import stage_name
from tournaments.models import Entry
from tournaments.selectors.needs_tables import playing
from tournaments.selectors.outlook import Beliefs, seed_of_stages
from tournaments.selectors.state import CurrentState

SAMPLES = 5000
"""An even chance is known to ±1.4 %, enough for looking back."""

LOOKED_BACK = (4, 2, 1)
"""Before so many hanchan it is told what the chances were."""

JUDGED_AT = 2
"""Chances are judged by what they were before the last two hanchan: before more there is little to know, before one little to guess."""

MOST_TOURNAMENTS = 8
"""So many of a league's latest tournaments are looked back upon."""


@dataclass(frozen=True, slots=True)
class StageHindsight:
    """`looks`: by how many hanchan were left, chances by participant. `is_title`: it was for coming first."""

    stage: str
    looks: Mapping[int, Mapping[Participant, float]]
    made_it: frozenset[Participant]
    is_title: bool

    @property
    def predictions(self) -> tuple[Prediction, ...]:
        chances = self.looks.get(JUDGED_AT, {})
        return tuple((likely, player in self.made_it) for player, likely in chances.items())


@dataclass(frozen=True, slots=True)
class Surprise:
    """`looks`: how many hanchan were left and how likely it was then, the longest first."""

    entry: Entry
    is_title: bool
    looks: tuple[tuple[int, float], ...]


def played_in(current: CurrentState, stage: str) -> int:
    return crc32(repr(current.facts.results(stage)).encode())


def made_it(progress: StageProgress) -> frozenset[Participant]:
    if not progress.paths:
        return frozenset([progress.rankings[0].lines[0].participant])
    return frozenset(player for path in progress.paths for player in path.proposed)


def stage_hindsight(current: CurrentState, progress: StageProgress, beliefs: Beliefs | None) -> StageHindsight | None:
    """Return what chances there were in a stage that is over, None where nothing can be believed. No queries.

    All are taken to be equally strong: what is known of the players today knows how it went.
    """
    stage = progress.stage
    if beliefs is None:
        return None
    is_title = all(path.place_count == 1 for path in progress.paths)
    looks = {}
    for left in LOOKED_BACK:
        if left < stage.planned:
            looks[left] = _chances_before(current, stage.key, stage.planned - left, beliefs)
    return StageHindsight(stage.key, looks, made_it(progress), is_title)


def _chances_before(current: CurrentState, stage: str, after: int, beliefs: Beliefs) -> dict[Participant, float]:
    then = resolve(current.state.format, current.facts, {stage: after})
    outset = Outset(then, current.facts, beliefs.banks, {stage: _tables_after(current, stage, after)}, only=stage)
    endings = endings_of(outset, SAMPLES, seed_of_stages([current.state.stage(stage)]) + after)
    likely = endings.goes_on(stage) if then.stage(stage).paths else endings.wins(stage)
    lines = [line for ranking in then.stage(stage).rankings for line in playing(ranking)]
    return {line.participant: likely.get(line.participant, 0.0) for line in lines}


def _tables_after(current: CurrentState, stage: str, after: int) -> list[list[Participant]]:
    tables: dict[object, list[Participant]] = {}
    # In an order of its own: whoever draws for them in turn draws the same on every engine.
    for participant, results in sorted(current.facts.results(stage).items(), key=lambda item: str(item[0])):
        for result in results[len(results_after(results, after)) :]:
            if isinstance(result, PlayerResult):
                tables.setdefault(result.game, []).append(participant)
    return list(tables.values())


def surprise_of(current: CurrentState, hindsight: StageHindsight) -> Surprise | None:
    if not hindsight.looks:
        return None
    went_on = [player for player in hindsight.made_it if player in hindsight.looks[min(hindsight.looks)]]
    if not went_on:
        return None
    first = hindsight.looks[max(hindsight.looks)]
    least = min(
        went_on, key=lambda player: (min(each[player] for each in hindsight.looks.values()), first[player], str(player))
    )
    looks = tuple((left, chances[least]) for left, chances in hindsight.looks.items())
    return Surprise(current.entries[int(least)], hindsight.is_title, looks)


def league_calibration(hindsights: Iterable[Sequence[StageHindsight]]) -> Calibration:
    return calibration_of(each.predictions for tournament in hindsights for each in tournament)


@dataclass(frozen=True, slots=True)
class LookRow:
    entry: Entry
    likely: tuple[float, ...]
    made_it: bool


@dataclass(frozen=True, slots=True)
class StageLook:
    """`is_title`: whoever made it has won. `columns`: how many hanchan were left at each look."""

    key: str
    name: str
    is_title: bool
    columns: tuple[int, ...]
    rows: tuple[LookRow, ...]
    surprise: Surprise | None


def looks_back(current: CurrentState, hindsights: Iterable[StageHindsight]) -> list[StageLook]:
    return [_look(current, hindsight) for hindsight in reversed(list(hindsights)) if hindsight.looks]


def _look(current: CurrentState, hindsight: StageHindsight) -> StageLook:
    progress = current.state.stage(hindsight.stage)
    rows = tuple(
        LookRow(
            current.entries[int(line.participant)],
            tuple(chances.get(line.participant, 0.0) for chances in hindsight.looks.values()),
            line.participant in hindsight.made_it,
        )
        for ranking in progress.rankings
        for line in ranking.lines
        if not line.withdrawn
    )
    name, surprise = stage_name(progress.stage), surprise_of(current, hindsight)
    return StageLook(progress.stage.key, name, hindsight.is_title, tuple(hindsight.looks), rows, surprise)
