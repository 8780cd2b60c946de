"""Results of previews and rescorings, with names, boards and ranks before and after."""

from collections.abc import Sequence
from typing import Any

from league.core.periods import PeriodError, PeriodKind, parse_period
from league.messages import period_title
from league.models import Job, League, Player, RulesetVersion
from league.selectors.receipts import RankMove
from scoring.core import ScoringError
from scoring.messages import scoring_error_sentence

WIDEST_FIRST = (PeriodKind.ALL, PeriodKind.YEAR, PeriodKind.MONTH, PeriodKind.RANGE)


def impact_of(job: Job) -> dict[str, Any] | None:
    """Return the result of a finished preview or rescoring, or None. One query.

    `hanchan`: number checked; `changed`: with other points; `refused`: cannot be scored; `given`: known by points
    only, so not rescored; `moved`: boards with the players whose ranks change.
    """
    found = job.result
    if not isinstance(found, dict) or job.kind in {Job.Kind.REBUILD, Job.Kind.DAYS}:
        return None
    moved: dict[str, list[dict[str, Any]]] = found.get("moved", {})
    moved_players = {move["player"] for moves in moved.values() for move in moves}
    people = Player.objects.filter(league=job.league).in_bulk(moved_players)
    boards = [_board(job.league, key, moves, people) for key, moves in moved.items()]
    ordered = sorted((board for board in boards if board), key=lambda board: board["period"].start, reverse=True)
    return {
        **dict.fromkeys(("hanchan", "changed", "boards", "refused_count", "given"), 0),
        **found,
        "players": sorted(people.values(), key=lambda player: (player.sort_key, player.pk)),
        "moved": sorted(ordered, key=lambda board: WIDEST_FIRST.index(board["period"].kind)),
        "refused": [_refusal(each) for each in found.get("refused", [])],
    }


def _board(
    league: League, key: str, moves: Sequence[dict[str, Any]], people: dict[int, Player]
) -> dict[str, Any] | None:
    try:
        period = parse_period(key, league.first_month)
    except PeriodError:
        return None
    rows = [
        RankMove(people[move["player"]], move["from"], move["to"], tuple(move.get("points", ())))
        for move in moves
        if move["player"] in people
    ]
    beyond = len(people) + 10**6
    in_order = sorted(rows, key=lambda move: (move.after or beyond, move.before or beyond))
    return {"period": period, "title": period_title(period), "moves": in_order}


def _refusal(found: dict[str, Any]) -> dict[str, Any]:
    error = ScoringError(found["code"], found["seat"], **found["values"])
    return {"hanchan": found["hanchan"], "error": scoring_error_sentence(error)}


def version_of(job: Job) -> RulesetVersion | None:
    number = job.parameters.get("version")
    if not isinstance(number, int):
        return None
    return RulesetVersion.objects.select_related("ruleset").filter(pk=number, ruleset__league=job.league).first()
