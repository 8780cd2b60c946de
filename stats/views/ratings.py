from django.core.paginator import Paginator
from django.db.models import Max
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from league.http.access import in_league
from league.http.caching import published
from league.models import League, Player
from league.permissions import hide_names
from stats.core.ratings.prediction import MIN_JUDGED
from stats.core.ratings.skill import MIN_HANCHAN
from stats.selectors.ratings import changes_of, predictions, ratings_of, told_of
from stats.tables.period_switch import Preset
from stats.tables.ratings import SKILL, TENHOU, prediction_lines, rating_lines

PLAYERS_PER_PAGE, CHANGES_PER_PAGE = 100, 20


@require_safe
@in_league()
@published
def index(request: HttpRequest, league: League) -> HttpResponse:
    order = "skill" if request.GET.get("sort") == "skill" else "tenhou"
    ratings = ratings_of(league, order)
    last_day = ratings.aggregate(last=Max("day"))["last"]
    page = Paginator(ratings, PLAYERS_PER_PAGE).get_page(request.GET.get("page"))
    hide_names(request.user, league, [each.player for each in page])
    state = predictions(league)
    address = reverse("stats:ratings", args=[league.slug])
    context = {
        "league": league,
        "order": order,
        "orders": [
            Preset(address, str(TENHOU), order == "tenhou"),
            Preset(f"{address}?sort=skill", str(SKILL), order == "skill"),
        ],
        "page": page,
        "lines": rating_lines(page, last_day),
        "last_day": last_day,
        "state": state,
        "predictions": prediction_lines(state),
        "minimum": MIN_HANCHAN,
        "least_judged": MIN_JUDGED,
    }
    return render(request, "stats/ratings/index.html", context)


@require_safe
@in_league()
@published
def changes(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    player = get_object_or_404(Player.objects.select_related("merged_into"), league=league, pk=pk)
    if player.merged_into_id:
        return redirect("stats:rating_changes", league.slug, player.merged_into_id)
    hide_names(request.user, league, [player])
    page = Paginator(changes_of(player), CHANGES_PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "league": league,
        "player": player,
        "page": page,
        "changes": told_of(player, page),
        "state": predictions(league),
    }
    return render(request, "stats/ratings/changes.html", context)
