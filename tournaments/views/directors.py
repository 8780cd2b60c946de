"""Who directs a tournament: given and taken by the organisers of its league."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from league.http.access import actor, in_league
from league.models import League
from league.permissions import MANAGE
from tournaments.forms.directors import DirectorForm
from tournaments.http.access import tournament_or_404
from tournaments.http.pages import page
from tournaments.models import Tournament
from tournaments.services.directors import make_director, remove_director


@in_league(MANAGE)
def directors(request: HttpRequest, league: League, key: str) -> HttpResponse:
    """Show who directs the tournament, and make somebody its director."""
    tournament = tournament_or_404(league, key)
    form = DirectorForm(request.POST or None, tournament=tournament)
    if form.is_valid():
        member = form.cleaned_data["member"]
        make_director(tournament=tournament, membership=member, by=actor(request))
        messages.success(request, _("%(name)s directs the tournament now.") % {"name": member.user.get_username()})
        return _back(tournament)
    listed = tournament.directors.select_related("membership__user")
    return page(request, tournament, "directors", {"form": form, "directors": listed})


@require_POST
@in_league(MANAGE)
def remove(request: HttpRequest, league: League, key: str, pk: int) -> HttpResponse:
    tournament = tournament_or_404(league, key)
    found = get_object_or_404(tournament.directors.select_related("tournament__league", "membership__user"), pk=pk)
    remove_director(director=found, by=actor(request))
    name = found.membership.user.get_username()
    messages.success(request, _("%(name)s does not direct the tournament any more.") % {"name": name})
    return _back(tournament)


def _back(tournament: Tournament) -> HttpResponse:
    return redirect("tournaments:directors", tournament.league.slug, tournament.key)
