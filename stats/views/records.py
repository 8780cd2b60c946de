from itertools import groupby

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from league.core.periods import ALL_TIME, PeriodKind
from league.http.access import in_league, scope_period
from league.http.caching import published
from league.messages import period_title
from league.models import League
from league.permissions import hide_names
from stats.exports.cards import story_period
from stats.selectors.records import period_records
from stats.selectors.stories import period_story, told_periods
from stats.tables.period_switch import period_switch
from stats.tables.records import race_of_story, record_lines, story_sentences


@require_safe
@in_league()
@published
def index(request: HttpRequest, league: League) -> HttpResponse:
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


@require_safe
@in_league()
@published
def stories(request: HttpRequest, league: League) -> HttpResponse:
    told = [(period, period_title(period)) for period in told_periods(league)]
    years = [pair for pair in told if pair[0].kind is PeriodKind.YEAR]
    months = [pair for pair in told if pair[0].kind is PeriodKind.MONTH]
    by_year = [(year, list(found)) for year, found in groupby(months, key=lambda pair: pair[0].start.year)]
    return render(request, "stats/stories/index.html", {"league": league, "years": years, "by_year": by_year})


@require_safe
@in_league()
@published
def story(request: HttpRequest, league: League, period: str) -> HttpResponse:
    found = period_story(league, story_period(league, period))
    if found is None:
        raise Http404
    hide_names(request.user, league, found.players)
    is_over = league.day_of(timezone.now()) >= found.period.end
    page = {
        "league": league,
        "story": found,
        "title": period_title(found.period),
        "sentences": list(story_sentences(league, found, is_over=is_over)),
        "race": race_of_story(league, found),
        "is_over": is_over,
    }
    return render(request, "stats/stories/story.html", page)
