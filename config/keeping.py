"""What browsers and caches on the way may keep of an answer. A view that says so itself knows better; else nothing private.

Nothing is kept of a private league, of a page with a form, and of what somebody reads who is logged in, unless the page
says that it is public and has a tag by which it is asked about each time (docs/adr/0038).
"""

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse

NOT_AT_ALL, ASK_EACH_TIME = "private, no-store", "private, no-cache"


class KeepingMiddleware:
    """Says of every answer what may be kept of it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the answer with its Cache-Control."""
        response = self.get_response(request)
        if not response.has_header("Cache-Control"):
            response.headers["Cache-Control"] = NOT_AT_ALL if _is_personal(request, response) else ASK_EACH_TIME
        elif getattr(request, "is_private", False) and not _is_picture(response):
            response.headers["Cache-Control"] = NOT_AT_ALL
        return response


def _is_personal(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether somebody's own is in the answer: who is logged in, what a form sends, what a league hides."""
    return (
        getattr(request, "is_private", False)
        or settings.SESSION_COOKIE_NAME in request.COOKIES
        # The token of a form is asked for by one of the two, depending on who guards the view.
        or request.META.get("CSRF_COOKIE_NEEDS_UPDATE", False)
        or bool(response.cookies)
        or request.method not in {"GET", "HEAD"}
        or response.status_code != HTTPStatus.OK
    )


def _is_picture(response: HttpResponse) -> bool:
    """Return whether it is a picture, which is asked about by its tag: no phone should fetch each photo again and again."""
    return response.headers.get("Content-Type", "").startswith("image/")
