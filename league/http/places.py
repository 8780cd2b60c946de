"""Has each page of a league answered in the database in which the league lives, on sites that have several."""

import time
from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse

from league.databases import HOME, LeagueMovedError, ReadThere, Whereabouts, working_in
from league.selectors.places import place_of_address, place_of_secret
from league.services.copies import copy_person

READING = frozenset({"GET", "HEAD"})

PAUSE, PAUSES = 0.1, 20
"""Seconds between two looks at where a league is that is just being moved, and how many there are."""

SECRETS = ("token", "secret", "code")
"""What pages call the secret in their address."""


class PlaceMiddleware:
    """Stands before the one that asks the standby: that one follows the home database alone."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the answer; what is no page of a league stores nothing in one."""
        with working_in(HOME, None):
            return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., HttpResponseBase], args: tuple[Any, ...], named: dict[str, Any]
    ) -> HttpResponseBase | None:
        """Return the answer from where the league lives; None where the home database answers without more ado."""
        place = _place_of(request, named)
        if place is None or (place.database == HOME and request.method in READING):
            return None
        for _ in range(PAUSES):
            try:
                return _answer(request, place, lambda: view(request, *args, **named))
            except LeagueMovedError:
                time.sleep(PAUSE)
                _rewind(request)
                place = _place_of(request, named, anew=True) or place
        return _answer(request, place, lambda: view(request, *args, **named))


def _place_of(request: HttpRequest, named: dict[str, Any], *, anew: bool = False) -> Whereabouts | None:
    """Return where the league of a page lives; None for a page of no league."""
    if "slug" in named:
        return place_of_address(named["slug"], anew=anew)
    secret = next((named[name] for name in SECRETS if name in named), "")
    return place_of_secret(request.resolver_match.view_name, secret) if secret and request.resolver_match else None


def _answer(request: HttpRequest, place: Whereabouts, view: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    with working_in(place.database, place.league):
        if place.database != HOME and request.method not in READING and isinstance(request.user, User):
            copy_person(request.user, place.database)
        answer = view()
        if hasattr(answer, "render"):
            answer = answer.render()
        if isinstance(answer, StreamingHttpResponse):
            answer.streaming_content = ReadThere(place, answer.streaming_content)  # type: ignore[arg-type]
    return answer


def _rewind(request: HttpRequest) -> None:
    for name in request.FILES:
        for upload in request.FILES.getlist(name):
            upload.seek(0)
