"""The ranking of a stage as it is printed."""

from typing import Any

from django.core.management.base import CommandError

from league.management.arguments import is_text
from league.models import League
from scoring.core import format_points
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import StageProgress
from tournaments.models import Tournament
from tournaments.selectors.state import CurrentState, state_of

Document = dict[str, Any]


def stage_ranking(tournament: Tournament, stage: str | None, block: str | None, after: int | None) -> Document:
    """Return the ranking of a stage, or of one block of it, perhaps as it was after so many hanchan of each player.

    Raises CommandError that names the known stages or blocks.
    """
    _check_stage(tournament, stage)
    current = state_of(tournament, None if after is None or stage is None else {stage: after})
    rankings = _tables(current.state.stage(str(stage)), block)
    document: Document = {"league": tournament.league.slug, "tournament": tournament.key, "stage": stage}
    if block is not None:
        document["block"] = block
    if after is not None:
        document["after_hanchan"] = after
    lines = [_line(current, ranking, line, is_one=len(rankings) == 1) for ranking in rankings for line in ranking.lines]
    return document | {"ranking": lines}


def find_tournament(league: League, key: str) -> Tournament:
    """Return the tournament with this key. Raises CommandError that names the known ones."""
    tournament = league.tournaments.filter(key=key).first() if is_text(key) else None
    if tournament is None:
        known = ", ".join(league.tournaments.order_by("pk").values_list("key", flat=True)) or "none"
        raise CommandError(f"There is no tournament {key!r} in {league.slug}. Known tournaments: {known}.")
    tournament.league = league
    return tournament


def _check_stage(tournament: Tournament, stage: str | None) -> None:
    known = [each.key for each in tournament.format.stages]
    if stage is None:
        raise CommandError(f"Say which stage with --stage: {', '.join(known)}.")
    if stage not in known:
        raise CommandError(f"There is no stage {stage!r} in {tournament.key}. Known stages: {', '.join(known)}.")


def _tables(progress: StageProgress, block: str | None) -> list[BlockRanking]:
    rankings = [ranking for ranking in progress.rankings if block in {None, ranking.block}]
    if not rankings:
        known = ", ".join(filter(None, progress.stage.block_keys))
        remedy = f"Known blocks: {known}." if known else "Everybody plays in one; leave --block out."
        raise CommandError(f"There is no block {block!r} in {progress.stage.key}. {remedy}")
    return rankings


def _line(current: CurrentState, ranking: BlockRanking, line: RankingLine, *, is_one: bool) -> Document:
    player = current.player(line.participant)
    document: Document = {
        "rank": line.rank,
        "player": player.key,
        "name": player.name,
        "points": format_points(line.points),
        "games": line.played,
        "decided_by": str(line.decided_by) if line.decided_by else None,
        "goes_to": line.advances_to,
    }
    if not is_one:
        document["block"] = ranking.block
    flags = {"shared": line.shared, "undecided": line.undecided, "withdrawn": line.withdrawn}
    document |= {name: value for name, value in flags.items() if value}
    return document | ({"rank": None, "unranked": line.unranked.value} if line.unranked else {})
