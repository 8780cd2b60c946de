"""The invitation that somebody came with, kept in their session until they are in."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Invitation
from accounts.services.invitations import invitation_of, is_open
from league.http.rate_limits import address_of
from league.services.attempts import TryLimit

KEPT_AS = "invitation"

GUESSES = TryLimit("invitation-guesses", tries=30, seconds=600)
"""Wrong codes from one address; right ones are never refused for them."""

INVITATION_HEADERS = {
    "Referrer-Policy": "same-origin",
    "Cache-Control": "private, no-store",
    "X-Robots-Tag": "noindex",
}
"""An address that lets people in goes to no other site, no cache and no search engine; its form tells where it was sent."""


def came_with(request: HttpRequest) -> str:
    """Return the code of the invitation that the visitor opened, empty without one or when it is open no more."""
    code = kept_code(request)
    invitation = invitation_of(code) if code else None
    return code if invitation is not None and is_open(invitation, timezone.now()) else ""


def kept_code(request: HttpRequest) -> str:
    """Return the code that the visitor opened last and has not used, whatever became of it."""
    return str(request.session.get(KEPT_AS, ""))


def keep(request: HttpRequest, code: str) -> None:
    """Remember a code while somebody signs up or logs in."""
    if kept_code(request) != code:
        request.session[KEPT_AS] = code


def forget(request: HttpRequest) -> None:
    """Forget the code: whoever brought it is in, or it opens nothing."""
    request.session.pop(KEPT_AS, None)


def not_open(request: HttpRequest, invitation: Invitation | None, text: str) -> HttpResponse:
    """Answer for a code that lets nobody in: the same for whatever reason, but that wrong ones are counted."""
    if invitation is None and not GUESSES.use(address_of(request)):
        text = _("Too many requests came from here. Please try again in a few minutes.")
        answer = render(request, "accounts/invitations/ended.html", {"text": text}, status=429)
        answer.headers["Retry-After"] = "60"
        return answer
    return render(request, "accounts/invitations/ended.html", {"text": text}, status=404)


def may_sign_up(request: HttpRequest) -> bool:
    """Return whether the visitor may make an account: with an invitation, or where the host lets everybody."""
    return settings.SIGNUP or bool(came_with(request))
