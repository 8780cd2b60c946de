"""How a tournament may go on to its end: worked out once for all pages, from the tables to come and what is believed of them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt
from zlib import crc32

from tournaments.core.facts import Participant
from tournaments.core.odds import DEFAULT_SAMPLES
from tournaments.core.odds.bank import Bank, typical_bank
from tournaments.core.state import StageProgress, StageState
from tournaments.estimates.forward import DrawnEndings, Outset, Tables, endings_of
from tournaments.selectors.beliefs import Knowledge
from tournaments.selectors.state import CurrentState

MOST_SEATS = 1_000_000
"""So many seats are drawn at most, about a fifth of a second of work: of a large field fewer endings."""

LEAST_SAMPLES = 1000

ENOUGH = 3
"""Chances are told once everybody's block has played so many hanchan, or all that it plays."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """What was drawn. `equal`: nobody's strength is known; `from_results`: real hanchan say what places bring."""

    endings: DrawnEndings
    equal: bool
    from_results: bool

    @property
    def standard_error(self) -> float:
        return sqrt(0.25 / self.endings.samples)


@dataclass(frozen=True, slots=True)
class Beliefs:
    banks: Mapping[str, Bank]
    strength: Mapping[Participant, float]
    from_results: bool


def may_tell_chances(current: CurrentState) -> bool:
    """Return whether chances are to be shown, there is something to play, and enough was played to say more than that all are equal."""
    if not current.tournament.shows_chances:
        return False
    entered = [each for each in current.state.stages if current.state.format.is_entered(each.stage)]
    open_stages = [each for each in current.state.stages if each.state is not StageState.DECIDED and not is_over(each)]
    return bool(open_stages) and all(_is_under_way(progress) for progress in entered)


def is_over(progress: StageProgress) -> bool:
    return bool(progress.rankings) and all(ranking.complete for ranking in progress.rankings)


def _is_under_way(progress: StageProgress) -> bool:
    enough = min(ENOUGH, progress.stage.planned)
    blocks = [max((line.played for line in ranking.lines), default=0) for ranking in progress.rankings]
    return bool(blocks) and min(blocks) >= enough


def beliefs_of(knowledge: Knowledge, *, knows_strength: bool = True) -> Beliefs | None:
    """Return what is believed of the hanchan to come, None while rules cannot score. One query for each version, and two."""
    banks: dict[str, Bank] = {}
    real = True
    for stage in knowledge.current.tournament.format.stages:
        version = knowledge.rules_of(stage)
        rules = version.readable()
        if rules is None or rules.missing:
            return None
        found = knowledge.bank_of(version, rules)
        real = real and bool(found)
        banks[stage.key] = found or typical_bank(rules)
        if not banks[stage.key]:
            return None
    return Beliefs(banks, knowledge.strengths if knows_strength else {}, real)


def outlook_of(
    current: CurrentState, beliefs: Beliefs | None, tables: Tables, most: int = DEFAULT_SAMPLES
) -> Outlook | None:
    """Return how it may go on from a state, at most so many endings drawn. No queries."""
    if beliefs is None:
        return None
    outset = Outset(current.state, current.facts, beliefs.banks, tables, beliefs.strength)
    samples = max(LEAST_SAMPLES, min(most, MOST_SEATS // max(1, seats_to_come(current))))
    return Outlook(endings_of(outset, samples, seed_of(current)), not beliefs.strength, beliefs.from_results)


def seats_to_come(current: CurrentState) -> int:
    """Return about how many seats are still to be played, a place of a stage for each hanchan."""
    seats = 0
    for progress in current.state.stages:
        lines = [line.left for ranking in progress.rankings for line in ranking.lines]
        expected = max(progress.expected or 0, len(progress.places))
        seats += (
            sum(lines) if any(ranking.started for ranking in progress.rankings) else expected * progress.stage.planned
        )
    return seats


def seed_of(current: CurrentState) -> int:
    """Return a number that changes with the standings and with nothing else, so that a page that is loaded again says the same."""
    return seed_of_stages(current.state.stages)


def seed_of_stages(stages: Iterable[StageProgress]) -> int:
    lines = [
        (progress.stage.key, line.participant, line.points, line.played)
        for progress in stages
        for ranking in progress.rankings
        for line in ranking.lines
    ]
    return crc32(repr(lines).encode())
