from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from league.core.searching import MAX_SEARCH_LENGTH, Wanted
from league.http.access import in_league
from league.http.caching import published
from league.http.rate_limits import Limit, address_of
from league.models import League
from stats.selectors import searching

SEARCHES = Limit("searches", tries=120, seconds=60)
"""Rate limit per address over all leagues. High enough for a whole venue behind one address."""


@require_safe
@in_league()
def search(request: HttpRequest, league: League) -> HttpResponse:
    if request.GET.get("q") and not SEARCHES.use(address_of(request)):
        answer = _page(request, league, is_busy=True, status=429)
        answer.headers["Retry-After"] = str(SEARCHES.seconds)
        return answer
    return found(request, league)


@published
def found(request: HttpRequest, league: League) -> HttpResponse:
    return _page(request, league)


def _page(request: HttpRequest, league: League, *, is_busy: bool = False, status: int = 200) -> HttpResponse:
    wanted = Wanted.of(request.GET.get("q", ""))
    groups = [] if is_busy else searching.search(request.user, league, wanted)
    page = {
        "league": league,
        "wanted": wanted,
        "max_length": MAX_SEARCH_LENGTH,
        "groups": groups,
        "count": sum(things.count for _source, things in groups),
        "is_busy": is_busy,
    }
    return render(request, "stats/search/index.html", page, status=status)
