"""Pages that open with a code in their URL, without log-in, cookie or CSRF token."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from league.http.idempotent import answer_again
from league.models import League
from league.services.attempts import TryLimit

LINK_HEADERS = {"Referrer-Policy": "no-referrer", "Cache-Control": "private, no-store", "X-Robots-Tag": "noindex"}
"""Keep the secret URL from other sites, shared caches and search engines."""

GUESSES = TryLimit("code-guesses", tries=30, seconds=600)
"""Wrong codes per IP address; valid codes are still accepted when it is used up."""

View = Callable[..., HttpResponse]
Opened = tuple[League, Any] | HttpResponse
"""What a code opens, with its league, or the response to one that opens nothing."""


def by_code(
    permission: str,
    opened: Callable[[HttpRequest, str], Opened],
    missing: Callable[[HttpRequest], HttpResponse] | None = None,
) -> Callable[[View], View]:
    """Return a decorator for views that get what `opened` finds for the code.

    `permission`: marker of these views; `missing`: response if the view raises Http404.
    """

    def decorate(view: View) -> View:
        @csrf_exempt
        @wraps(view)
        def guarded(request: HttpRequest, token: str, *args: Any, **kwargs: Any) -> HttpResponse:
            setattr(request, "is_private", True)  # noqa: B010 - no such field
            found = opened(request, token)
            if isinstance(found, HttpResponse):
                answer = found
            else:
                league, thing = found
                with timezone.override(league.time_zone):
                    try:
                        answer = answer_again(request, lambda: view(request, thing, *args, **kwargs))
                    except Http404:
                        if missing is None:
                            raise
                        answer = missing(request)
            for name, value in LINK_HEADERS.items():
                answer.headers.setdefault(name, value)
            return answer

        guarded.permission = permission  # type: ignore[attr-defined]
        return guarded

    return decorate
