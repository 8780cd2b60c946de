"""A league's own titles: organisers make, change and withdraw them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from league.forms.manage import WithdrawForm
from league.http.access import actor, in_league, to_be_changed
from league.models import League
from league.permissions import MANAGE
from stats.forms.titles import TitleForm
from stats.messages.titles import METRIC_NAMES
from stats.models import OwnTitle
from stats.services.titles import TooManyTitlesError, change_title, create_title, set_withdrawn


@require_safe
@in_league(MANAGE)
def index(request: HttpRequest, league: League) -> HttpResponse:
    """List the league's own titles, those that are withdrawn too."""
    titles = [(title, METRIC_NAMES[title.metric]) for title in OwnTitle.objects.filter(league=league).order_by("pk")]
    return render(request, "stats/titles/own.html", {"league": league, "titles": titles})


@in_league(MANAGE)
def new(request: HttpRequest, league: League) -> HttpResponse:
    """Make a title."""
    form = TitleForm(request.POST or None)
    if form.is_valid():
        try:
            create_title(league=league, facts=form.facts(), by=actor(request))
        except TooManyTitlesError:
            form.add_error(None, _("The league has as many titles of its own as it can have."))
        else:
            messages.success(request, _("The title is given from now on, also for months and years that are over."))
            return redirect("stats:own_titles", league.slug)
    return render(request, "stats/titles/form.html", {"league": league, "form": form, "own_title": None})


@in_league(MANAGE)
def edit(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Change what a title is called or given for, with a reason."""
    title = get_object_or_404(to_be_changed(request, OwnTitle.objects.filter(league=league), pk), pk=pk)
    form = TitleForm(request.POST or None, title=title)
    if form.is_valid():
        changed = change_title(title=title, facts=form.facts(), reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("The title was changed.") if changed else _("Nothing was changed."))
        return redirect("stats:own_titles", league.slug)
    return render(request, "stats/titles/form.html", {"league": league, "form": form, "own_title": title})


@in_league(MANAGE)
def withdraw(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Give a title no more, or again, with a reason."""
    title = get_object_or_404(to_be_changed(request, OwnTitle.objects.filter(league=league), pk), pk=pk)
    form = WithdrawForm(request.POST or None)
    if form.is_valid():
        withdrawn = request.POST.get("do") == "withdraw"
        set_withdrawn(title=title, withdrawn=withdrawn, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(
            request, _("The title is not given any more.") if withdrawn else _("The title is given again.")
        )
        return redirect("stats:own_titles", league.slug)
    return render(request, "stats/titles/withdraw.html", {"league": league, "form": form, "own_title": title})
