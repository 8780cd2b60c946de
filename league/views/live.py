"""Live CSV tables for spreadsheets, and the page with their URLs."""

from collections.abc import Callable
from datetime import timedelta

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from league.core.numbers import small_number
from league.exports.board import board_table
from league.exports.sheet import sheet_table
from league.exports.table import FORMATS, ExportTable, text_chunks
from league.http import ended_links
from league.http.access import actor, in_league, league_over, scope_period, session_of
from league.http.caching import edition_of, publish, remembered
from league.http.codes import GUESSES, Opened, by_code
from league.http.for_others import address_for_others
from league.http.rate_limits import Limit, address_of
from league.http.reauthentication import freshly_logged_in, makes_secret
from league.messages import period_title
from league.models import League, LiveAddress
from league.permissions import SHUT, is_private, is_shown
from league.selectors.addresses import league_at
from league.services.secret_links import note_use, opened_by, renew_live_address, revoke_live_address, secret_of

USE_NOTED_EVERY = timedelta(hours=1)

LIVE = FORMATS["csv-plain"]
"""Without byte order mark: IMPORTDATA would show it as part of the first cell."""

READS = Limit("live-address-reads", tries=600, seconds=60)
"""Requests per secret URL; enough for many spreadsheets."""

SECRET = "secret"  # noqa: S105 - a kind of permission


def live_table(request: HttpRequest, league: League, table: Callable[[], ExportTable]) -> HttpResponse:
    request.user = AnonymousUser()
    key = ("live", request.get_full_path(), edition_of(league), get_language())

    def written() -> bytes:
        return b"".join(text_chunks(table(), LIVE))

    return publish(
        request, edition_of(league), lambda: HttpResponse(remembered(key, written), content_type=LIVE.media_type)
    )


def _opened(request: HttpRequest, token: str) -> Opened:
    request.user = AnonymousUser()
    address = opened_by(token, LiveAddress.objects.select_related("league").filter(revoked_at=None))
    league = league_at(address.league.slug) if address is not None else None
    if address is None or league is None or not is_shown(request.user, league):
        if GUESSES.use(address_of(request)):
            raise Http404
        return ended_links.busy(request)
    if not READS.use(str(address.pk)):
        return ended_links.busy(request)
    note_use(address, timezone.now(), USE_NOTED_EVERY)
    return league, league


by_secret = by_code(SECRET, _opened)
"""Decorator for views opened with a league's secret URL: read-only, without log-in."""

NOBODY = AnonymousUser()


@require_safe
@in_league()
def index(request: HttpRequest, league: League) -> HttpResponse:
    may_shut = request.user.has_perm(SHUT, league)
    secret = league.live_addresses.select_related("created_by").filter(revoked_at=None).first() if may_shut else None
    address, title, up = _wanted(request, league, secret)
    page = {
        "league": league,
        "is_private": is_private(league),
        "address": address,
        "title": title,
        "up": up,
        "secret": secret,
        "is_lost": secret is not None and not secret_of(secret),
        "asked": request.GET.urlencode(),
        "choices": [(period_title(period), period.key) for period in league.periods_of(league.day_of(timezone.now()))],
    }
    return render(request, "league/live/index.html", page)


def _wanted(request: HttpRequest, league: League, secret: LiveAddress | None) -> tuple[str, str, str]:
    number = small_number(request.GET.get("session", ""), 0)
    if number:
        session = session_of(league, number)
        up = reverse("league:session", args=[league.slug, session.pk])
        return _address(request, league, secret, "session", session.pk), str(session), up
    period = scope_period(league, request.GET.get("scope") or "all")
    up = reverse("league:standings", args=[league.slug, period.key])
    return _address(request, league, secret, "board", period.key), period_title(period), up


def _address(request: HttpRequest, league: League, secret: LiveAddress | None, kind: str, key: object) -> str:
    if not is_private(league):
        return address_for_others(request, reverse(f"league:live_{kind}", args=[league.slug, key]))
    code = secret_of(secret) if secret is not None else ""
    return address_for_others(request, reverse(f"league:secret_{kind}", args=[code, key])) if code else ""


@require_POST
@in_league(SHUT)
@freshly_logged_in(makes_secret)
def change(request: HttpRequest, league: League) -> HttpResponse:
    """Renew or revoke the secret URL; owners may also revoke it in an archived league."""
    if request.POST.get("do") == "revoke":
        revoke_live_address(league=league, by=actor(request))
        messages.success(request, _("The secret address was revoked and no longer works."))
    elif not league.is_active:
        return league_over(request, league)
    else:
        renew_live_address(league=league, by=actor(request))
        messages.success(request, _("The league has a new secret address. The previous one no longer works."))
    way = reverse("league:live", args=[league.slug])
    asked = request.POST.get("asked", "")
    return redirect(f"{way}?{asked}" if asked else way)


def _board(request: HttpRequest, league: League, scope: str) -> HttpResponse:
    period, language = scope_period(league, scope), get_language() or "ja"
    return live_table(request, league, lambda: board_table(league, period, NOBODY, language))


def _session(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return live_table(request, league, lambda: sheet_table(session_of(league, pk), NOBODY))


board, board_by_secret = require_safe(in_league()(_board)), require_safe(by_secret(_board))
session, session_by_secret = require_safe(in_league()(_session)), require_safe(by_secret(_session))
