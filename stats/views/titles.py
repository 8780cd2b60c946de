"""The titles of a league and who holds them."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from league.core.periods import year_of
from league.http.access import in_league, scope_period
from league.http.published import published
from league.models import League
from league.selectors.names import hide_names
from stats.selectors.titles import given_titles, people
from stats.tables.period_switch import period_switch
from stats.tables.titles import MISSING, title_cards


@require_safe
@in_league()
@published
def index(request: HttpRequest, league: League) -> HttpResponse:
    """Show each title of a month, a year or all time with its holders, who comes next, and who has played too little."""
    today = league.day_of(timezone.now())
    period = scope_period(league, request.GET.get("period", year_of(today, league.first_month).key))
    if not period.is_stored:
        raise Http404
    titles = given_titles(league, period)
    named = people(titles, MISSING)
    hide_names(request.user, league, named.values())
    context = {
        "league": league,
        "period": period,
        "is_over": period.end <= today,
        "presets": period_switch(league, period, today),
        "titles": title_cards(titles, named),
    }
    return render(request, "stats/titles/index.html", context)
