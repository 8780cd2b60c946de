"""Tables under addresses that spreadsheets ask for again and again: alike for everybody, and cheap while nothing changed."""

from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import get_language

from league.exports.formats import FORMATS
from league.exports.table import ExportTable
from league.exports.text import text_chunks
from league.http import ended_links
from league.http.entry_context import LINK_HEADERS
from league.http.freshness import remembered
from league.http.published import edition_of, publish
from league.http.rate_limits import Limit, address_of
from league.models import League, LiveAddress
from league.permissions import is_shown
from league.selectors.addresses import league_at
from league.services.attempts import TryLimit
from league.services.secret_links import note_use, opened_by

P = ParamSpec("P")
LeagueView = Callable[Concatenate[HttpRequest, League, P], HttpResponse]
SecretView = Callable[Concatenate[HttpRequest, str, P], HttpResponse]

USE_NOTED_EVERY = timedelta(hours=1)

LIVE = FORMATS["csv-plain"]
"""IMPORTDATA takes a byte order mark for a part of the first cell."""

GUESSES = TryLimit("live-address-guesses", tries=30, seconds=600)
"""Wrong secrets from one address; right ones are never refused for them."""

READS = Limit("live-address-reads", tries=600, seconds=60)
"""What many sheets full of formulas ask for at once, many times over."""

SECRET = "secret"  # noqa: S105 - a kind of permission


def live_table(request: HttpRequest, league: League, table: Callable[[], ExportTable]) -> HttpResponse:
    """Return a table of the league as everybody reads it: as unchanged, as it is kept, or written now."""
    request.user = AnonymousUser()
    key = ("live", request.get_full_path(), edition_of(league), get_language())

    def written() -> bytes:
        return b"".join(text_chunks(table(), LIVE))

    return publish(
        request,
        edition_of(league),
        lambda: HttpResponse(remembered(key, written), content_type=LIVE.media_type),
    )


def by_secret(view: LeagueView[P]) -> SecretView[P]:
    """Return a view that opens by the secret address of its league: no log-in, no cookie, nothing but reading.

    Whatever the secret does not open, and the secret that opens nothing, have one answer. Raises Http404.
    """

    @wraps(view)
    def guarded(request: HttpRequest, secret: str, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        setattr(request, "is_private", True)  # noqa: B010 - no such field
        request.user = AnonymousUser()
        answer = _opened(request, secret)
        if isinstance(answer, HttpResponse):
            return answer
        if answer is None:
            raise Http404
        with timezone.override(answer.time_zone):
            shown = view(request, answer, *args, **kwargs)
        for name, value in LINK_HEADERS.items():
            shown.headers[name] = value
        return shown

    guarded.permission = SECRET  # type: ignore[attr-defined]
    return cast("SecretView[P]", guarded)


def _opened(request: HttpRequest, secret: str) -> League | HttpResponse | None:
    """Return the league that a secret opens, None for none, or what to say to somebody who asks too often."""
    address = opened_by(secret, LiveAddress.objects.select_related("league").filter(revoked_at=None))
    league = league_at(address.league.slug) if address is not None else None
    if address is None or league is None or not is_shown(request.user, league):
        return None if GUESSES.use(address_of(request)) else ended_links.busy(request)
    if not READS.use(str(address.pk)):
        return ended_links.busy(request)
    note_use(address, timezone.now(), USE_NOTED_EVERY)
    return league
