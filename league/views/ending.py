"""The page on which owners have their league deleted, and stop that."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from league.forms.ending import EndForm
from league.http.access import actor, in_league
from league.http.ending import has_taken
from league.http.reauthentication import freshly_logged_in
from league.models import League
from league.permissions import OWN
from league.services.ending import TooLateError, ask_to_end, keep_league


@never_cache
@in_league(OWN)
@freshly_logged_in()
def end(request: HttpRequest, league: League) -> HttpResponse:
    if request.method == "POST" and "keep" in request.POST:
        return _kept(request, league)
    taken = has_taken(request, league)
    form = EndForm(request.POST or None, league=league, has_file=taken)
    if form.is_valid():
        ask_to_end(league=league, by=actor(request))
        messages.warning(
            request, _("%(league)s will be deleted. Until then any owner can stop that.") % {"league": league}
        )
        return redirect("league:end", league.slug)
    return render(request, "league/ownership/end.html", {"league": league, "form": form, "has_file": taken})


def _kept(request: HttpRequest, league: League) -> HttpResponse:
    try:
        keep_league(league=league, by=actor(request))
    except TooLateError:
        messages.error(request, _("It is too late: the league is being deleted."))
        return redirect("league:home")
    messages.success(request, _("%(league)s stays.") % {"league": league})
    return redirect("league:league_home", league.slug)
