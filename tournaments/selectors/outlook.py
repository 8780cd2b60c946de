"""Simulated outlook for a tournament, and past chances in completed stages; simulated once for all pages."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from math import sqrt
from operator import itemgetter
from zlib import crc32

from league.models import Hanchan, RulesetVersion, Seat
from scoring.core import PlayerResult, ScoringRules
from stats.core.ratings.skill import BETA_SQUARED, MIN_HANCHAN, MU, SIGMA
from stats.models import PlayerRating
from tournaments.core.facts import Participant, results_after
from tournaments.core.format import Stage
from tournaments.core.odds import DEFAULT_SAMPLES, Bank, Calibration, Prediction, calibration_of, typical_bank
from tournaments.core.state import StageProgress, StageState
from tournaments.estimates.forward import DrawnEndings, Outset, Tables, endings_of
from tournaments.messages.titles import block_name, destination_label, rank_text, stage_name
from tournaments.models import Entry
from tournaments.selectors.decisions import told_paths
from tournaments.selectors.inbox import vacancies_of
from tournaments.selectors.needs_tables import playing
from tournaments.selectors.seating import SessionSeating, session_seatings
from tournaments.selectors.state import CurrentState

BANK = 300
"""Number of the league's latest hanchan used for the points of each placement."""


class Knowledge:
    """Lazily loaded data of a page. `seatings`: seatings the page has already loaded."""

    def __init__(self, current: CurrentState, seatings: tuple[SessionSeating, ...] | None = None) -> None:
        self.current = current
        self._seatings = seatings
        self._banks: dict[int, Bank] = {}

    @cached_property
    def _own_rules(self) -> dict[str, RulesetVersion]:
        return self.current.tournament.rules_by_stage()

    def rules_of(self, stage: Stage) -> RulesetVersion:
        return self._own_rules.get(stage.key, self.current.tournament.ruleset_version)

    @cached_property
    def seatings(self) -> tuple[SessionSeating, ...]:
        return session_seatings(self.current) if self._seatings is None else self._seatings

    def bank_of(self, version: RulesetVersion, rules: ScoringRules) -> Bank:
        if version.pk not in self._banks:
            self._banks[version.pk] = _bank_of(version, rules)
        return self._banks[version.pk]

    @cached_property
    def strengths(self) -> dict[Participant, float]:
        """Plackett-Luce strengths by primary key of the entry. One query.

        Based on the skill rating, shrunk towards 0 (a new player) according to its uncertainty and the luck in a
        hanchan. Players without enough hanchan are missing.
        """
        entry_of = {entry.player.pk: pk for pk, entry in self.current.entries.items()}
        rated = PlayerRating.objects.filter(player__in=entry_of, hanchan__gte=MIN_HANCHAN)
        beliefs = rated.values_list("player", "mu", "sigma")
        return {entry_of[player]: strength(mu, sigma) for player, mu, sigma in beliefs}


def _bank_of(version: RulesetVersion, rules: ScoringRules) -> Bank:
    latest = Hanchan.objects.counted().filter(ruleset_version=version).order_by("-played_at", "-pk").values("pk")[:BANK]
    seats = Seat.objects.filter(hanchan_id__in=latest).order_by("hanchan_id").values_list("hanchan_id", "points")
    rows = (tuple(sorted((points for _, points in table), reverse=True)) for _, table in groupby(seats, itemgetter(0)))
    return tuple(row for row in rows if len(row) == rules.players)


def strength(mu: float, sigma: float) -> float:
    known = 1 - (sigma / SIGMA) ** 2
    return known * (mu - MU) / sqrt(4 * (BETA_SQUARED + sigma * sigma))


MOST_SEATS = 1_000_000
"""Maximum number of simulated seats, about 0.2 seconds; large fields get fewer endings."""

LEAST_SAMPLES = 1000

