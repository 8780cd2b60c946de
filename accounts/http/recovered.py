"""Whether somebody came in by a recovery code just now, and so may choose a password without the old one."""

import time

from django.http import HttpRequest

KEPT_AS = "recovered"
SECONDS = 15 * 60


def note_recovery(request: HttpRequest) -> None:
    """Remember that a recovery code was used on this device."""
    request.session[KEPT_AS] = time.time()


def has_recovered(request: HttpRequest) -> bool:
    at = request.session.get(KEPT_AS, 0)
    return isinstance(at, int | float) and time.time() - at < SECONDS


def forget_recovery(request: HttpRequest) -> None:
    """Forget it: a code stands in for the password once."""
    request.session.pop(KEPT_AS, None)
