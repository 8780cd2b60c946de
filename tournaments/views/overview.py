from collections.abc import Sequence
from datetime import date
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import urlencode

from django.http import FileResponse, Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from league.core.numbers import small_number
from league.core.periods import moment_on
from league.core.sessions import SessionPhase
from league.engine import one_moment
from league.http.access import in_league
from league.http.caching import published
from league.http.downloads import as_download, note_taken
from league.http.reauthentication import freshly_logged_in
from league.interchange.text import text_of
from league.models import League, RulesetVersion, Session
from league.permissions import READ_BOOKS, hide_names
from scoring.messages.numbers import in_language
from tournaments.core.state import StageProgress, StageState
from tournaments.http.pages import (
    in_tournament,
    kept_hindsight,
    kept_hindsights,
    kept_outlook,
    kept_state,
    kept_summary,
    page,
    progress_or_404,
    stage_or_404,
)
from tournaments.http.todo import todo_lines
from tournaments.interchange.writing import write_file
from tournaments.messages.formats import describe_format
from tournaments.messages.titles import block_name, stage_name
from tournaments.models import StageSession, Tournament
from tournaments.permissions import DIRECT
from tournaments.selectors.chances import stage_chances, title_chances
from tournaments.selectors.decisions import decision_views, overtaken_decisions
from tournaments.selectors.grid import grids_of, press_release, seats_of_stages
from tournaments.selectors.inbox import inbox_items
from tournaments.selectors.last_hands import tables_under_way
from tournaments.selectors.league_hooks import tournament_phases
from tournaments.selectors.needs import needs_as_read
from tournaments.selectors.needs_told import plain_needs
from tournaments.selectors.outlook import (
    Knowledge,
    Surprise,
    beliefs_of,
    is_over,
    league_calibration,
    looks_back,
    may_tell_chances,
    outlook_of,
    surprise_of,
)
from tournaments.selectors.picture import picture_of
from tournaments.selectors.registrations import RegistrationOffer, player_of, registration_of, registration_offer
from tournaments.selectors.seating import SessionSeating
from tournaments.selectors.stage_views import StageView, champions, final_ranking, sessions_of, stage_view, stage_views
from tournaments.selectors.state import CurrentState, tournaments_of
from tournaments.selectors.supposing import by_stage, coming_tables, supposed, supposition_of, tables_of_stage


@require_safe
@in_league()
@published
def index(request: HttpRequest, league: League) -> HttpResponse:
    lines = [kept_summary(tournament) for tournament in tournaments_of(league)]
    hide_names(request.user, league, [entry.player for line in lines for entry in line.champions])
    facts = {
        "league": league,
        "open": [line for line in lines if line.tournament.state != Tournament.State.FINISHED],
        "finished": [line for line in lines if line.tournament.state == Tournament.State.FINISHED],
    }
    return render(request, "tournaments/index.html", facts)