ENOUGH = 3
"""Hanchan that every block must have played before chances are shown (or all, if it plays fewer)."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """Simulated endings.

    `equal`: strengths are unknown; `from_results`: points come from the league's hanchan; `vacant`: spots by stage.
    """

    endings: DrawnEndings
    equal: bool
    from_results: bool
    vacant: tuple[tuple[Stage, int], ...]

    @property
    def standard_error(self) -> float:
        return sqrt(0.25 / self.endings.samples)


@dataclass(frozen=True, slots=True)
class Beliefs:
    banks: Mapping[str, Bank]
    strength: Mapping[Participant, float]
    from_results: bool


def may_tell_chances(current: CurrentState) -> bool:
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
    if beliefs is None:
        return None
    outset = Outset(current.state, current.facts, beliefs.banks, tables, beliefs.strength)
    samples = max(LEAST_SAMPLES, min(most, MOST_SEATS // max(1, seats_to_come(current))))
    endings = endings_of(outset, samples, seed_of(current.state.stages))
    vacant = ((each.stage, vacancies_of(current.state, each)) for each in current.state.stages if not is_over(each))
    return Outlook(endings, not beliefs.strength, beliefs.from_results, tuple(pair for pair in vacant if pair[1]))


def seats_to_come(current: CurrentState) -> int:
    seats = 0
    for progress in current.state.stages:
        lines = [line.left for ranking in progress.rankings for line in ranking.lines]
        expected = max(progress.expected or 0, len(progress.places))
        seats += (
            sum(lines) if any(ranking.started for ranking in progress.rankings) else expected * progress.stage.planned
        )
    return seats


def seed_of(stages: Iterable[StageProgress]) -> int:
    """Return a seed that changes only with the standings, so that reloading a page gives the same chances."""
    lines = [
        (progress.stage.key, line.participant, line.points, line.played)
        for progress in stages
        for ranking in progress.rankings
        for line in ranking.lines
    ]
    return crc32(repr(lines).encode())


SAMPLES = 5000
"""Gives ±1.4 % for a chance of one half, accurate enough for past chances."""

LOOKED_BACK = (4, 2, 1)
"""Hanchan left at which past chances are shown."""

JUDGED_AT = 2
"""Hanchan left at which chances are evaluated."""

MOST_TOURNAMENTS = 8
"""Number of latest tournaments evaluated."""


@dataclass(frozen=True, slots=True)
class StageHindsight:
    """A completed stage's past chances.

    `looks`: chances by hanchan left, then by participant. `is_title`: the goal was first place.
    """

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
    """An unlikely success. `looks`: pairs of hanchan left, most first, and the chance then. `to`: where, if all advance, or the rank, if not 1st."""

    entry: Entry
    is_title: bool
    looks: tuple[tuple[int, float], ...]
    to: str = ""


def played_in(current: CurrentState, stage: str) -> int:
    return crc32(repr(current.facts.results(stage)).encode())


def made_it(progress: StageProgress) -> frozenset[Participant]:
    """Return who finished in a place that advances or wins, even if they did not take it."""
    if not progress.paths:
        return frozenset([progress.rankings[0].lines[0].participant])
    return frozenset(player for path in told_paths(progress) for player in path.proposal.players)


def _went_on(current: CurrentState, progress: StageProgress) -> frozenset[Participant]:
    taken = current.state.taken
    going = (taken(each.stage, each.to) if each.decision else each.proposed for each in told_paths(progress))
    return frozenset(player for players in going for player in players) if progress.paths else made_it(progress)


def stage_hindsight(current: CurrentState, progress: StageProgress, beliefs: Beliefs | None) -> StageHindsight | None:
    """Return the past chances of a completed stage, None without `beliefs`. No queries.

    Treats all players as equally strong, because current ratings already include the outcome.
    """
    stage = progress.stage
    played = {line.played for ranking in progress.rankings for line in ranking.lines if not line.withdrawn}
    # Who would have sat out is not known before a draw.
    if beliefs is None or len(played) > 1:
        return None
    is_title = all(path.place_count == 1 for path in told_paths(progress))
    looks = {}
    for left in LOOKED_BACK:
        if left < stage.planned:
            looks[left] = _chances_before(current, stage.key, stage.planned - left, beliefs)
    return StageHindsight(stage.key, looks, made_it(progress), is_title)


def _chances_before(current: CurrentState, stage: str, after: int, beliefs: Beliefs) -> dict[Participant, float]:
    then = current.cut_off({stage: after}).state
    outset = Outset(then, current.facts, beliefs.banks, {stage: tables_after(current, stage, after)}, only=stage)
    endings = endings_of(outset, SAMPLES, seed_of([current.state.stage(stage)]) + after)
    told = [path.to for path in told_paths(current.state.stage(stage))]
    likely = endings.goes_on(stage, told) if told else endings.wins(stage)
    lines = [line for ranking in then.stage(stage).rankings for line in playing(ranking)]
    return {line.participant: likely.get(line.participant, 0.0) for line in lines}


def tables_after(current: CurrentState, stage: str, after: int) -> list[list[Participant]]:
    tables: dict[object, list[Participant]] = {}
    # Use a fixed order, so that random draws are the same on every database.
    played = sorted(current.facts.results(stage).items(), key=lambda item: str(item[0]))
    left = (results[len(results_after(results, after, current.facts.rounds)) :] for _, results in played)
    # House players and substitutes have played fewer hanchan, so ask everyone at the table.
    later = {getattr(result, "game", None) for results in left for result in results}
    for participant, results in played:
        for result in results:
            if isinstance(result, PlayerResult) and result.game in later:
                tables.setdefault(result.game, []).append(participant)
    return list(tables.values())


def surprise_of(current: CurrentState, hindsight: StageHindsight) -> Surprise | None:
    latest = hindsight.looks[min(hindsight.looks)] if hindsight.looks else {}
    progress = current.state.stage(hindsight.stage)
    went_on = [player for player in _went_on(current, progress) if player in latest]
    if not went_on:
        return None
    first = hindsight.looks[max(hindsight.looks)]
    least = min(
        went_on, key=lambda player: (min(each[player] for each in hindsight.looks.values()), first[player], str(player))
    )
    looks = tuple((left, chances[least]) for left, chances in hindsight.looks.items())
    told = [destination_label(path.to, current.state.format) for path in told_paths(progress)]
    place = rank_text(1 + ahead) if (ahead := progress.rankings[0].ahead) else ""
    to = told[0] if len(told) == 1 < len(progress.paths) else place
    return Surprise(current.entries[int(least)], hindsight.is_title, looks, to)


def league_calibration(hindsights: Iterable[Sequence[StageHindsight]]) -> Calibration:
    return calibration_of(each.predictions for tournament in hindsights for each in tournament)


@dataclass(frozen=True, slots=True)
class StageLook:
    """Past chances of a stage. `is_title`: the goal was the title. `columns`: hanchan left at each column.

    `rows`: titles of blocks, entries, their chances by column, and whether they went on and had earned it.
    """

    key: str
    name: str
    is_title: bool
    columns: tuple[int, ...]
    rows: tuple[tuple[str, Entry, tuple[float, ...], bool, bool], ...]
    surprise: Surprise | None


def looks_back(current: CurrentState, hindsights: Iterable[StageHindsight]) -> list[StageLook]:
    order = (*current.state.format.order, *(stage.key for stage in reversed(current.state.format.stages)))
    found = sorted(hindsights, key=lambda each: order.index(each.stage))
    return [_look(current, hindsight) for hindsight in found if hindsight.looks]


def _look(current: CurrentState, hindsight: StageHindsight) -> StageLook:
    progress = current.state.stage(hindsight.stage)
    went_on = _went_on(current, progress)
    rows = tuple(
        (
            block_name(ranking.block) if len(progress.rankings) > 1 else "",
            current.entries[int(line.participant)],
            tuple(chances.get(line.participant, 0.0) for chances in hindsight.looks.values()),
            line.participant in went_on,
            line.participant in hindsight.made_it,
        )
        for ranking in progress.rankings
        for line in ranking.lines
        if any(line.participant in chances for chances in hindsight.looks.values())
    )
    name, surprise = stage_name(progress.stage), surprise_of(current, hindsight)
    return StageLook(progress.stage.key, name, hindsight.is_title, tuple(hindsight.looks), rows, surprise)
