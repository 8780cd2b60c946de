"""The screen of the projector: a page without frame that renews itself and outlives a lost connection."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from league.core.numbers import small_number
from league.http.access import in_league
from league.http.freshness import appearance, digest, page_tag, remembered, unchanged, with_tag
from league.http.published import clock_of
from league.messages.signs import other_sign
from league.models import League
from league.permissions import is_member
from league.selectors.names import hide_names
from tournaments.core.state import StageProgress
from tournaments.http.access import tournament_or_404
from tournaments.http.pages import kept_state
from tournaments.messages.seating import session_seating_title
from tournaments.messages.titles import block_name, in_language, stage_name
from tournaments.models import Tournament
from tournaments.selectors import projector as selector
from tournaments.selectors.seating import SessionSeating, played_places, session_seatings
from tournaments.selectors.session_phases import tournament_phases
from tournaments.selectors.state import CurrentState

STANDINGS, SEATING, NOTHING = "standings", "seating", "nothing"

SIZES = {"huge": 112, "large": 88, "big": 72, "middle": 58}
"""Sizes of type and the height that a line needs for each, in 1/1000 of the screen; less gets the smallest."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """What an address asks of the projector, as far as it knows that: a stage, a block, and what is shown in turn."""

    stage: str
    block: str
    show: tuple[str, ...]


@in_league()
def projector(request: HttpRequest, league: League, key: str) -> HttpResponse:
    """Show the stage under way to a whole room."""
    asked = _asked(request)
    tag = page_tag(request, key, *_edition(request, league, asked), request.GET.urlencode())
    if answer := unchanged(request, tag):
        return answer
    tournament = tournament_or_404(league, key)
    kept = _kept_screens(request, tournament, asked)
    number = _number(request)
    page = {
        "league": league,
        "tournament": tournament,
        "screens_html": kept.showing(number),
        "following": _address(request, screen=str((number + 1) % max(len(kept.parts), 1))),
        "query": request.GET.urlencode(),
        "state_tag": _state_tag(request, tournament, asked),
        "now": timezone.now(),
        "overlay": request.GET.get("overlay") == "1",
        "theme": "light" if request.GET.get("theme") == "light" else "dark",
    }
    return with_tag(render(request, "tournaments/projector.html", page), tag)


@in_league()
def state(request: HttpRequest, league: League, key: str) -> HttpResponse:
    """Send the screens anew when there are other figures to see; 304 while there are none.

    While nothing changes in the league that is known without a look at the tournament.
    """
    asked = _asked(request)
    known = parse_etags(request.META.get("HTTP_IF_NONE_MATCH", ""))
    half = digest(key, *_edition(request, league, asked))
    if tag := next((tag for tag in known if half in tag), None):
        return with_tag(HttpResponseNotModified(), tag)
    tournament = tournament_or_404(league, key)
    tag = _state_tag(request, tournament, asked)
    if any(digest(*_own_edition(request, tournament, asked)) in each for each in known):
        return with_tag(HttpResponseNotModified(), tag)
    kept = _kept_screens(request, tournament, asked)
    return with_tag(JsonResponse({"html": kept.showing(_number(request)), "language": get_language()}), tag)


def _state_tag(request: HttpRequest, tournament: Tournament, asked: _Asked) -> str:
    """Return the ETag of the screens: one half tells the edition of the league, the other that of the tournament."""
    editions = (tournament.key, *_edition(request, tournament.league, asked)), _own_edition(request, tournament, asked)
    return f'"{"-".join(digest(*edition) for edition in editions)}"'


def _number(request: HttpRequest) -> int:
    return small_number(request.GET.get("screen", ""), 0, digits=3)


def _asked(request: HttpRequest) -> _Asked:
    shown = request.GET.get("show", "").split(",")
    show = tuple(dict.fromkeys(name for name in shown if name in {STANDINGS, SEATING}))
    return _Asked(request.GET.get("stage", ""), request.GET.get("block", ""), show)


@dataclass(frozen=True, slots=True)
class _KeptScreens:
    """Each screen as HTML, hidden."""

    parts: tuple[str, ...]

    def showing(self, number: int) -> SafeString:
        """Return all screens, with one of them shown."""
        shown = number % max(len(self.parts), 1)
        parts = (html.replace(HIDDEN, SHOWN, 1) if place == shown else html for place, html in enumerate(self.parts))
        return mark_safe("".join(parts))  # noqa: S308 - rendered templates


HIDDEN, SHOWN = " hidden>", ">"
"""How the section of a screen ends that waits for its turn, and that of the one that is shown."""


def _edition(request: HttpRequest, league: League, asked: _Asked) -> tuple[object, ...]:
    """Return what changes with everything in the league, what the screens show included."""
    return league.pk, league.edition, *_reading(request, league, asked)


def _own_edition(request: HttpRequest, tournament: Tournament, asked: _Asked) -> tuple[object, ...]:
    """Return what changes with what the screens show."""
    return tournament.pk, tournament.edition, *_reading(request, tournament.league, asked)


def _reading(request: HttpRequest, league: League, asked: _Asked) -> tuple[object, ...]:
    """Return what the screens hang on besides what was played: who reads them, when, and what is asked for."""
    reads_all = is_member(request.user, league) or request.user.is_superuser
    clock = clock_of(league, timezone.now())
    return clock, league.time_zone, get_language(), reads_all, asked, appearance(), *other_sign()


def _kept_screens(request: HttpRequest, tournament: Tournament, asked: _Asked) -> _KeptScreens:
    """Return the screens, rendered once for all projectors on which the same names may be read."""

    def drawn() -> _KeptScreens:
        screens = _screens(request, tournament, asked)
        page = {"league": tournament.league, "tournament": tournament}
        return _KeptScreens(
            tuple(
                render_to_string("tournaments/projector/screen.html", {**page, "each": screen, "number": number})
                for number, screen in enumerate(screens or [{"kind": NOTHING}])
            )
        )

    return remembered(("screens", *_own_edition(request, tournament, asked)), drawn)


def _address(request: HttpRequest, **changed: str) -> str:
    query = request.GET.copy()
    for name, value in changed.items():
        query[name] = value
    return f"?{query.urlencode()}"


def _screens(request: HttpRequest, tournament: Tournament, asked: _Asked) -> list[dict[str, Any]]:
    """Return everything the projector shows in turn. Raises Http404 for a stage or a block that does not exist."""
    current = kept_state(tournament)
    try:
        progress = selector.stage_on_projector(current.state, asked.stage)
        played = played_places(current)
        screens = _chosen(request, current, progress, session_seatings(current, played), asked)
    except KeyError as error:
        raise Http404 from error
    shows_days = any(screen["kind"] == SEATING for screen in screens)
    phases = tournament_phases(current, timezone.now()) if shows_days else {}
    return [
        {**screen, "newest": played.newest, "phases": phases, "stage": stage_name(progress.stage)} for screen in screens
    ]


def _chosen(
    request: HttpRequest,
    current: CurrentState,
    progress: StageProgress,
    session_seatings: tuple[SessionSeating, ...],
    asked: _Asked,
) -> list[dict[str, Any]]:
    block = asked.block or None
    standings = [
        _standings(request, current, screen) for screen in selector.standings_screens(current, progress, block)
    ]
    seating = [
        _seating(request, current, screen) for screen in selector.seating_screens(progress, session_seatings, block)
    ]
    show = asked.show
    if not show:
        show = (STANDINGS, SEATING) if selector.between_hanchan(progress, session_seatings) else (STANDINGS,)
    parts: Mapping[str, list[dict[str, Any]]] = {STANDINGS: standings, SEATING: seating}
    return [screen for name in show for screen in parts[name]] or standings


def _standings(request: HttpRequest, current: CurrentState, screen: selector.StandingsScreen) -> dict[str, Any]:
    players = [row.player for panel in screen.panels for row in panel.rows]
    hide_names(request.user, current.tournament.league, players)
    panels = [
        {
            "title": block_name(panel.block),
            "rows": [{"row": row, "label": _label(current, row)} for row in panel.rows],
            "has_cuts": any(row.line.above is not None or row.line.below is not None for row in panel.rows),
        }
        for panel in screen.panels
    ]
    size = next((size for size, height in SIZES.items() if screen.room >= height), "small")
    return {"kind": STANDINGS, "screen": screen, "panels": panels, "size": size}


def _label(current: CurrentState, row: selector.ProjectorRow) -> str:
    """Return what the line under a row is called: where it leads those above it, or else those below."""
    if row.cut is None:
        return ""
    above, below = row.cut
    if above is not None:
        return gettext("Line: %(name)s") % {"name": in_language(current.state.format.destination(above).name)}
    name = in_language(current.state.format.destination(below).name) if below is not None else ""
    return gettext("From here: %(name)s") % {"name": name}


def _seating(request: HttpRequest, current: CurrentState, screen: selector.SeatingScreen) -> dict[str, Any]:
    players = [seat.player for table in screen.round.tables for seat in table.seats]
    hide_names(request.user, current.tournament.league, [*players, *screen.round.resting])
    stage_session = screen.session_seating.stage_session
    title = session_seating_title(screen.session_seating.stage, stage_session.number, stage_session.block)
    return {"kind": SEATING, "screen": screen, "title": title, "tables": screen.round.tables}
