from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from league.core.periods import year_of
from league.forms.leagues import WithdrawForm
from league.http.access import actor, in_league, scope_period, to_be_changed
from league.http.caching import published
from league.models import League
from league.permissions import MANAGE, hide_names
from stats.forms import TitleForm
from stats.messages import METRIC_NAMES
from stats.models import OwnTitle
from stats.selectors.titles import given_titles, people
from stats.services.titles import TooManyTitlesError, change_title, create_title, set_withdrawn
from stats.tables.period_switch import period_switch
from stats.tables.titles import MISSING, title_card


@require_safe
@in_league()
@published
def index(request: HttpRequest, league: League) -> HttpResponse:
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
        "titles": [title_card(title, named) for title in titles],
    }
    return render(request, "stats/titles/index.html", context)


@require_safe
@in_league(MANAGE)
def own(request: HttpRequest, league: League) -> HttpResponse:
    titles = [(title, METRIC_NAMES[title.metric]) for title in OwnTitle.objects.filter(league=league).order_by("pk")]
    return render(request, "stats/titles/own.html", {"league": league, "titles": titles})


@in_league(MANAGE)
def new(request: HttpRequest, league: League) -> HttpResponse:
    form = TitleForm(request.POST or None)
    if form.is_valid():
        try:
            create_title(league=league, values=form.values(), by=actor(request))
        except TooManyTitlesError:
            form.add_error(None, _("The league has reached its limit of custom titles."))
        else:
            messages.success(request, _("The title was added and also applies to past months and years."))
            return redirect("stats:own_titles", league.slug)
    return render(request, "stats/titles/form.html", {"league": league, "form": form, "own_title": None})


@in_league(MANAGE)
def edit(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    title = get_object_or_404(to_be_changed(request, OwnTitle.objects.filter(league=league), pk), pk=pk)
    form = TitleForm(request.POST or None, title=title)
    if form.is_valid():
        changed = change_title(title=title, values=form.values(), reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("The title was changed.") if changed else _("No changes."))
        return redirect("stats:own_titles", league.slug)
    return render(request, "stats/titles/form.html", {"league": league, "form": form, "own_title": title})


@in_league(MANAGE)
def withdraw(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    title = get_object_or_404(to_be_changed(request, OwnTitle.objects.filter(league=league), pk), pk=pk)
    form = WithdrawForm(request.POST or None)
    if form.is_valid():
        withdrawn = request.POST.get("do") == "withdraw"
        set_withdrawn(title=title, withdrawn=withdrawn, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("The title was withdrawn.") if withdrawn else _("The title will be awarded again."))
        return redirect("stats:own_titles", league.slug)
    return render(request, "stats/titles/withdraw.html", {"league": league, "form": form, "own_title": title})
