from datetime import datetime, timedelta

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from league.forms.erasing import ErasingForm
from league.http.access import actor, in_league, login_first
from league.http.reauthentication import freshly_logged_in, when_sent
from league.messages import plain_name
from league.messages.people import people_sentence
from league.models import League, Player, Revision
from league.permissions import OWN, may_erase
from league.services.erasing.person import erase_player, everyone_of, is_erased, names_of, number_name, number_romanised
from league.services.erasing.uploads import files_with, photos_of
from league.services.people import PeopleError


@in_league()
def erase(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    player = get_object_or_404(league.players.select_related("merged_into"), pk=pk)
    if not request.user.is_authenticated:
        return login_first(request)
    if not may_erase(request.user, player, league):
        raise PermissionDenied(_("Only the person with this name and owners of the league can erase it."))
    if is_erased(player):
        messages.info(request, _("This name was already erased."))
        return redirect(settings.PLAYER_PAGE, league.slug, player.pk)
    return _ask(request, league, player)


@freshly_logged_in(when_sent)
def _ask(request: HttpRequest, league: League, player: Player) -> HttpResponse:
    people = everyone_of(player)
    photos = photos_of(league, people)
    chosen = photos if request.user.has_perm(OWN, league) else []
    form = ErasingForm(request.POST or None, player=player, photos=chosen)
    waits_until = None if request.user.has_perm(OWN, league) else waits_to_erase(player)
    number = plain_name(Player(name=number_name(player), romanised=number_romanised(player)))
    if waits_until and form.is_bound:
        text = _("Your account was linked to this player only recently. Ask an owner of the league, or wait a while.")
        form.add_error(None, text)
    if form.is_valid():
        try:
            erase_player(player=player, asked=form.asked(), by=actor(request))
        except PeopleError as error:
            form.add_error(None, people_sentence(error.code, error.values))
        else:
            text = _("The name was erased from this league. Results remain under %(number)s.")
            messages.success(request, text % {"number": number})
            return redirect(settings.PLAYER_PAGE, league.slug, player.pk)
    page = {"league": league, "player": player, "form": form, "photos": photos, "number": number}
    files = files_with(league, names_of(people))
    return render(request, "league/people/erase.html", page | {"files": files, "waits_until": waits_until})


BORNE = timedelta(days=14)
"""Age of the link between account and player before the account may erase the player's name.

A wrong link can be undone, an erased name cannot; the delay lets others notice a wrong link.
"""


def waits_to_erase(player: Player) -> datetime | None:
    """Return until when the player's account has to wait; None if it need not, or the time of the link is unknown."""
    changes = Revision.objects.filter(league=player.league_id, subject="player", subject_id=player.pk)
    linked = changes.filter(after__has_key="user")
    last = linked.filter(at__gt=timezone.now() - BORNE).order_by("-pk").values_list("at", flat=True).first()
    return last + BORNE if last else None
