"""Stories: a month or a year on a page that can be printed, and the list of all."""

from itertools import groupby

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from league.core.periods import PeriodKind
from league.http.access import in_league
from league.http.published import published
from league.messages import period_title
from league.models import League
from league.selectors.names import hide_names
from stats.exports.cards import story_period
from stats.selectors.stories import period_story, told_periods
from stats.tables.stories import race_of_story, story_sentences


@require_safe
@in_league()
@published
def index(request: HttpRequest, league: League) -> HttpResponse:
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
