"""How somebody without a password shows that it is still they: by a log-in of a moment ago, or by their passkey once more."""

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils import timezone

LOGGED_IN_AT = "logged_in_at"
FRESH = 10 * 60
"""Seconds for which a log-in says who is there."""


def note_log_in(request: HttpRequest) -> None:
    """Remember in the session that somebody has just logged in, by whatever they did."""
    request.session[LOGGED_IN_AT] = int(timezone.now().timestamp())


def ways_to_prove(request: HttpRequest, user: User) -> list[dict[str, str]]:
    """Return where somebody shows once more that it is they: the words and the address of each way."""
    ways: list[dict[str, str]] = get_adapter(request).get_reauthentication_methods(user)
    return ways


def is_proven(request: HttpRequest, user: User) -> bool:
    """Return whether whoever is there has shown within minutes who they are."""
    since = request.session.get(LOGGED_IN_AT)
    if isinstance(since, int) and 0 <= int(timezone.now().timestamp()) - since <= FRESH:
        return True
    # Who has nothing to show once more would pass as somebody who did.
    return bool(ways_to_prove(request, user)) and did_recently_reauthenticate(request)
