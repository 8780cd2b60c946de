"""Everybody against everybody."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from league import messages
from league.http.access import in_league, scope_period
from league.http.published import published
from league.models import League
from league.selectors.boards import board_lines
from league.selectors.names import hide_names
from stats.selectors.together import meetings_among
from stats.tables.matrix import MAX_IN_MATRIX, versus_rows
from stats.tables.period_switch import period_switch


@require_safe
@in_league()
@published
def matrix(request: HttpRequest, league: League) -> HttpResponse:
    """Show how those with the most hanchan of a period did against each other."""
    today = league.day_of(timezone.now())
    period = scope_period(league, request.GET.get("period") or league.periods_of(today)[1].key)
    played = [line for line in board_lines(league, period) if line.hanchan]
    most = sorted(played, key=lambda line: -line.hanchan)[:MAX_IN_MATRIX]
    people = [line.player for line in most]
    hide_names(request.user, league, people)
    context = {
        "league": league,
        "title": messages.period_title(period),
        "periods": period_switch(league, period, today),
        "people": people,
        "rows": versus_rows(people, meetings_among(league, [player.pk for player in people], period), period.key),
        "left_out": len(played) - len(most),
    }
    return render(request, "stats/matrix.html", context)
