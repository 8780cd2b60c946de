"""Two to four people side by side."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from league import messages
from league.http.access import in_league, scope_period
from league.http.published import published
from league.models import League
from league.selectors.names import hide_names
from stats.selectors.together import careers_together, gains_of_careers
from stats.tables.chosen_people import people_named, person_choices
from stats.tables.compare import MAX_COMPARED, curves, figures, pairings
from stats.tables.period_switch import period_switch

TWO = 2


@require_safe
@in_league()
@published
def compare(request: HttpRequest, league: League) -> HttpResponse:
    """Show figures, meetings and curves of the chosen people, or ask whom."""
    period = scope_period(league, request.GET.get("period") or "all")
    players = {player.pk: player for player in league.players.active()}
    hide_names(request.user, league, players.values())
    chosen = people_named(request.GET, players, MAX_COMPARED)
    people = [players[player] for player in chosen]
    context = {
        "league": league,
        "period": period,
        "title": messages.period_title(period),
        "periods": period_switch(league, period, league.day_of(timezone.now()), chosen),
        "people": people,
        "choices": person_choices(players.values(), chosen),
        "most": MAX_COMPARED,
    }
    if len(people) >= TWO:
        careers = careers_together(league, people, period)
        gains = gains_of_careers(league, people, period, careers)
        context |= {
            "figures": figures(people, careers, {player: sum(days.values()) for player, days in gains.items()}),
            "pairings": pairings(people, careers),
            "curves": curves(people, gains),
        }
    return render(request, "stats/compare.html", context)
