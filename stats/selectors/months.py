"""Which months of leagues are to be kept: those that are over, whose boards are up to date, and that are not kept so."""

from django.db.models import Exists, OuterRef, QuerySet

from league.models import Board, StalePeriod
from stats.core.careers import SHAPE
from stats.models import KeptMonth


def leagues_with_due_months(before: str) -> list[int]:
    """Return the leagues in which a month is to be kept, by primary key. One query. `before`: as for `due_months`."""
    return list(_due(before).order_by("league").values_list("league", flat=True).distinct())


def due_months(league_id: int, before: str) -> list[KeptMonth]:
    """Return the months of a league that are to be kept, unsaved, with the stamps of their boards. One query.

    `before`: the key of a month; it and those after it are not.
    """
    rows = _due(before).filter(league=league_id).order_by("period").values("period", "computed_at", "version")
    return [KeptMonth(league_id=league_id, shape=SHAPE, **row) for row in rows]


def _due(before: str) -> QuerySet[Board]:
    of_board = {"league": OuterRef("league"), "period": OuterRef("period")}
    stamp = {"computed_at": OuterRef("computed_at"), "version": OuterRef("version")}
    kept = KeptMonth.objects.filter(**of_board, **stamp, shape=SHAPE)
    months = Board.objects.filter(period__contains="-", period__lt=before, computed_at__isnull=False)
    return months.filter(~Exists(kept), ~Exists(StalePeriod.objects.filter(**of_board)))
