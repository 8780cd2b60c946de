"""Results of previews and rescorings, with names, boards and ranks before and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from league.core.periods import Period, PeriodError, PeriodKind, parse_period
from league.messages import period_title
from league.models import Job, League, Player, RulesetVersion
from scoring.core import ScoringError
from scoring.messages import scoring_error_sentence

WIDEST_FIRST = (PeriodKind.ALL, PeriodKind.YEAR, PeriodKind.MONTH, PeriodKind.RANGE)


@dataclass(frozen=True, slots=True)
class RankChange:
    """A player whose rank changes; None is "not ranked"."""

    player: Player
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class BoardImpact:
    period: Period
    moves: tuple[RankChange, ...]

    @property
    def title(self) -> str:
        return period_title(self.period)


@dataclass(frozen=True, slots=True)
class UnscorableHanchan:
    hanchan: int
    error: str


@dataclass(frozen=True, slots=True)
class Impact:
    """The effect of a rescoring.

    `hanchan`: number checked; `changed`: with other points; `refused`: cannot be scored; `given`: known by points
    only, so not rescored.
    """

    hanchan: int
    changed: int
    boards: int
    players: tuple[Player, ...]
    moved: tuple[BoardImpact, ...]
    refused: tuple[UnscorableHanchan, ...]
    refused_count: int
    given: int = 0


def impact_of(job: Job) -> Impact | None:
    """Return the result of a finished preview or rescoring, or None. One query."""
    found = job.result
    if not isinstance(found, dict) or job.kind in {Job.Kind.REBUILD, Job.Kind.DAYS}:
        return None
    moved: dict[str, list[dict[str, Any]]] = found.get("moved", {})
    people = Player.objects.filter(league=job.league).in_bulk(
        {move["player"] for moves in moved.values() for move in moves}
    )
    boards = [_board(job.league, key, moves, people) for key, moves in moved.items()]
    ordered = sorted((board for board in boards if board), key=lambda board: board.period.start, reverse=True)
    return Impact(
        hanchan=found.get("hanchan", 0),
        changed=found.get("changed", 0),
        boards=found.get("boards", 0),
        players=tuple(sorted(people.values(), key=lambda player: (player.sort_key, player.pk))),
        moved=tuple(sorted(ordered, key=lambda board: WIDEST_FIRST.index(board.period.kind))),
        refused=tuple(_refusal(each) for each in found.get("refused", [])),
        refused_count=found.get("refused_count", 0),
        given=found.get("given", 0),
    )


def _board(league: League, key: str, moves: Sequence[dict[str, Any]], people: dict[int, Player]) -> BoardImpact | None:
    try:
        period = parse_period(key, league.first_month)
    except PeriodError:
        return None
    rows = [RankChange(people[move["player"]], move["from"], move["to"]) for move in moves if move["player"] in people]
    beyond = len(people) + 10**6
    return BoardImpact(period, tuple(sorted(rows, key=lambda move: (move.after or beyond, move.before or beyond))))


def _refusal(found: dict[str, Any]) -> UnscorableHanchan:
    error = ScoringError(found["code"], found["seat"], **found["values"])
    return UnscorableHanchan(found["hanchan"], scoring_error_sentence(error))


def version_of(job: Job) -> RulesetVersion | None:
    number = job.parameters.get("version")
    if not isinstance(number, int):
        return None
    return RulesetVersion.objects.select_related("ruleset").filter(pk=number, ruleset__league=job.league).first()
