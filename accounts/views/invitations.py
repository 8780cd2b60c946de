"""Organisers' pages for invitations: create, show as link and QR code, revoke."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.core.limits import MAX_LABEL_LENGTH
from accounts.forms.invitations import InvitationForm
from accounts.messages.ways_in import way_in_sentence
from accounts.models import Invitation
from accounts.permissions import roles_to_give
from accounts.services.invitations import WayInError, invite, is_open, player_of, revoke_invitation
from league.core.numbers import small_number
from league.http.access import actor, in_league
from league.http.for_others import address_for_others
from league.http.reauthentication import LEADING, freshly_logged_in, gives_power
from league.messages import plain_name
from league.models import League, Player
from league.permissions import MANAGE
from league.services.secret_links import secret_of

ENDED_SHOWN = 20


@dataclass(frozen=True, slots=True)
class InvitationLine:
    """An invitation with the users who joined. `may_share`: whether the user may see its link."""

    invitation: Invitation
    player: Player | None
    is_open: bool
    may_share: bool
    guests: tuple[str, ...]


@never_cache
@in_league(MANAGE)
@freshly_logged_in(gives_power)
def index(request: HttpRequest, league: League) -> HttpResponse:
    roles = roles_to_give(request.user, league)
    form = InvitationForm(request.POST or None, league=league, roles=roles, initial=_asked(request))
    if form.is_valid():
        try:
            made = invite(league=league, wanted=form.wanted(), by=actor(request))
        except WayInError as error:
            form.add_error(None, way_in_sentence(error.code, error.values))
        else:
            return redirect("accounts:invitation", league.slug, made.pk)
    lines = _lines(request, league, league.invitations.all())
    page = {
        "league": league,
        "heading": _("Invitations"),
        "form": form,
        "open": [line for line in lines if line.is_open],
        "ended": [line for line in lines if not line.is_open][:ENDED_SHOWN],
    }
    return render(request, "accounts/invitations/index.html", page)


def _asked(request: HttpRequest) -> dict[str, object]:
    asked: dict[str, object] = {"label": request.GET.get("label", "")[:MAX_LABEL_LENGTH]}
    if player := small_number(request.GET.get("player", ""), 0):
        asked["player"] = player
    if role := request.GET.get("role", ""):
        asked["role"] = role
    return asked


def _lines(request: HttpRequest, league: League, invitations: QuerySet[Invitation]) -> list[InvitationLine]:
    found = list(invitations.select_related("player__merged_into", "created_by"))
    users = User.objects.filter(pk__in={pk for each in found for pk in each.used_by})
    names = dict(users.values_list("pk", "username"))
    return [_line(request, league, each, names) for each in found]


def _line(request: HttpRequest, league: League, invitation: Invitation, names: Mapping[int, str]) -> InvitationLine:
    invitation.league = league
    guests = tuple(names[pk] for pk in invitation.used_by if pk in names)
    may_share = invitation.role in roles_to_give(request.user, league)
    return InvitationLine(invitation, player_of(invitation), is_open(invitation, timezone.now()), may_share, guests)


@never_cache
@require_safe
@in_league(MANAGE)
def detail(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Show an invitation for sharing: link, QR code, and a message text."""
    found = _lines(request, league, league.invitations.filter(pk=pk))
    if not found:
        raise Http404
    (line,) = found
    leads = line.is_open and line.invitation.role in LEADING
    return _shown_when_fresh(request, line) if leads else _shown(request, line)


def _shown(request: HttpRequest, line: InvitationLine) -> HttpResponse:
    league = line.invitation.league
    code = secret_of(line.invitation) if line.is_open and line.may_share else ""
    address = address_for_others(request, reverse("accounts:join", args=[code])) if code else ""
    text = _("You are invited to %(league)s. Open this link to join.") % {"league": plain_name(league)}
    page = {"league": league, "line": line, "address": address, "share": f"{text}\n{address}"}
    return render(request, "accounts/invitations/detail.html", page)


# Require a recent log-in, so that an unattended device cannot be used to hand out the owner role.
_shown_when_fresh = freshly_logged_in()(_shown)


@require_POST
@in_league(MANAGE)
def revoke(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    revoke_invitation(invitation=get_object_or_404(league.invitations, pk=pk), by=actor(request))
    messages.success(request, _("The invitation was revoked and no longer works."))
    return redirect("accounts:invitations", league.slug)
