"""How somebody without a password shows that it is still they: by a fresh log-in, or by their passkey once more."""

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from django.contrib.auth.models import User
from django.http import HttpRequest

from league.http.fresh import is_stale


def ways_to_prove(request: HttpRequest, user: User) -> list[dict[str, str]]:
    """Return where somebody shows once more that it is they: the words and the address of each way."""
    ways: list[dict[str, str]] = get_adapter(request).get_reauthentication_methods(user)
    return ways


def is_proven(request: HttpRequest, user: User) -> bool:
    """Return whether whoever is there has shown lately who they are: by the clock of everything dangerous."""
    if not is_stale(request):
        return True
    # Who has nothing to show once more would pass as somebody who did.
    return bool(ways_to_prove(request, user)) and did_recently_reauthenticate(request)
