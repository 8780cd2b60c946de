from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from league.core.periods import Period
from league.models import Player, Standing
from league.selectors.standings_sql import ranking_on


@dataclass(frozen=True, slots=True)
class StandingPlace:
    """A player's line in current standings.

    `ranked`: number of ranked players. `above`, `below`: difference in score to the adjacent ranks, or None. `needed`:
    hanchan missing for a rank.
    """

    period: Period
    line: Standing
    ranked: int
    above: int | None
    below: int | None
    needed: int


def places_of(players: Sequence[Player], now: datetime) -> dict[int, tuple[StandingPlace, ...]]:
    """Return lines in the standings of this month, this year and all time, by player. One query on stored boards."""
    periods = {player.pk: player.league.periods_of(player.league.day_of(now)) for player in players}
    lines = _lines(players, {each.key for three in periods.values() for each in three}) if players else {}
    return {
        player.pk: tuple(
            _place(player, period, lines[player.pk, period.key])
            for period in periods[player.pk]
            if (player.pk, period.key) in lines
        )
        for player in players
    }


def _lines(players: Sequence[Player], keys: set[str]) -> dict[tuple[int, str], Any]:
    board = Standing.objects.filter(league=OuterRef("league"), period=OuterRef("period"), rank__isnull=False)
    above = board.filter(rank__lt=OuterRef("rank")).order_by("-rank", "pk")
    below = board.filter(rank__gt=OuterRef("rank")).order_by("rank", "pk")
    ranked = board.order_by().values("period").annotate(count=Count("pk")).values("count")
    rows = Standing.objects.filter(player__in=players, league=F("player__league"), period__in=keys).annotate(
        score_above=Subquery(above.values("score")[:1]),
        score_below=Subquery(below.values("score")[:1]),
        ranked=Coalesce(Subquery(ranked), 0),
    )
    return {(row.player_id, row.period): row for row in rows}


def _place(player: Player, period: Period, line: Any) -> StandingPlace:
    ranking = ranking_on(player.league, period)
    return StandingPlace(
        period=period,
        line=line,
        ranked=line.ranked,
        above=None if line.score_above is None else line.score_above - line.score,
        below=None if line.score_below is None else line.score - line.score_below,
        needed=0 if line.rank is not None else max(ranking.minimum, 1) - ranking.counted(line.basis),
    )
