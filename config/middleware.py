import re
from collections.abc import Callable
from http import HTTPStatus
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from django.utils import translation

NOT_AT_ALL, ASK_EACH_TIME = "private, no-store", "private, no-cache"

FRESH = 2
"""Seconds for which an edge serves a cached page without revalidation."""

WHILE_ASKING = 10
"""Seconds after FRESH in which an edge serves the stale page while one request revalidates it.

As long as an edge keeps unused entries (`inactive` in docs/edge/nginx.conf). With a smaller value, all visitors'
requests would reach the site at once.
"""

WITHOUT_ANSWER = 10
"""Seconds after FRESH in which an edge serves the stale page if the site does not respond."""

FOR_A_MOMENT = f"s-maxage={FRESH}, stale-while-revalidate={WHILE_ASKING}, stale-if-error={WITHOUT_ANSWER}"
SHARED = f"public, max-age=0, {FOR_A_MOMENT}"

SAID = ({"private", "no-cache"}, {"public", "max-age"})
"""Cache-Control directives of views with shared responses: revalidated, or an immutable picture."""

SOMEBODYS = ("HTTP_COOKIE", "HTTP_AUTHORIZATION", "HTTP_HX_REQUEST", "HTTP_RANGE")
"""Request headers that can make a response personal."""


class SiteMiddleware:
    """Sets the visitor's address and language of a request and the cache headers of the response.

    Only the URL determines the language: `/` is Japanese, `/en/` English. Django's LocaleMiddleware would also use a
    cookie and Accept-Language, so that shared links could open in another language.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if address := visitor_of(request.META.get("HTTP_X_FORWARDED_FOR", ""), settings.PROXIES):
            request.META["REMOTE_ADDR"] = address
        language = translation.get_language_from_path(request.path_info) or settings.LANGUAGE_CODE
        with translation.override(language):
            request.LANGUAGE_CODE = language
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        _say_what_is_kept(request, response)
        return response


def visitor_of(forwarded: str, proxies: int) -> str:
    """Return the client address reported by the outermost of these proxies, or "" if it is missing or invalid."""
    said = [part.strip() for part in forwarded.split(",")]
    if not 0 < proxies <= len(said):
        return ""
    try:
        return str(ip_address(said[-proxies]))
    except ValueError:
        return ""


def _brings_nothing(request: HttpRequest) -> bool:
    """Return whether the request has none of the headers that can make a response personal."""
    return request.method in {"GET", "HEAD"} and not any(request.META.get(name) for name in SOMEBODYS)


def _say_what_is_kept(request: HttpRequest, response: HttpResponse) -> None:
    """Set Cache-Control unless the view did: private by default.

    Private leagues, pages with forms and pages of logged-in users are not stored unless the page is public and has an
    ETag. Responses that depend only on URL and language (`league/http/caching.py`) may be shared by an edge
    (docs/adr/0067).
    """
    if not response.has_header("Cache-Control"):
        response.headers["Cache-Control"] = NOT_AT_ALL if _is_personal(request, response) else ASK_EACH_TIME
    # Pictures are revalidated by ETag, so that phones do not reload every photo.
    elif getattr(request, "is_private", False) and not response.headers.get("Content-Type", "").startswith("image/"):
        response.headers["Cache-Control"] = NOT_AT_ALL
    is_shared = settings.EDGE and _brings_nothing(request)
    if is_shared and (_is_everybodys(request, response) or _is_refusal(request, response)):
        said = response.headers["Cache-Control"]
        # Browsers may keep a picture forever, because its URL contains a version.
        response.headers["Cache-Control"] = f"{said}, {FOR_A_MOMENT}" if said.startswith("public") else SHARED
        # The view varies on Cookie because it read the session, but requests with cookies never get here.
        response.headers["Vary"] = "Accept-Encoding"


def _is_personal(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether the response depends on the user: log-in, form tokens, or private leagues."""
    return (
        getattr(request, "is_private", False)
        or settings.SESSION_COOKIE_NAME in request.COOKIES
        # Set when the CSRF token is used, by either the middleware or the decorator.
        or request.META.get("CSRF_COOKIE_NEEDS_UPDATE", False)
        or bool(response.cookies)
        or request.method not in {"GET", "HEAD"}
        or response.status_code != HTTPStatus.OK
    )


def _is_everybodys(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether the view marked the response as shared and nothing makes it personal."""
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
    """Return whether an anonymous visitor is refused, in which case the response must replace a cached page.

    nginx keeps its copy when it receives an uncacheable response, so a page that became private would reappear while
    the site is down.
    """
    is_missing = response.status_code == HTTPStatus.NOT_FOUND and getattr(request, "is_private", None) is False
    return (is_missing or getattr(request, "is_refused", False)) and not response.cookies


def _varies_by(response: HttpResponse) -> set[str]:
    return {name.strip().lower() for name in response.headers.get("Vary", "").split(",") if name.strip()}


def _words(response: HttpResponse) -> set[str]:
    """Return the directives of Cache-Control without their values."""
    return {word.partition("=")[0].strip() for word in response.headers.get("Cache-Control", "").split(",")}


TEXT = re.compile(r"text/|image/svg|application/(?:json|javascript|xml|[\w.-]+\+(?:json|xml))(?:;|$)")
"""Media types worth compressing. Photos, workbooks and PDF files are already compressed."""

WEAK = re.compile(r'\bW/(?=")')
"""Prefix of a weak ETag: same content, possibly a different encoding."""


class TextCompressionMiddleware(GZipMiddleware):
    """Compresses complete text responses, with random padding against BREACH."""

    def process_request(self, request: HttpRequest) -> None:
        """Make the comparison of If-None-Match weak, which WhiteNoise does not do."""
        if known := request.META.get("HTTP_IF_NONE_MATCH"):
            request.META["HTTP_IF_NONE_MATCH"] = WEAK.sub("", known)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress the response. Partial responses are left alone, because their ranges count uncompressed bytes."""
        is_whole = response.status_code != 206 and request.method != "HEAD"
        if is_whole and TEXT.match(response.headers.get("Content-Type", "")):
            return super().process_response(request, response)
        return response
