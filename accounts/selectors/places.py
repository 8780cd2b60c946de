"""Where a person stands: their line on each board of the present, and how far it is to the next above and below."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, F, OuterRef, Subquery
from django.db.models.functions import Coalesce

from accounts.selectors.memberships import OwnLeague
from league.core.periods import Period
from league.models import League, Player, Standing
from league.selectors.standings_sql import ranking_on


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """A person's line on a board; None where they have none.

    `ranked`: how many have a rank. `above` and `below`: the distance in scores to whoever is ranked next, None where
    nobody is. `needed`: how many hanchan are missing to a rank.
    """

    period: Period
    line: Standing | None
    ranked: int = 0
    above: int | None = None
    below: int | None = None
    needed: int = 0


@dataclass(frozen=True, slots=True)
class OwnPlaces:
    """A person's places in one league as one of its players: this month, this year, of all time."""

    league: League
    player: Player
    places: tuple[OwnPlace, ...]

    @property
    def career(self) -> Standing | None:
        """The line of all time, from which the short line of statistics is read."""
        return self.places[-1].line


def places_of(leagues: Sequence[OwnLeague], now: datetime) -> list[OwnPlaces]:
    """Return where a person stands in their active leagues. One query, on stored boards; none without players."""
    playing = [(each.league, player) for each in leagues if each.league.is_active for player in each.players]
    if not playing:
        return []
    periods = {league.pk: league.periods_of(league.day_of(now)) for league, _ in playing}
    lines = _lines([player for _, player in playing], {each.key for three in periods.values() for each in three})
    return [
        OwnPlaces(league, player, tuple(_place(league, period, lines.get((player.pk, period.key))) for period in three))
        for league, player, three in ((league, player, periods[league.pk]) for league, player in playing)
    ]


def _lines(players: Sequence[Player], keys: set[str]) -> Mapping[tuple[int, str], Any]:
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


def _place(league: League, period: Period, line: Any) -> OwnPlace:
    if line is None:
        return OwnPlace(period, None)
    ranking = ranking_on(league, period)
    return OwnPlace(
        period=period,
        line=line,
        ranked=line.ranked,
        above=None if line.score_above is None else line.score_above - line.score,
        below=None if line.score_below is None else line.score - line.score_below,
        needed=0 if line.rank is not None else max(ranking.minimum, 1) - ranking.counted(line.basis),
    )


def started(places: Sequence[OwnPlaces]) -> Iterator[OwnPlaces]:
    return (each for each in places if any(place.line is not None for place in each.places))