@require_safe
@in_tournament(kept=True)
def tournament(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    today = tournament.league.day_of(timezone.now())
    directs = request.user.has_perm(DIRECT, tournament)
    current = _current(request, tournament)
    finished = tournament.state == Tournament.State.FINISHED
    knowledge = Knowledge(current)
    stages = stage_views(current)
    planned = (each for each in current.sessions_in_order() if each.session.state == Session.State.OPEN)
    ahead = (each for each in planned if each.session.date >= today and not is_over(current.state.stage(each.stage)))
    coming = None if finished else next(ahead, None)
    played = [each for each in stages if each.played]
    under_way = [each for each in stages if each.progress.state is StageState.RUNNING]
    facts = {
        "current": current,
        "coming": coming,
        "drawn": _drawn(request, knowledge, coming) if coming else [],
        "today": today,
        "format_name": in_language(tournament.format.name),
        "picture": picture_of(current),
        "stages": stages,
        "headline": next((each for each in stages if each.open), None),
        "overtaken": overtaken_decisions(current),
        "todo": todo_lines(tournament, inbox_items(current, today)) if directs and not finished else [],
        "decisions": decision_views(current),
        "champions": champions(current),
        "ranking": (ranking := final_ranking(current) if finished or current.state.is_over else []),
        "open": [] if finished or ranking else _open(stages),
        "uneven": len(stages) == 1 and len({each.played for each in ranking}) > 1,
        "entries": [entry for entry in current.entries.values() if not entry.is_substitute],
        "finished": finished,
        "under_way": under_way,
        "begun": bool(played),
        "title": title_chances(current, kept_outlook(current, knowledge), knowledge),
        "offer": (offer := _offer(tournament, today)),
        "mine": offer and (me := player_of(request.user, tournament.league)) and registration_of(tournament, me),
    }
    return page(request, tournament, "tournament", facts)


MOST_DRAWN = 40
"""Players up to whose number the tournament page shows who sits where."""


def _drawn(request: HttpRequest, knowledge: Knowledge, coming: StageSession) -> list[SessionSeating]:
    """Return who sits where next in the session to come and in others of that day, unless that is a hall full."""
    current = knowledge.current
    open_ = {each.stage.key for each in current.state.stages if each.state in {StageState.READY, StageState.RUNNING}}
    next_ = [each for each in knowledge.seatings if each.stage.key in open_ and each.current]
    drawn = [each for each in next_ if (each.day, each.stage_session.number) == (coming.session.date, coming.number)]
    players = [player for each in drawn if (now := each.current) for player in (*now.players, *now.resting)]
    hide_names(request.user, current.tournament.league, players)
    return drawn if len(players) <= MOST_DRAWN else []


def _open(stages: Sequence[StageView]) -> list[StageView]:
    """Return the stages whose tables are shown: with points now and the final, or between two stages the last decided."""
    open_ = [each for each in stages if each.open or (each.is_final and each.played)]
    now = [each for each in open_ if not all(block.is_blank for block in each.blocks)]
    return now or [each for each in stages if each.played][-1:]


def _offer(tournament: Tournament, today: date) -> RegistrationOffer | None:
    """Return the registration offer of a tournament in preparation.

    Evaluated at the start of the day, because the page is cached for a day.
    """
    if tournament.state != Tournament.State.PREPARING:
        return None
    league = tournament.league
    begins = moment_on(today, league.day_boundary, league.time_zone, league.day_boundary)
    return registration_offer(tournament, begins)


TO_COME = (SessionPhase.PLANNED, SessionPhase.TONIGHT, SessionPhase.RUNNING, SessionPhase.AWAITED)


@require_safe
@in_tournament(kept=True)
def stage(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    asked = small_number(request.GET.get("after", ""), None, digits=4)
    now = timezone.now()
    current = _current(request, tournament, stage, asked)
    progress = progress_or_404(current, stage)
    seats, format_ = seats_of_stages(current, [stage]), tournament.format
    view = stage_view(current, progress)
    knowledge = Knowledge(current)
    outlook = kept_outlook(current, knowledge) if asked is None and not is_over(progress) else None
    needs = needs_as_read(current, progress, knowledge)
    facts = {
        "heading": view.name,
        "view": view,
        "grids": grids_of(current, progress, seats),
        "sessions": (sessions := sessions_of(current, stage)),
        "phases": (phases := tournament_phases(current, now)),
        "coming": next((each for each in sessions if phases.get(each.session_id) in TO_COME), None),
        "steps": _steps(progress, view.furthest, asked),
        "after": asked,
        "overtaken": [each for each in overtaken_decisions(current) if each["stage"] == stage],
        "decisions": [each for each in decision_views(current) if each.decision.stage == stage and asked is None],
        "stages": [{"key": each.stage.key, "name": stage_name(each.stage)} for each in current.state.stages],
        "awaited": [format_.stage(each.stage) for each in current.state.paths_into(stage) if each.decision is None],
        "needs": [each for each in needs if each.told or each.decided],
        "under_way": () if asked is not None else tables_under_way(current, progress),
        "chances": stage_chances(current, progress, outlook, needs),
        "surprise": _surprise(current, progress, knowledge),
        "may_suppose": asked is None and progress.state in {StageState.READY, StageState.RUNNING},
    }
    return page(request, tournament, "stage", facts)


def _surprise(current: CurrentState, progress: StageProgress, knowledge: Knowledge) -> Surprise | None:
    if progress.state is not StageState.DECIDED:
        return None
    found = [each for each in kept_hindsight(current, knowledge) if each.stage == progress.stage.key]
    return surprise_of(current, found[0]) if found else None


@require_safe
@in_tournament(kept=True)
def needs(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return requirements of all current stages as JSON for the press; see docs/press.md."""
    current = _current(request, tournament)
    stages = [
        {"stage": each.stage.key, "blocks": [plain_needs(current, block) for block in needs_as_read(current, each)]}
        for each in current.state.stages
    ]
    facts = {"tournament": tournament.key, "stages": [each for each in stages if each["blocks"]]}
    return JsonResponse(facts, json_dumps_params={"ensure_ascii": False})


@require_safe
@in_tournament(kept=True)
def format_(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    facts = {
        "heading": _("Tournament format"),
        "format_name": in_language(tournament.format.name),
        "source": in_language(tournament.format.source),
        "paragraphs": describe_format(tournament.format),
        "version": tournament.ruleset_version,
        "stage_rules": _stage_rules(tournament),
    }
    return page(request, tournament, "format", facts)


def _stage_rules(tournament: Tournament) -> list[tuple[str, RulesetVersion]]:
    own = tournament.rules_by_stage()
    return [(stage_name(tournament.format.stage(stage)), version) for stage, version in own.items()]


@require_safe
@in_tournament(kept=True)
def results(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return results and standings as text to copy; `?as=text` returns plain text."""
    asked = (request.GET.get("stage"), request.GET.get("block"), request.GET.get("as") == "text")
    current = _current(request, tournament)
    progress = progress_or_404(current, asked[0]) if asked[0] else _newest(current)
    if asked[1] is not None and asked[1] not in progress.stage.block_keys:
        raise Http404
    seats = seats_of_stages(current, [progress.stage.key])
    text = press_release(current, progress, seats, asked[1], needs_as_read(current, progress))
    if asked[2]:
        return HttpResponse(text, content_type="text/plain; charset=utf-8")
    facts = {
        "heading": _("Results as text"),
        "stage_name": stage_name(progress.stage),
        "stage": progress.stage.key,
        "block": asked[1],
        "text": text,
        "rows": min(40, text.count("\n") + 2),
        "stages": _stage_links(current, progress),
        "blocks": _block_links(progress, asked[1]),
    }
    return page(request, tournament, "results", facts)


def _current(request: HttpRequest, tournament: Tournament, stage: str = "", after: int | None = None) -> CurrentState:
    current = kept_state(tournament, stage, after)
    hide_names(request.user, tournament.league, [entry.player for entry in current.entries.values()])
    return current


def _steps(progress: StageProgress, played: int, asked: int | None) -> dict[str, Any]:
    back = (played if asked is None else min(asked, played)) - 1
    is_now = asked is None and progress.state is not StageState.DECIDED
    return {
        "label": _("Now") if is_now else _("After %(count)s hanchan") % {"count": played if asked is None else asked},
        "back": f"?after={back}" if back >= 0 else "",
        "on": "" if asked is None else f"?after={asked + 1}" if asked < progress.stage.planned - 1 else "?",
    }


def _newest(current: CurrentState) -> StageProgress:
    begun = [each for each in current.state.stages if any(ranking.started for ranking in each.rankings)]
    order = current.state.format.order or [each.stage.key for each in reversed(current.state.stages)]
    return min(begun or current.state.stages[:1], key=lambda each: order.index(each.stage.key))


def _stage_links(current: CurrentState, shown: StageProgress) -> list[dict[str, Any]]:
    stages = [each.stage for each in current.state.stages if any(ranking.lines for ranking in each.rankings)]
    return [{"url": f"?stage={each.key}", "label": stage_name(each), "current": each == shown.stage} for each in stages]


def _block_links(shown: StageProgress, block: str | None) -> list[dict[str, Any]]:
    if len(shown.stage.blocks) < 2:
        return []
    stage = shown.stage.key
    links = [{"url": f"?stage={stage}", "label": _("All blocks"), "current": block is None}]
    return links + [
        {"url": f"?stage={stage}&block={key}", "label": block_name(key), "current": key == block}
        for key in shown.stage.block_keys
    ]


@require_safe
@in_tournament(kept=True)
def odds(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    if not tournament.shows_chances:
        return page(request, tournament, "no_chances", {"heading": _("Chances")})
    current = _current(request, tournament)
    knowledge = Knowledge(current)
    facts = {
        "heading": _("Chances"),
        "title": title_chances(current, kept_outlook(current, knowledge), knowledge),
        "looks": looks_back(current, kept_hindsight(current)),
        "calibration": league_calibration(kept_hindsights(tournament)),
    }
    return page(request, tournament, "odds", facts)


@require_safe
@in_league(READ_BOOKS)
@freshly_logged_in()
def export_league(request: HttpRequest, league: League) -> HttpResponse:
    note_taken(request, league)
    file = TemporaryFile()  # noqa: SIM115 - the answer closes it
    with one_moment():
        for piece in text_of(write_file(league)):
            file.write(piece.encode())
    file.seek(0)
    return as_download(FileResponse(file, content_type="application/json; charset=utf-8"), f"{league.slug}.json")


SAMPLES = 5000
"""Fewer than on cached pages, because each query string is computed separately."""


@require_safe
@in_tournament()
def what_if(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    found = stage_or_404(tournament, stage)
    asked = {name: request.GET[name] for name in request.GET}
    filled = {name: value for name, value in asked.items() if value.strip()}
    if len(filled) < len(asked):
        # Leave out empty fields to keep the URL short.
        return redirect(f"{request.path}?{urlencode(filled)}")
    current = _current(request, tournament)
    knowledge = Knowledge(current)
    rules = knowledge.rules_of(found).readable()
    if rules is None or rules.missing:
        raise Http404
    tables = coming_tables(current, knowledge.seatings)
    hide_names(request.user, tournament.league, [player for table in tables for player in table.players])
    progress = current.state.stage(stage)
    supposition = supposition_of(current, progress, tables_of_stage(current, progress, tables), rules, filled)
    then = supposed(current, stage, supposition)
    counting = {table.key for table in supposition.tables if table.counts}
    left = by_stage(table for table in tables if table.key not in counting)
    # Without assumed results, use the tournament's cached outlook.
    if not counting:
        outlook = kept_outlook(current, knowledge)
    else:
        outlook = outlook_of(then, beliefs_of(knowledge), left, SAMPLES) if may_tell_chances(then) else None
    after = then.state.stage(stage)
    needs = needs_as_read(then, after, knowledge)
    facts = {
        "view": stage_view(then, after),
        "supposition": supposition,
        "chances": stage_chances(then, after, outlook, needs),
        "needs": needs,
        "under_way": tables_under_way(current, progress, brief=True),
        "name": stage_name(found),
    }
    return page(request, tournament, "what_if", facts)
