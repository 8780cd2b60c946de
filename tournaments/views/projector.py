"""The hall display: a page without navigation that refreshes and survives lost connections; also as a stream."""

from dataclasses import dataclass
from datetime import date

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from league.core.numbers import small_number
from league.core.periods import league_day
from league.http.access import in_league
from league.http.caching import appearance, clock_of, digest, page_tag, remembered, unchanged, with_tag
from league.http.for_others import address_for_others
from league.messages import chosen_sign
from league.models import League, Player
from league.permissions import bears_a_name, is_member
from tournaments.http.pages import kept_state, tournament_or_404, with_clock
from tournaments.http.scenes import AskedScreens, screens_of
from tournaments.models import HallDisplay, Tournament
from tournaments.permissions import DIRECT_HALL
from tournaments.selectors.hall import Hall, LiveTable, hall_of, live_tables

Scene = HallDisplay.Scene

QUICK, CALM = 500, 1500
"""Milliseconds until the page polls again: on days of play, and on other days."""


@dataclass(frozen=True, slots=True)
class _Told:
    tournament: Tournament
    hall: Hall
    asked: AskedScreens
    live: dict[tuple[int, int], LiveTable]
    edition: tuple[object, ...]
    pause: int


@in_league()
def projector(request: HttpRequest, league: League, key: str) -> HttpResponse:
    return _page(request, league, key, overlay=request.GET.get("overlay") == "1")


@in_league()
def overlay(request: HttpRequest, league: League, key: str) -> HttpResponse:
    return _page(request, league, key, overlay=True)


def _page(request: HttpRequest, league: League, key: str, *, overlay: bool) -> HttpResponse:
    # Changes in the hall increase the league's edition.
    tag = page_tag(
        request, key, league.pk, league.edition, *_reading(request, league), overlay, request.GET.urlencode()
    )
    if answer := unchanged(request, tag):
        return with_clock(answer)
    tournament = tournament_or_404(league, key)
    told = _told(request, tournament)
    state_tag = _state_tag(told)
    with translation.override(told.hall.display.language or get_language()):
        kept, number = _kept_screens(request, told), _number(request)
        page = {
            "league": league,
            "tournament": tournament,
            "screens_html": kept.showing(number),
            "aside_html": mark_safe(kept.aside),  # noqa: S308 - a rendered template
            "following": _address(request, screen=str((number + 1) % max(len(kept.parts), 1))),
            "query": request.GET.urlencode(),
            "state_tag": state_tag,
            "live_word": kept.live_word,
            "now": timezone.now(),
            "pause": told.pause,
            "overlay": overlay,
            "may_direct": request.user.has_perm(DIRECT_HALL, tournament),
            "remote_address": address_for_others(request, reverse("tournaments:remote", args=[league.slug, key])),
            "theme": "light" if request.GET.get("theme") == "light" else "dark",
        }
        return with_clock(with_tag(render(request, "tournaments/projector.html", page), tag))


@in_league()
def state(request: HttpRequest, league: League, key: str) -> HttpResponse:
    return with_clock(_news(request, league, key))


def _news(request: HttpRequest, league: League, key: str) -> HttpResponse:
    told = _told(request, tournament_or_404(league, key))
    tag = _state_tag(told)
    if answer := unchanged(request, tag):
        return answer
    with translation.override(told.hall.display.language or get_language()):
        kept = _kept_screens(request, told)
        news = {
            "html": kept.showing(_number(request)),
            "aside": kept.aside,
            "language": get_language(),
            "pause": told.pause,
            "words": {"live": kept.live_word, "lost": gettext("Waiting for the network")},
        }
    return with_tag(JsonResponse(news), tag)


def _state_tag(told: _Told) -> str:
    """Return the hall display's ETag, from its content only."""
    return f'"{digest(*told.edition)}"'


def _number(request: HttpRequest) -> int:
    return small_number(request.GET.get("screen", ""), 0, digits=3)


def _asked(request: HttpRequest) -> AskedScreens:
    """Return the requested views; `view` is one scene, `show` several in rotation."""
    shown = [request.GET.get("view", ""), *request.GET.get("show", "").split(",")]
    show = tuple(dict.fromkeys(name for name in shown if name in Scene.values and name != Scene.TURNS))
    return AskedScreens(request.GET.get("stage", ""), request.GET.get("block", ""), show)


def _told(request: HttpRequest, tournament: Tournament) -> _Told:
    """Return the hall display's content, cached per edition."""

    def read() -> tuple[Hall, dict[tuple[int, int], LiveTable], frozenset[date]]:
        sessions = kept_state(tournament).sessions
        days = frozenset(each.session.date for each in sessions)
        return hall_of(tournament, timezone.now()), live_tables([each.session_id for each in sessions]), days

    hall, live, days = remembered(("hall", tournament.pk, tournament.league.edition), read)
    display, asked = hall.display, _asked(request)
    if not asked.show and display.scene != Scene.TURNS:
        asked = AskedScreens(asked.stage, asked.block, (display.scene,))
    facts = (
        *(tournament.pk, tournament.edition, display.scene, display.message, display.language),
        *(hall.timer, sorted(hall.ready.items()), sorted(live.items()), asked),
    )
    edition = (*facts, *_reading(request, tournament.league))
    league = tournament.league
    is_played = bool(live) or league_day(timezone.now(), league.time_zone, league.day_boundary) in days
    return _Told(tournament, hall, asked, live, edition, QUICK if is_played else CALM)


def _reading(request: HttpRequest, league: League) -> tuple[object, ...]:
    reads_all = is_member(request.user, league) or request.user.is_superuser
    # Players see their own names even where others may not, so they get screens rendered only for them.
    own = Player.objects.filter(league=league, user_id=request.user.pk or 0).exclude(
        visibility=Player.Visibility.PUBLIC
    )
    alone = request.user.pk if bears_a_name(request.user, league) and own.exists() else None
    clock = clock_of(league, timezone.now())
    return clock, league.time_zone, get_language(), reads_all, alone, appearance(), chosen_sign()


@dataclass(frozen=True, slots=True)
class _KeptScreens:
    parts: tuple[str, ...]
    aside: str
    live_word: str

    def showing(self, number: int) -> SafeString:
        shown = number % max(len(self.parts), 1)
        parts = (html.replace(HIDDEN, SHOWN, 1) if place == shown else html for place, html in enumerate(self.parts))
        return mark_safe("".join(parts))  # noqa: S308 - rendered templates


HIDDEN, SHOWN = " hidden>", ">"
"""How the opening tag of a screen's section ends, while it is hidden and while it is shown."""


def _kept_screens(request: HttpRequest, told: _Told) -> _KeptScreens:
    def drawn() -> _KeptScreens:
        tournament = told.tournament
        is_over = kept_state(tournament).state.is_over
        page = {
            "league": tournament.league,
            "tournament": tournament,
            "timer": None if is_over else told.hall.timer,
            "message": told.hall.display.message,
        }
        screens = screens_of(request, tournament, told.asked, told.hall, told.live) or [{"kind": "nothing"}]
        return _KeptScreens(
            tuple(
                render_to_string("tournaments/projector/screen.html", {**page, "each": screen, "number": number})
                for number, screen in enumerate(screens)
            ),
            render_to_string("tournaments/projector/aside.html", page),
            "" if is_over else gettext("LIVE"),
        )

    return remembered(("screens", *told.edition, get_language()), drawn)


def _address(request: HttpRequest, **changed: str) -> str:
    query = request.GET.copy()
    for name, value in changed.items():
        query[name] = value
    return f"?{query.urlencode()}"
