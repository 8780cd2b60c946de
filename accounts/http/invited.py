from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Invitation
from accounts.services.invitations import invitation_of, is_open, join_by
from league.http.access import actor
from league.http.codes import GUESSES, LINK_HEADERS
from league.http.ended_links import busy
from league.http.rate_limits import address_of
from league.messages import exact_name
from league.permissions import MAY

KEPT_AS = "invitation"

INVITATION_HEADERS = LINK_HEADERS | {"Referrer-Policy": "same-origin"}
"""Headers that keep an invitation's URL from other sites, caches and search engines."""


def came_with(request: HttpRequest) -> str:
    """Return the invitation code of the session, or "" if there is none or it no longer works."""
    code = kept_code(request)
    invitation = invitation_of(code) if code else None
    return code if invitation is not None and is_open(invitation, timezone.now()) else ""


def kept_code(request: HttpRequest) -> str:
    """Return the last invitation code of the session, valid or not."""
    return str(request.session.get(KEPT_AS, ""))


def keep(request: HttpRequest, code: str) -> None:
    if kept_code(request) != code:
        request.session[KEPT_AS] = code


def forget(request: HttpRequest) -> None:
    request.session.pop(KEPT_AS, None)


def not_open(request: HttpRequest, invitation: Invitation | None, text: str) -> HttpResponse:
    """Respond to an invalid code. The response does not reveal the reason; unknown codes count as attempts."""
    if invitation is None and not GUESSES.use(address_of(request)):
        return busy(request)
    return render(request, "accounts/invitations/ended.html", {"text": text}, status=404)


def may_sign_up(request: HttpRequest) -> bool:
    return settings.SIGNUP or bool(came_with(request))


def let_in(request: HttpRequest, invitation: Invitation, user: User) -> None:
    """Make the user a member and say so. Raise WayInError if the invitation does not allow it."""
    join_by(invitation=invitation, user=user, by=actor(request), now=timezone.now())
    messages.success(request, _("Welcome to %(league)s.") % {"league": exact_name(invitation.league)})
    member = invitation.league.members.get(user=user)
    if not MAY[member.role] >= MAY[invitation.role]:
        text = _("You keep the role of %(role)s. An owner of the league can change it.")
        messages.info(request, text % {"role": member.get_role_display()})
