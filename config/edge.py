"""What an edge before the site may hand to others: for a moment, and only what everybody reads who brings nothing of their own.

An answer is shared where a view says that it is everybody's (`league/http/everybodys.py`) and the request brought nothing
that could make it somebody's. Everything else stays as `config/keeping.py` says: private. docs/adr/0067 has the reasons.
"""

from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse

FRESH = 2
"""Seconds for which an edge hands out what it has without asking."""

WHILE_ASKING = 10
"""Seconds after these in which it hands that out to all who come while one of them has it ask.

As long as an edge keeps what nobody asks for (`inactive` in docs/edge/nginx.conf): afterwards one asks and the others wait for
the answer. With less, all of a crowd that comes in between would be let through to the site.
"""

WITHOUT_ANSWER = 10
"""Seconds after these in which it does so where the site does not answer."""

FOR_A_MOMENT = f"s-maxage={FRESH}, stale-while-revalidate={WHILE_ASKING}, stale-if-error={WITHOUT_ANSWER}"
SHARED = f"public, max-age=0, {FOR_A_MOMENT}"

SAID = ({"private", "no-cache"}, {"public", "max-age"})
"""What a view says of an answer that may become shared: asked about each time, or a picture for good."""

SOMEBODYS = ("HTTP_COOKIE", "HTTP_AUTHORIZATION", "HTTP_HX_REQUEST", "HTTP_RANGE")
"""What makes an answer somebody's, or another one than that of the address."""


class EdgeMiddleware:
    """Says of answers that are everybody's that an edge may keep them for a moment; stands before whatever knows people."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.EDGE:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the answer, with what an edge may do with it where it may do anything."""
        brings_nothing = request.method in {"GET", "HEAD"} and not any(request.META.get(name) for name in SOMEBODYS)
        setattr(request, "brings_nothing", brings_nothing)  # noqa: B010 - a request has no such field
        response = self.get_response(request)
        if brings_nothing and (_is_everybodys(request, response) or _is_refusal(request, response)):
            said = response.headers["Cache-Control"]
            # A picture is for good in a browser, which asked for it by its version.
            response.headers["Cache-Control"] = f"{said}, {FOR_A_MOMENT}" if said.startswith("public") else SHARED
            # The session was asked who reads, and there was none.
            response.headers["Vary"] = "Accept-Encoding"
        return response


def _is_everybodys(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether the view says so, and nothing else says otherwise."""
    return (
        getattr(response, "is_everybodys", False)
        and not getattr(request, "is_private", False)
        and not response.cookies
        and not request.META.get("CSRF_COOKIE_NEEDS_UPDATE", False)
        and response.status_code in {HTTPStatus.OK, HTTPStatus.FOUND, HTTPStatus.NOT_MODIFIED}
        and _varies_by(response) <= {"cookie", "accept-encoding"}
        and any(words <= _words(response) for words in SAID)
        and "no-store" not in _words(response)
    )


def _is_refusal(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether there is nothing here for whoever brings nothing: it takes the place of what was here before.

    An edge does not throw away what it has because of an answer that it may not keep. So what became private would be
    shown once more when the site is away.
    """
    is_missing = response.status_code == HTTPStatus.NOT_FOUND and getattr(request, "is_private", None) is False
    return (is_missing or getattr(request, "is_refused", False)) and not response.cookies


def _varies_by(response: HttpResponse) -> set[str]:
    return {name.strip().lower() for name in response.headers.get("Vary", "").split(",") if name.strip()}


def _words(response: HttpResponse) -> set[str]:
    """Return the words of Cache-Control without their numbers."""
    return {word.partition("=")[0].strip() for word in response.headers.get("Cache-Control", "").split(",")}
