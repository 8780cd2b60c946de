"""Planning a stage: the days of its sessions; the tables follow from its method."""

from collections.abc import Container, Sequence
from datetime import date, timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import ngettext

from league.http.access import actor
from league.permissions import MANAGE
from league.selectors.planning import Plan, last_venue, plan_of, played_rounds
from tournaments.core.calendar import BlockDays, DayPattern, SessionMoment, moments
from tournaments.core.format import SeatingMethod, Stage
from tournaments.core.seating.problem import SeatingError
from tournaments.forms.planning import DayPatternForm, SessionPlanForm
from tournaments.http.access import in_tournament
from tournaments.http.pages import page, stage_or_404
from tournaments.messages.errors import tournament_error_sentence
from tournaments.messages.moves import are_tables
from tournaments.models import StageSession, Tournament
from tournaments.selectors.inbox import needs_draw, planned_sessions, unplanned_sessions
from tournaments.selectors.session_phases import tournament_phases
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.drawing import seating_number
from tournaments.services.events import TournamentError
from tournaments.services.planning import plan_stage, sessions_wanted

WEEK = 7


@in_tournament(MANAGE)
def plan(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Choose the days of a stage's sessions, by a pattern that can be changed day by day."""
    found = stage_or_404(tournament, stage)
    current = state_of(tournament)
    pattern_form = _pattern_form(request, current, found)
    form = SessionPlanForm(
        request.POST or None,
        stage=found,
        sessions=_sessions_to_plan(current, found, pattern_form.pattern()),
        initial={"seed": seating_number(current, stage), "venue": last_venue(tournament.league)},
    )
    if form.is_valid():
        try:
            planned = plan_stage(tournament=tournament, stage=stage, plan=form.plan(), by=actor(request))
        except (TournamentError, SeatingError) as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            text = ngettext("%(count)s session is planned.", "%(count)s sessions are planned.", len(planned))
            messages.success(request, text % {"count": len(planned)})
            return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    facts = {
        "stage": found,
        "progress": current.state.stage(stage),
        "form": form,
        "pattern_form": pattern_form,
        "planned": _planned_sessions([each for each in current.sessions if each.stage == stage]),
        "by_standing": found.is_by_standing,
        "by_hand": found.seating is SeatingMethod.MANUAL,
        "phases": tournament_phases(current, timezone.now()),
        "is_undrawn": needs_draw(current, current.state.stage(stage)) or bool(current.state.stage(stage).undrawn),
    }
    return page(request, tournament, "plan", facts)


def _pattern_form(request: HttpRequest, current: CurrentState, stage: Stage) -> DayPatternForm:
    """Return the question for the pattern; a stage that is planned in part goes on as it began."""
    taken = planned_sessions(current, stage.key)
    choices: tuple[BlockDays, ...] = (BlockDays.IN_TURN,)
    if len(stage.blocks) > 1 and any(not block for _, block in taken):
        choices = (BlockDays.TOGETHER,)
    elif len(stage.blocks) > 1:
        choices = (BlockDays.IN_TURN, BlockDays.SAME_DAY, *(() if taken else (BlockDays.TOGETHER,)))
    blocks = BlockDays.TOGETHER if are_tables(stage) and BlockDays.TOGETHER in choices else choices[0]
    usual = DayPattern(_next_day(current), 0 if stage.sessions == 1 else WEEK, blocks)
    return DayPatternForm(request.GET.dict(), usual=usual, choices=choices)


def _next_day(current: CurrentState) -> date:
    """Return today, or the week after the last session if that is still ahead of us."""
    today: date = current.tournament.league.day_of(timezone.now())
    last = max((each.session.date for each in current.sessions), default=None)
    return today if last is None or last <= today else last + timedelta(days=WEEK)


def _sessions_to_plan(current: CurrentState, stage: Stage, pattern: DayPattern) -> list[SessionMoment]:
    taken = planned_sessions(current, stage.key)
    if pattern.blocks is not BlockDays.TOGETHER:
        return list(moments(pattern, unplanned_sessions(current, stage)))
    numbers = {number for number, _ in taken}
    return list(moments(pattern, [each for each in sessions_wanted(stage, together=True) if each[0] not in numbers]))


def _planned_sessions(stage_sessions: Sequence[StageSession]) -> list[dict[str, object]]:
    played = played_rounds(each.session_id for each in stage_sessions)
    return [_planned_session(each, played) for each in stage_sessions]


def _planned_session(stage_session: StageSession, played: Container[tuple[int, int, int]]) -> dict[str, object]:
    """Return a session with its tables: one plan each where the same players stay, else one for every hanchan."""
    tables: dict[int, list[Plan]] = {}
    for each in plan_of(stage_session.session):
        tables.setdefault(each[1], []).append(each)
    return {
        "stage_session": stage_session,
        "tables": [
            {
                "number": number,
                "rounds": rounds[:1] if _keeps_players(rounds) else rounds,
                "stay": len(rounds) if _keeps_players(rounds) else 0,
                "is_done": all((stage_session.session_id, plan[0], number) in played for plan in rounds),
            }
            for number, rounds in sorted(tables.items())
        ],
    }


def _keeps_players(rounds: Sequence[Plan]) -> bool:
    return len({frozenset(player.pk for player in players) for _, _, players in rounds}) == 1
