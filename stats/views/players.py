from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from league.core.periods import ALL_TIME
from league.forms.standings import RangeForm
from league.http.access import in_league
from league.http.caching import published
from league.models import League, Player
from league.permissions import bears_a_name, hide_names, is_bearer, may_read_name
from league.selectors.places import places_of
from stats.selectors.profiles import first_and_last_day, history, player_profile
from stats.tables.profile import (
    MAX_OPPONENTS,
    bust_line,
    month_lines,
    period_choices,
    placement_margin_of,
    read_scope,
    season_lines,
    seat_lines,
    streak_lines,
)
from stats.tables.statistics import statistic_groups

PER_PAGE, SHOWN = 20, 4
"""Hanchan per page of the list, and number of latest hanchan shown on the first page."""

WHOLE = ("opponents", "months", "honours")
"""Parts of the page that are shortened until the full list is requested."""


@require_safe
@in_league()
@published
def detail(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    player = get_object_or_404(Player.objects.select_related("merged_into"), league=league, pk=pk)
    if player.merged_into_id:
        return redirect("stats:player", league.slug, player.merged_into_id)
    form = RangeForm(request.GET if "first" in request.GET or "last" in request.GET else None)
    if form.is_bound and form.is_valid():
        return redirect(f"{request.path}?period={form.period.key}")
    player.league = league
    scope, whole = read_scope(league, request.GET.get("period", "all")), request.GET.get("all", "")
    if scope is None or (whole and whole not in WHOLE):
        raise Http404
    profile = player_profile(league, player, scope, None if whole == "opponents" else MAX_OPPONENTS)
    is_hidden = not may_read_name(request.user, player, league)
    hide_names(request.user, league, [player, *(met.player for met in profile.opponents)])
    periods, more_periods = period_choices(league, scope, league.day_of(timezone.now()))
    is_beginning = "page" not in request.GET
    pages = Paginator(history(league, player, scope), SHOWN if is_beginning else PER_PAGE)
    pages.count = profile.tally.games
    context = {
        "league": league,
        "player": player,
        "is_hidden": is_hidden,
        "is_own": is_bearer(request.user, player),
        "may_claim": player.user_id is None
        and request.user.is_authenticated
        and league.is_active
        and not bears_a_name(request.user, league),
        "scope": scope,
        "periods": periods,
        "more_periods": more_periods,
        "range_form": form,
        "profile": profile,
        "places": places_of([player], timezone.now())[player.pk],
        "curve": placement_margin_of(profile),
        "streaks": streak_lines(profile),
        "seats": seat_lines(profile),
        "busts": bust_line(profile.tally),
        "whole": whole,
        "months": month_lines(profile, whole=whole == "months"),
        "seasons": season_lines(profile, league),
        "groups": statistic_groups(profile),
        "days": profile.days if scope.key == ALL_TIME.key else first_and_last_day(league, player),
        "is_beginning": is_beginning,
        "page": pages.get_page(request.GET.get("page")),
    }
    return render(request, "stats/players/detail.html", context)
