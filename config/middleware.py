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
"""Seconds in which an edge serves a cached page without asking."""

WHILE_ASKING = 10
"""Seconds after these in which it serves the cached page while one request asks.

As long as an edge keeps unused entries (`inactive` in docs/edge/nginx.conf). With less, a whole crowd would reach the
site.
"""

WITHOUT_ANSWER = 10
"""Seconds after these in which it does so where the site does not answer."""

FOR_A_MOMENT = f"s-maxage={FRESH}, stale-while-revalidate={WHILE_ASKING}, stale-if-error={WITHOUT_ANSWER}"
SHARED = f"public, max-age=0, {FOR_A_MOMENT}"

SAID = ({"private", "no-cache"}, {"public", "max-age"})
"""A view's cache policy for shared responses: revalidated, or an immutable picture."""

SOMEBODYS = ("HTTP_COOKIE", "HTTP_AUTHORIZATION", "HTTP_HX_REQUEST", "HTTP_RANGE")
"""Request headers that make a response personal."""


class SiteMiddleware:
    """Sets the visitor's address and language of a request and the cache headers of the response.

    Only the address decides the language: `/` is Japanese, `/en/` English. Django's middleware would also use a cookie
    and Accept-Language, so that shared links could open in another language.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the answer with its language and its Cache-Control."""
        if address := visitor_of(request.META.get("HTTP_X_FORWARDED_FOR", ""), settings.PROXIES):
            request.META["REMOTE_ADDR"] = address
        language = translation.get_language_from_path(request.path_info) or settings.LANGUAGE_CODE
        with translation.override(language):
            request.LANGUAGE_CODE = language
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        _say_what_is_kept(request, response)
        return response


# --- Who asks --------------------------------------------------------------------------------------------------------


def visitor_of(forwarded: str, proxies: int) -> str:
    """Return the address reported by the first of these proxies, or ""."""
    said = [part.strip() for part in forwarded.split(",")]
    if not 0 < proxies <= len(said):
        return ""
    try:
        return str(ip_address(said[-proxies]))
    except ValueError:
        return ""


def _brings_nothing(request: HttpRequest) -> bool:
    """Return whether the request has no cookies, authorisation or similar that could personalise the response."""
    return request.method in {"GET", "HEAD"} and not any(request.META.get(name) for name in SOMEBODYS)


# --- Who may cache the response --------------------------------------------------------------------------------------


def _say_what_is_kept(request: HttpRequest, response: HttpResponse) -> None:
    """Set Cache-Control unless the view did: private by default.

    Private leagues, pages with forms and pages of logged-in users are not stored unless the page is public and has an
    ETag. Responses that depend only on address and language (`league/http/caching.py`) may be shared by an edge
    (docs/adr/0067).
    """
    if not response.has_header("Cache-Control"):
        response.headers["Cache-Control"] = NOT_AT_ALL if _is_personal(request, response) else ASK_EACH_TIME
    elif getattr(request, "is_private", False) and not _is_picture(response):
        response.headers["Cache-Control"] = NOT_AT_ALL
    is_shared = settings.EDGE and _brings_nothing(request)
    if is_shared and (_is_everybodys(request, response) or _is_refusal(request, response)):
        said = response.headers["Cache-Control"]
        # Browsers may keep a picture forever, as its address has a version.
        response.headers["Cache-Control"] = f"{said}, {FOR_A_MOMENT}" if said.startswith("public") else SHARED
        # The session was asked who reads, and there was none.
        response.headers["Vary"] = "Accept-Encoding"


def _is_personal(request: HttpRequest, response: HttpResponse) -> bool:
    """Return whether the response depends on the user: log-in, form tokens, or private leagues."""
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
    """Return whether an anonymous visitor gets a refusal, which has to replace a cached page.

    nginx keeps its copy when it receives an uncacheable response, so a page that became private would reappear while
    the site is down.
    """
    is_missing = response.status_code == HTTPStatus.NOT_FOUND and getattr(request, "is_private", None) is False
    return (is_missing or getattr(request, "is_refused", False)) and not response.cookies


def _varies_by(response: HttpResponse) -> set[str]:
    return {name.strip().lower() for name in response.headers.get("Vary", "").split(",") if name.strip()}


def _words(response: HttpResponse) -> set[str]:
    """Return the words of Cache-Control without their numbers."""
    return {word.partition("=")[0].strip() for word in response.headers.get("Cache-Control", "").split(",")}


# --- Compressed ------------------------------------------------------------------------------------------------------

TEXT = re.compile(r"text/|image/svg|application/(?:json|javascript|xml|[\w.-]+\+(?:json|xml))(?:;|$)")
"""Media types that become smaller. Photos, workbooks and PDF files are compressed in themselves."""

WEAK = re.compile(r'\bW/(?=")')
"""Prefix of a weak ETag: same content, perhaps encoded differently."""


class TextCompressionMiddleware(GZipMiddleware):
    """Compresses complete text responses, with random padding against BREACH."""

    def process_request(self, request: HttpRequest) -> None:
        """Make If-None-Match comparisons weak, which WhiteNoise does not do."""
        if known := request.META.get("HTTP_IF_NONE_MATCH"):
            request.META["HTTP_IF_NONE_MATCH"] = WEAK.sub("", known)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Return the answer compressed. Parts of a file stay as they are: their numbers count its own bytes."""
        is_whole = response.status_code != 206 and request.method != "HEAD"
        if is_whole and TEXT.match(response.headers.get("Content-Type", "")):
            return super().process_response(request, response)
        return response
