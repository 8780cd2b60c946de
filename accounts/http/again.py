"""Confirming an identity before sensitive actions, and remembering log-ins by recovery code."""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

from allauth.account.decorators import reauthentication_required
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from league.http.reauthentication import log_in_anew, must_log_in_anew

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


def asks_again(view: View) -> View:
    """Require the password or a passkey for a view's form, unless confirmed recently."""
    return _asking(view, shows_page=True)


def asks_first(view: View) -> View:
    return _asking(view, shows_page=False)


def _asking(view: View, *, shows_page: bool) -> View:
    asking = reauthentication_required(app="allauth.mfa", allow_get=shows_page)(view)

    @wraps(view)
    def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # allauth treats sessions without a login record as recent.
        if not (shows_page and request.method == "GET") and must_log_in_anew(request):
            return log_in_anew(request)
        answer: HttpResponseBase = asking(request, *args, **kwargs)
        return answer

    return cast("View", asked)


KEPT_AS = "recovered"
SECONDS = 15 * 60


def note_recovery(request: HttpRequest) -> None:
    """Remember in the session that the user logged in with a recovery code."""
    request.session[KEPT_AS] = time.time()


def has_recovered(request: HttpRequest) -> bool:
    at = request.session.get(KEPT_AS, 0)
    return isinstance(at, int | float) and time.time() - at < SECONDS


def forget_recovery(request: HttpRequest) -> None:
    request.session.pop(KEPT_AS, None)
