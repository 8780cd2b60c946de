"""Has each page of a league answered in the database in which the league lives, on sites that have several."""

import time
from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib.auth.models import User
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse

from league.databases import (
    AT_HOME,
    HOME,
    LeagueMovedError,
    ReadThere,
    Whereabouts,
    go_on_in,
    keep_here,
    working_in,
)
from league.selectors.places import place_of_address, place_of_secret
from league.services.copies import copy_person

T = TypeVar("T")

READING = frozenset({"GET", "HEAD"})

PAUSE, PAUSES = 0.1, 20
"""Seconds between two looks at where a league is that is just being moved, and how many there are."""

SECRETS = ("token", "secret", "code")
"""What pages call the secret in their address."""

LOGGING_IN = frozenset({"login", "logout"})
"""Pages of the admin that are of no league; all the others may be of any."""


class BeginningMiddleware:
    """Stands before everything: what belongs to the site alone, as sessions do, waits for no league that is being moved."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the answer; what is no page of a league stores nothing in one."""
        with working_in(HOME, None):
            return self.get_response(request)


class PlaceMiddleware:
    """Stands before the one that asks the standby: that one follows the home database alone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the answer; behind it nobody works in the league of the page any more."""
        with working_in(HOME, None):
            return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: tuple[Any, ...], named: dict[str, Any]
    ) -> HttpResponseBase | None:
        """Return the answer from where the league lives; None where the home database answers without more ado."""

        def answer(place: Whereabouts | None) -> HttpResponseBase | None:
            if place is not None and (place.database != HOME or request.method not in READING):
                return _answer(request, place, lambda: view(request, *args, **named))
            if place is not None:
                go_on_in(place.league)
            return None

        return _persevering(request, named, answer)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """Return the page from where a league lives now that was at home a moment ago; None for any other error."""
        match = request.resolver_match
        if match is None or request.method not in READING or not isinstance(error, LeagueMovedError):
            return None

        def answer(place: Whereabouts | None) -> HttpResponseBase | None:
            if place is None:
                return None
            return _answer(request, place, lambda: match.func(request, *match.args, **match.kwargs))

        return _persevering(request, match.kwargs, answer, anew=True)


def _persevering(
    request: HttpRequest, named: dict[str, Any], answer: Callable[[Whereabouts | None], T], *, anew: bool = False
) -> T:
    """Return what is answered where the league of a page lives, which is looked for anew while it is on its way.

    Raises LeagueMovedError when it has been so for too long.
    """
    for left in reversed(range(PAUSES + 1)):
        try:
            return answer(_place_of(request, named, anew=anew or left < PAUSES))
        except LeagueMovedError:
            if not left:
                raise
            time.sleep(PAUSE)
            _rewind(request)
    raise AssertionError


def _place_of(request: HttpRequest, named: dict[str, Any], *, anew: bool) -> Whereabouts | None:
    """Return where the league of a page lives; None for a page of no league. Raises LeagueMovedError."""
    match = request.resolver_match
    if match is not None and "admin" in match.app_names:
        return AT_HOME if match.url_name not in LOGGING_IN else None
    if "slug" in named:
        return place_of_address(named["slug"], anew=anew)
    secret = next((named[name] for name in SECRETS if name in named), "")
    return place_of_secret(match.view_name, secret, anew=anew) if secret and match else None


def _answer(request: HttpRequest, place: Whereabouts, view: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    with working_in(place.database, place.league):
        if place.database != HOME and request.method not in READING and isinstance(request.user, User):
            copy_person(request.user, place.database)
        answer = _kept_here(view) if place == AT_HOME and request.method not in READING else view()
        if hasattr(answer, "render"):
            answer = answer.render()
        if isinstance(answer, StreamingHttpResponse):
            answer.streaming_content = ReadThere(place, answer.streaming_content)  # type: ignore[arg-type]
    return answer


def _kept_here(view: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Return the answer of a page of the admin: what it reads of a league is still so when it stores something there."""
    with transaction.atomic():
        keep_here()
        return view()


def _rewind(request: HttpRequest) -> None:
    for name in request.FILES:
        for upload in request.FILES.getlist(name):
            upload.seek(0)
