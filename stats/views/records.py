"""What stands out in a period of a league."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from league.core.periods import ALL_TIME
from league.http.access import in_league, scope_period
from league.http.published import published
from league.models import League
from league.selectors.names import hide_names
from stats.selectors.records import period_records
from stats.tables.period_switch import period_switch
from stats.tables.records import record_lines


@require_safe
@in_league()
@published
def index(request: HttpRequest, league: League) -> HttpResponse:
    """Show the records of all time, a year, a month, or a free range such as one evening."""
    period = scope_period(league, request.GET.get("period", ALL_TIME.key))
    found = period_records(league, period)
    if found:
        hide_names(request.user, league, found.players)
    context = {
        "league": league,
        "period": period,
        "presets": period_switch(league, period, league.day_of(timezone.now())),
        "found": found,
        "lines": record_lines(found) if found else [],
    }
    return render(request, "stats/records/index.html", context)
