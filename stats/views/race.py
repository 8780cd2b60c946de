"""How a race went: points and ranks over time, and how it stood on a day."""

from datetime import date

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
from stats.selectors.races import race_in
from stats.tables.chosen_people import people_named, person_choices
from stats.tables.period_switch import period_switch
from stats.tables.race import MAX_PEOPLE, race_page


@require_safe
@in_league()
@published
def race(request: HttpRequest, league: League) -> HttpResponse:
    """Show how the board's first, or the chosen people, came to their points in a period."""
    today = league.day_of(timezone.now())
    period = scope_period(league, request.GET.get("period") or league.periods_of(today)[1].key)
    found = race_in(league, period)
    players = {line.player_id: line.player for line in board_lines(league, period) if line.player_id in found.sums}
    hide_names(request.user, league, players.values())
    chosen = people_named(request.GET, players, MAX_PEOPLE)
    people = [players[player] for player in chosen or list(players)[:MAX_PEOPLE]]
    context = {
        "league": league,
        "period": period,
        "title": messages.period_title(period),
        "periods": period_switch(league, period, today, chosen),
        "page": race_page(found, people, period, _day(request.GET.get("on", "")), chosen) if people else None,
        "by_month": not found.is_by_day,
        "people": people,
        "choices": person_choices(players.values(), [player.pk for player in people]),
        "most": MAX_PEOPLE,
    }
    return render(request, "stats/race.html", context)


def _day(text: str) -> date | None:
    """Return the day that an address names; None for anything else."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
