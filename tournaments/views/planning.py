from datetime import date, timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from league.forms.names import ReasonForm
from league.http.access import actor
from league.messages import joined, plain_name
from league.models import Session
from league.permissions import MANAGE
from league.selectors.planning import last_venue, plan_of
from league.templatetags.tenbo import when
from tournaments.core.calendar import BlockDays, DayPattern, PlannedSession, moments
from tournaments.core.format import SeatingMethod, Stage
from tournaments.core.length import is_one_day
from tournaments.forms import planning as forms
from tournaments.http.pages import RefusalsOn, in_tournament, page, stage_or_404
from tournaments.messages.moves import are_tables
from tournaments.messages.titles import stage_name
from tournaments.models import StageSession, Tournament
from tournaments.selectors.decisions import seated_elsewhere
from tournaments.selectors.hall import hanchan_minutes
from tournaments.selectors.inbox import needs_draw, planned_sessions, unplanned_sessions
from tournaments.selectors.league_hooks import tournament_phases
from tournaments.selectors.seating import session_seatings
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.drawing import seating_number
from tournaments.services.planning import link_session, plan_stage, postpone_table, sessions_wanted, unlink_session
from tournaments.services.short_tables import draw_again

WEEK = 7


@in_tournament(MANAGE)
def plan(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    found = stage_or_404(tournament, stage)
    current = state_of(tournament)
    pattern_form = _pattern_form(request, current, found)
    form = forms.SessionPlanForm(
        request.POST or None,
        stage=found,
        sessions=_sessions_to_plan(current, found, pattern_form.pattern()),
        initial={"seed": seating_number(current, stage), "venue": last_venue(tournament.league)},
    )
    if form.is_valid():
        with RefusalsOn(form):
            number = len(plan_stage(tournament=tournament, stage=stage, plan=form.plan(), by=actor(request)))
            text = ngettext("%(count)s session was planned.", "%(count)s sessions were planned.", number)
            messages.success(request, text % {"count": number})
            return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    planned = [each for each in session_seatings(current) if each.stage.key == stage]
    laid_out = {(each.stage_session.number, round_.number) for each in planned for round_ in each.rounds}
    facts = {
        "heading": _("Dates and tables"),
        "stage": found,
        "progress": current.state.stage(stage),
        "form": form,
        "pattern_form": pattern_form,
        "planned": planned,
        "by_standing": found.is_by_standing and len(laid_out) < found.planned,
        "by_hand": found.seating is SeatingMethod.MANUAL,
        "phases": tournament_phases(current, timezone.now()),
        "gone": seated_elsewhere(current, current.state.stage(stage)),
        "is_undrawn": needs_draw(current, current.state.stage(stage)) or bool(current.state.stage(stage).undrawn),
    }
    return page(request, tournament, "director/plan", facts)


@require_POST
@in_tournament(MANAGE)
def redraw(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    found = stage_or_404(tournament, stage)
    current = state_of(tournament)
    gone = seated_elsewhere(current, current.state.stage(stage))
    with RefusalsOn(request, current.state.format):
        if gone:
            facts = {"names": joined(plain_name(each.player) for each in gone)}
            reason = _("%(names)s no longer plays in this stage") % facts
            draw_again(tournament=tournament, stage=stage, reason=reason, by=actor(request))
        text = _("%(stage)s: the tables were drawn again. Players whose seat changed are told.")
        messages.success(request, text % {"stage": stage_name(found)})
    return redirect("tournaments:inbox", tournament.league.slug, tournament.key)


def _pattern_form(request: HttpRequest, current: CurrentState, stage: Stage) -> forms.DayPatternForm:
    taken = planned_sessions(current, stage.key)
    choices: tuple[BlockDays, ...] = (BlockDays.IN_TURN,)
    if len(stage.blocks) > 1 and any(not block for _, block in taken):
        choices = (BlockDays.TOGETHER,)
    elif len(stage.blocks) > 1:
        choices = (BlockDays.IN_TURN, BlockDays.SAME_DAY, *(() if taken else (BlockDays.TOGETHER,)))
    blocks = BlockDays.TOGETHER if are_tables(stage) and BlockDays.TOGETHER in choices else choices[0]
    minutes = min(forms.MAX_MINUTES, stage.hanchan * hanchan_minutes(current.tournament.league, current.tournament))
    step = 0 if is_one_day(current.state.format) else WEEK
    usual = DayPattern(_next_day(current, step), 0 if stage.sessions == 1 else step, blocks, minutes=minutes)
    return forms.DayPatternForm(request.GET.dict(), usual=usual, choices=choices)


def _next_day(current: CurrentState, step: int) -> date:
    today: date = current.tournament.league.day_of(timezone.now())
    last = max((each.session.date for each in current.sessions), default=today)
    return today if last <= today else last + timedelta(days=step)


def _sessions_to_plan(current: CurrentState, stage: Stage, pattern: DayPattern) -> list[PlannedSession]:
    taken = planned_sessions(current, stage.key)
    if pattern.blocks is not BlockDays.TOGETHER:
        return list(moments(pattern, unplanned_sessions(current, stage)))
    numbers = {number for number, _ in taken}
    return list(moments(pattern, [each for each in sessions_wanted(stage, together=True) if each[0] not in numbers]))


@in_tournament(MANAGE)
def link(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    free = tournament.league.sessions.kept().filter(stage__isnull=True).order_by("-date", "-number")
    recent = Session.objects.filter(pk__in=list(free.values_list("pk", flat=True)[: forms.MAX_SESSIONS]))
    form = forms.LinkSessionForm(
        request.POST or None,
        format_=tournament.format,
        sessions=recent.order_by("-date", "-number"),
        initial={"where": request.GET.get("stage")},
    )
    if form.is_valid():
        session = form.cleaned_data["session"]
        with RefusalsOn(form):
            linked = link_session(
                tournament=tournament, session=session, stage_session=form.stage_session(), by=actor(request)
            )
            messages.success(request, _("%(session)s now counts in the tournament.") % {"session": session})
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, linked.stage)
    facts = {"heading": _("Add an existing session"), "form": form, "has_any": recent.exists()}
    return page(request, tournament, "director/link", facts)


@in_tournament(MANAGE)
def unlink(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    stage_session = get_object_or_404(StageSession.objects.select_related("session"), tournament=tournament, pk=pk)
    stage_session.tournament = tournament
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        stage, session = stage_session.stage, stage_session.session
        reason, cancels = form.cleaned_data["reason"], "cancels" in request.POST
        unlink_session(stage_session=stage_session, reason=reason, by=actor(request), cancels=cancels)
        messages.success(request, _("%(session)s no longer counts in the tournament.") % {"session": session})
        return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage)
    facts = {
        "heading": _("Remove the session"),
        "form": form,
        "stage_session": stage_session,
        "stage": tournament.format.stage(stage_session.stage),
        "today": timezone.now(),
        "hanchan": stage_session.session.hanchan.valid().count(),
    }
    return page(request, tournament, "director/unlink", facts)


@in_tournament(MANAGE)
def postpone(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    stage_session = get_object_or_404(StageSession.objects.select_related("session"), tournament=tournament, pk=pk)
    stage_session.tournament, stage_session.session.league = tournament, tournament.league
    names: dict[int, dict[str, None]] = {}
    for _number, table, players in plan_of(stage_session.session):
        names.setdefault(table, {}).update(dict.fromkeys(player.name for player in players))
    tables = [
        (table, _("Table %(number)s") % {"number": table} + f" · {joined(found)}") for table, found in names.items()
    ]
    form = forms.PostponeTableForm(request.POST or None, tables=tables, initial={"table": request.GET.get("table")})
    if form.is_valid():
        with RefusalsOn(form):
            postponed = postpone_table(stage_session=stage_session, **form.cleaned_data, by=actor(request))
            facts = {"table": form.cleaned_data["table"], "day": when(postponed.session)}
            messages.success(request, _("Table %(table)s will be played on %(day)s.") % facts)
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage_session.stage)
    facts = {
        "heading": _("Postpone a table"),
        "form": form,
        "stage_session": stage_session,
        "stage": tournament.format.stage(stage_session.stage),
        "has_tables": bool(tables),
    }
    return page(request, tournament, "director/postpone", facts)
