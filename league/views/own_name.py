"""A person decides who reads their own name."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from league.forms.visibility import VisibilityForm
from league.http.access import actor, in_league, login_first, to_be_changed
from league.models import League, Player
from league.permissions import may_erase, may_show_name
from league.services.people import show_name_to


@in_league()
def own_name(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Choose who reads a name: whoever bears it does, or an organiser for them."""
    player = get_object_or_404(to_be_changed(request, league.players.filter(merged_into=None), pk), pk=pk)
    if not request.user.is_authenticated:
        return login_first(request)
    if not may_show_name(request.user, player, league):
        raise PermissionDenied(_("Only whoever bears this name and organisers choose who reads it."))
    form = VisibilityForm(request.POST or None, initial={"visibility": player.visibility})
    if form.is_valid():
        visibility = Player.Visibility(form.cleaned_data["visibility"])
        show_name_to(player=player, visibility=visibility, by=actor(request))
        messages.success(request, _("Your choice holds from now on, on every page and in every file."))
        return redirect(settings.PLAYER_PAGE, league.slug, player.pk)
    page = {"league": league, "player": player, "form": form, "may_erase": may_erase(request.user, player, league)}
    return render(request, "league/people/own_name.html", page)
