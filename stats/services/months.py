"""Months that are over are added up for each player here, so that no page does it again.

A month is kept with the stamp of its board, read before the seats. Whoever changes a fact of the month marks the board
stale in the same transaction, and the refresh gives it another stamp: so what was kept before says nothing any more.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from league import background
from league.core.periods import month_of, parse_period
from league.models import League
from stats.core.careers import as_json
from stats.models import KeptMonth, PlayerMonth
from stats.selectors.career_seats import careers_of, rows_in
from stats.selectors.months import due_months, leagues_with_due_months

KEEP_TASK = "stats.keep_months"

COMES_LATE = timedelta(days=2)
"""For so long after a month it is not kept yet: the results of its last evening are still coming, and being corrected."""


def sweep() -> None:
    """Have the months kept that are over and are not, or not as they are now. One query."""
    for league_id in leagues_with_due_months(earliest_open_month(timezone.now())):
        background.send(KEEP_TASK, league_id)


def keep_months(league_id: int) -> int:
    """Keep what the months of a league came to that are over; return how many were added up."""
    due = due_months(league_id, earliest_open_month(timezone.now()))
    for month in due:
        _keep(month)
    return len(due)


def earliest_open_month(now: datetime) -> str:
    """Return the key of the earliest month that is not over, or whose results are still coming."""
    return month_of((now - COMES_LATE).date()).key


@transaction.atomic
def _keep(month: KeptMonth) -> None:
    """Keep a month as the facts are by now, under the stamp that its board had before; one after the other."""
    KeptMonth.objects.bulk_create(
        [month],
        update_conflicts=True,
        unique_fields=["league", "period"],
        update_fields=["computed_at", "version", "shape"],
    )
    kept = KeptMonth.objects.get(league=month.league_id, period=month.period)
    league = League.objects.get(pk=month.league_id)
    careers = careers_of(rows_in(league, parse_period(month.period)))
    kept.players.all().delete()
    PlayerMonth.objects.bulk_create(
        PlayerMonth(month=kept, player_id=player, career=as_json(career)) for player, career in careers.items()
    )
