"""The sessions of a stage: planned, linked, postponed, and hanchan after hanchan."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.forms.reason import ReasonForm
from league.http.access import actor
from league.models import League, Session
from league.permissions import MANAGE
from league.selectors.planning import Plan, plan_of
from tournaments.core.format import SeatingMethod, Stage
from tournaments.core.seating import SeatingError
from tournaments.forms.preparing import MAX_SESSIONS, LinkSessionForm, NextRoundForm, PostponeTableForm, SessionPlanForm
from tournaments.http.access import in_tournament
from tournaments.http.pages import page, stage_or_404
from tournaments.messages.errors import joined, tournament_error_sentence
from tournaments.models import Decision, StageSession, Tournament
from tournaments.selectors.inbox import needs_draw, planned_sessions, unplanned_sessions
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.events import TournamentError
from tournaments.services.planning import (
    link_session,
    plan_next_round,
    plan_stage,
    postpone_table,
    sessions_wanted,
    unlink_session,
)


@in_tournament(MANAGE)
def plan(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Choose the dates of a stage's sessions; the tables follow from its method."""
    found = stage_or_404(tournament, stage)
    current = state_of(tournament)
    together = _together(request, current, found)
    form = SessionPlanForm(
        request.POST or None,
        stage=found,
        sessions=_open_sessions(current, found, together=together),
        initial={"seed": _seating_seed(current, stage), "venue": _last_venue(tournament.league)},
    )
    if form.is_valid():
        try:
            planned = plan_stage(tournament=tournament, stage=stage, plan=form.plan(), by=actor(request))
        except (TournamentError, SeatingError) as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            text = ngettext("%(count)s session is planned.", "%(count)s sessions are planned.", len(planned))
            messages.success(request, text % {"count": len(planned)})
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage)
    facts = {
        "stage": found,
        "progress": current.state.stage(stage),
        "form": form,
        "together": together,
        "has_choice": len(found.blocks) > 1 and not planned_sessions(current, stage),
        "planned": [_planned_session(each) for each in current.sessions if each.stage == stage],
        "by_standing": found.seating in {SeatingMethod.SWISS, SeatingMethod.STANDING},
        "by_hand": found.seating is SeatingMethod.MANUAL,
        "is_undrawn": needs_draw(current, current.state.stage(stage)) or bool(current.state.stage(stage).undrawn),
    }
    return page(request, tournament, "plan", facts)


def _together(request: HttpRequest, current: CurrentState, stage: Stage) -> bool:
    """Return whether one session serves all blocks: as before in this stage, else as asked."""
    taken = planned_sessions(current, stage.key)
    if len(stage.blocks) == 1:
        return False
    return any(not block for _, block in taken) if taken else request.GET.get("sessions") == "together"


def _open_sessions(current: CurrentState, stage: Stage, *, together: bool) -> list[tuple[int, str]]:
    taken = planned_sessions(current, stage.key)
    if together:
        numbers = {number for number, _ in taken}
        return [each for each in sessions_wanted(stage, together=True) if each[0] not in numbers]
    return unplanned_sessions(current, stage)


def _seating_seed(current: CurrentState, stage: str) -> int:
    """Return the number of the draw, so that one number tells everything; 1 where nothing was drawn by lot."""
    draws = (each for each in current.decisions if each.kind == Decision.Kind.DRAW and each.revoked_at is None)
    seeds = [each.body.get("seed") for each in draws if each.stage == stage]
    return next((seed for seed in seeds if seed is not None), 1)


def _last_venue(league: League) -> str:
    last = league.sessions.kept().order_by("-number").first()
    return last.venue if last else ""


def _planned_session(stage_session: StageSession) -> dict[str, object]:
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
            }
            for number, rounds in sorted(tables.items())
        ],
    }


def _keeps_players(rounds: Sequence[Plan]) -> bool:
    return len({frozenset(player.pk for player in players) for _, _, players in rounds}) == 1


@in_tournament(MANAGE)
def link(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Let the hanchan of a session that exists count in a stage."""
    free = tournament.league.sessions.kept().filter(stage__isnull=True).order_by("-date", "-number")
    recent = Session.objects.filter(pk__in=list(free.values_list("pk", flat=True)[:MAX_SESSIONS]))
    form = LinkSessionForm(
        request.POST or None,
        format_=tournament.format,
        sessions=recent.order_by("-date", "-number"),
        initial={"where": request.GET.get("stage")},
    )
    if form.is_valid():
        session = form.cleaned_data["session"]
        try:
            linked = link_session(
                tournament=tournament, session=session, stage_session=form.stage_session(), by=actor(request)
            )
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("%(session)s counts in the tournament now.") % {"session": session})
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, linked.stage)
    return page(request, tournament, "link", {"form": form, "has_any": recent.exists()})


@in_tournament(MANAGE)
def unlink(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Let the hanchan of a session count in no stage any more."""
    stage_session = get_object_or_404(StageSession.objects.select_related("session"), tournament=tournament, pk=pk)
    stage_session.tournament = tournament
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        stage, session = stage_session.stage, stage_session.session
        unlink_session(stage_session=stage_session, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("%(session)s does not count in the tournament any more.") % {"session": session})
        return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage)
    facts = {
        "form": form,
        "stage_session": stage_session,
        "stage": tournament.format.stage(stage_session.stage),
        "today": timezone.now(),
    }
    return page(request, tournament, "unlink", facts | {"hanchan": stage_session.session.hanchan.valid().count()})


@in_tournament(MANAGE)
def postpone(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Move a planned table to another day."""
    stage_session = get_object_or_404(StageSession.objects.select_related("session"), tournament=tournament, pk=pk)
    stage_session.tournament, stage_session.session.league = tournament, tournament.league
    names: dict[int, dict[str, None]] = {}
    for _number, table, players in plan_of(stage_session.session):
        names.setdefault(table, {}).update(dict.fromkeys(player.name for player in players))
    tables = [
        (table, _("Table %(number)s") % {"number": table} + f" · {joined(found)}") for table, found in names.items()
    ]
    form = PostponeTableForm(request.POST or None, tables=tables, initial={"table": request.GET.get("table")})
    if form.is_valid():
        try:
            postponed = postpone_table(stage_session=stage_session, **form.cleaned_data, by=actor(request))
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("The table is played in %(session)s.") % {"session": postponed.session})
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage_session.stage)
    facts = {
        "form": form,
        "stage_session": stage_session,
        "stage": tournament.format.stage(stage_session.stage),
        "has_tables": bool(tables),
    }
    return page(request, tournament, "postpone", facts)


@in_tournament(MANAGE)
def next_round(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Put the tables of the next hanchan together from the standings."""
    found = stage_or_404(tournament, stage)
    form = NextRoundForm(request.POST or None, stage=found, initial={"block": request.GET.get("block")})
    if form.is_valid():
        try:
            plan_next_round(tournament=tournament, stage=stage, **form.cleaned_data, by=actor(request))
        except (TournamentError, SeatingError) as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("The next hanchan is planned."))
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage)
    return page(request, tournament, "next_round", {"form": form, "stage": found})
