from datetime import date

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from league import messages
from league.http.access import in_league, scope_period
from league.http.caching import published
from league.models import League
from league.permissions import hide_names
from league.selectors.boards import board_lines
from stats.selectors.careers import careers_in
from stats.selectors.together import gains_of_careers, meetings_among, race_in
from stats.tables.compare import (
    MAX_COMPARED,
    MAX_IN_MATRIX,
    curves,
    figures,
    pairings,
    people_named,
    person_choices,
    versus_rows,
)
from stats.tables.period_switch import period_switch
from stats.tables.race import MAX_PEOPLE, race_page

TWO = 2


@require_safe
@in_league()
@published
def compare(request: HttpRequest, league: League) -> HttpResponse:
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
        careers = careers_in(league, period, [player.pk for player in people])
        gains = gains_of_careers(league, people, period, careers)
        context |= {
            "figures": figures(people, careers, {player: sum(days.values()) for player, days in gains.items()}),
            "pairings": pairings(people, careers),
            "curves": curves(people, gains),
        }
    return render(request, "stats/compare.html", context)


@require_safe
@in_league()
@published
def matrix(request: HttpRequest, league: League) -> HttpResponse:
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


@require_safe
@in_league()
@published
def race(request: HttpRequest, league: League) -> HttpResponse:
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
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
