"""The screen of the projector: a page without frame that renews itself and outlives a lost connection."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import get_language, gettext

from league.http.freshness import appearance, page_tag, plain_tag, remembered, unchanged, with_tag
from league.http.published import clock_of
from league.permissions import is_member
from league.selectors.names import hide_names
from tournaments.core.state import StageProgress
from tournaments.http.access import in_tournament
from tournaments.http.pages import kept_state
from tournaments.messages.seating import session_seating_title
from tournaments.messages.titles import block_name, in_language, stage_name
from tournaments.models import Tournament
from tournaments.selectors import projector as selector
from tournaments.selectors.seating import SessionSeating, session_seatings
from tournaments.selectors.session_phases import tournament_phases
from tournaments.selectors.state import CurrentState

STANDINGS, SEATING = "standings", "seating"

SIZES = {"huge": 112, "large": 88, "big": 72, "middle": 58}
"""Sizes of type and the height that a line needs for each, in 1/1000 of the screen; less gets the smallest."""


@in_tournament()
def projector(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Show the stage under way to a whole room."""
    edition, now = _edition(request, tournament), timezone.now()
    tag = page_tag(request, edition, request.GET.urlencode())
    if answer := unchanged(request, tag):
        return answer
    kept, number = _kept_screens(request, tournament, edition), _number(request)
    page = {
        "league": tournament.league,
        "tournament": tournament,
        "screens_html": mark_safe(kept.html),  # noqa: S308 - a rendered template
        "following": _address(request, screen=str((number + 1) % max(kept.count, 1))),
        "query": request.GET.urlencode(),
        "state_tag": plain_tag(*edition),
        "now": now,
        "overlay": request.GET.get("overlay") == "1",
        "theme": "light" if request.GET.get("theme") == "light" else "dark",
    }
    return with_tag(render(request, "tournaments/projector.html", page), tag)


@in_tournament()
def state(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Send the screens anew when there are other figures to see; 304 while there are none."""
    edition = _edition(request, tournament)
    tag = plain_tag(*edition)
    if answer := unchanged(request, tag):
        return answer
    html = _kept_screens(request, tournament, edition).html
    return with_tag(JsonResponse({"html": html, "language": get_language()}), tag)


@dataclass(frozen=True, slots=True)
class _KeptScreens:
    """The screens as HTML, and how many they are."""

    html: str
    count: int


def _edition(request: HttpRequest, tournament: Tournament) -> tuple[object, ...]:
    """Return what changes with what the screens show."""
    league = tournament.league
    reads_all = is_member(request.user, league) or request.user.is_superuser
    asked = [(name, request.GET.get(name, "")) for name in ("stage", "block", "show")]
    clock = clock_of(league, timezone.now())
    return tournament.pk, league.edition, clock, get_language(), reads_all, asked, appearance()


def _kept_screens(request: HttpRequest, tournament: Tournament, edition: tuple[object, ...]) -> _KeptScreens:
    """Return the screens, rendered once for all walls on which the same names may be read."""
    asked = _number(request)

    def drawn() -> _KeptScreens:
        screens = _screens(request, tournament)
        page = {"league": tournament.league, "tournament": tournament, "screens": screens}
        page["shown"] = asked % max(len(screens), 1)
        return _KeptScreens(render_to_string("tournaments/projector/screens.html", page), len(screens))

    return remembered(("screens", asked, *edition), drawn)


def _number(request: HttpRequest) -> int:
    text = request.GET.get("screen", "")
    return int(text) if text.isdecimal() and len(text) < len("1000") else 0


def _address(request: HttpRequest, **changed: str) -> str:
    query = request.GET.copy()
    for name, value in changed.items():
        query[name] = value
    return f"?{query.urlencode()}"


def _screens(request: HttpRequest, tournament: Tournament) -> list[dict[str, Any]]:
    """Return everything the projector shows in turn. Raises Http404 for a stage or a block that does not exist."""
    current = kept_state(tournament)
    try:
        progress = selector.stage_on_projector(current.state, request.GET.get("stage"))
        seatings = session_seatings(current)
        screens = _chosen(request, current, progress, seatings)
    except KeyError as error:
        raise Http404 from error
    newest = selector.newest_result(current)
    shows_days = any(screen["kind"] == SEATING for screen in screens)
    phases = tournament_phases(current, timezone.now()) if shows_days else {}
    return [{**screen, "newest": newest, "phases": phases, "stage": stage_name(progress.stage)} for screen in screens]


def _chosen(
    request: HttpRequest, current: CurrentState, progress: StageProgress, session_seatings: tuple[SessionSeating, ...]
) -> list[dict[str, Any]]:
    block = request.GET.get("block") or None
    standings = [
        _standings(request, current, screen) for screen in selector.standings_screens(current, progress, block)
    ]
    seating = [
        _seating(request, current, screen) for screen in selector.seating_screens(progress, session_seatings, block)
    ]
    asked = [name for name in request.GET.get("show", "").split(",") if name in {STANDINGS, SEATING}]
    if not asked:
        asked = [STANDINGS, SEATING] if selector.between_hanchan(progress, session_seatings) else [STANDINGS]
    parts: Mapping[str, list[dict[str, Any]]] = {STANDINGS: standings, SEATING: seating}
    return [screen for name in asked for screen in parts[name]] or standings


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
