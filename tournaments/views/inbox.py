"""The director's page: pending tasks, tables in play, next step."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from league.core.limits import MAX_REASON_LENGTH
from league.core.sessions import SessionPhase
from league.http.access import actor
from league.http.caching import edition_of, publish
from league.permissions import MANAGE
from league.selectors.planning import last_venue
from tournaments.core.length import is_one_day
from tournaments.forms.planning import StepForm
from tournaments.http.pages import RefusalsOn, in_tournament, page, stage_or_404
from tournaments.http.todo import todo_lines
from tournaments.messages.errors import tournament_error_sentence
from tournaments.messages.moves import are_tables
from tournaments.messages.titles import destination_label, stage_name
from tournaments.models import Entry, Tournament
from tournaments.selectors.decisions import short_tables
from tournaments.selectors.hall import open_calls
from tournaments.selectors.inbox import inbox_items, session_states, withdrawn_from
from tournaments.selectors.league_hooks import tournament_phases
from tournaments.selectors.seating import session_seatings, sessions_waiting
from tournaments.selectors.stage_views import champion_sentence, champions
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.events import TournamentError
from tournaments.services.rounds import RoundProposal, plan_next_round, round_proposals, rounds_so_far
from tournaments.services.steps import FollowingStage, StageStep, stage_step, stage_steps, take_step

STEPS = frozenset({"approve", "next_round", "finish"})
"""Tasks shown as the next step, so the list leaves them out."""


@require_safe
@in_tournament(MANAGE)
def inbox(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    early = request.GET.get("early", "")
    return publish(request, edition_of(tournament.league), lambda: _page(request, state_of(tournament), early=early))


@require_POST
@in_tournament(MANAGE)
def step(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    found = stage_or_404(tournament, stage)
    current = state_of(tournament)
    offered = stage_step(current, current.state.stage(found.key))
    form = StepForm(request.POST.dict(), needs_day=offered is not None and offered.needs_day)
    if form.is_valid():
        with RefusalsOn(form, current.state.format):
            taken = take_step(
                tournament=tournament,
                stage=stage,
                seen=form.cleaned_data["seen"],
                plan=form.plan(last_venue(tournament.league)),
                by=actor(request),
            )
            text = _("%(stage)s: advancement approved.") % {"stage": stage_name(taken.stage)}
            text = champion_sentence(current, taken.stage, dict(taken.moves)) or text
            if taken.closes:
                closed = _("The tournament is finished, and its page is an archive.")
                text = _("%(first)s %(second)s") % {"first": text, "second": closed}
            messages.success(request, text)
            name = "tournaments:tournament" if taken.closes else "tournaments:inbox"
            return redirect(name, tournament.league.slug, tournament.key)
    return _page(request, state_of(tournament), sent=(stage, form))


@require_POST
@in_tournament(MANAGE)
def next_round(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    found = stage_or_404(tournament, stage)
    block = request.POST.get("block", "")
    if block not in found.block_keys:
        raise Http404
    with RefusalsOn(request):
        plan_next_round(
            tournament=tournament,
            stage=stage,
            block=block,
            seen=request.POST.get("seen", ""),
            by=actor(request),
            reason=request.POST.get("reason", "").replace("\0", "")[:MAX_REASON_LENGTH],
        )
        messages.success(request, _("The tables of the next round are planned."))
        return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    if "reason" in request.POST:
        return _page(request, state_of(tournament), early=stage)
    return redirect("tournaments:inbox", tournament.league.slug, tournament.key)


def _page(
    request: HttpRequest, current: CurrentState, *, sent: tuple[str, StepForm] | None = None, early: str = ""
) -> HttpResponse:
    tournament = current.tournament
    today = tournament.league.day_of(timezone.now())
    steps = list(_step_panels(current, sent))
    stepped = {each["step"].stage.key for each in steps}
    if sent is not None and sent[0] not in stepped:
        # The step is no longer available: it was already taken, or a result changed.
        messages.error(request, tournament_error_sentence(TournamentError("proposal_changed")))
    playing = [each for each in session_seatings(current) if each.current and each.day <= today]
    shown = {each.stage_session.pk for each in playing}
    waiting, phases = sessions_waiting(playing), tournament_phases(current, timezone.now())
    items = [
        item
        for item in inbox_items(current, today)
        if (item.kind not in STEPS or (item.kind == "approve" and item.stage and item.stage.key not in stepped))
        # Tables with buttons to enter them say the same.
        and not (item.kind == "results" and item.stage_session and item.stage_session.pk in shown)
    ]
    planned = {follow.stage.key for each in steps for follow in each["step"].follows if follow.tables}
    items = [item for item in items if item.kind != "plan" or not item.stage or item.stage.key not in planned]
    blocks = rounds_so_far(current)
    facts: dict[str, Any] = {
        "heading": _("Directing"),
        "calls": open_calls(tournament),
        "items": todo_lines(tournament, items),
        "steps": steps,
        "is_vacant": any(item.kind == "vacancy" for item in items),
        "rounds": [_round_panel(current, each) for each in round_proposals(current, blocks, early)],
        "reason": request.POST.get("reason", ""),
        "unfinished": [each for each in blocks if each.is_open and each.tables and each.stage.key != early],
        "can_finish": current.state.is_over and tournament.state != Tournament.State.FINISHED,
        "champions": champions(current),
        "playing": playing,
        "waiting": waiting,
        "left": {each.entry.player.pk: each.entry.pk for each in short_tables(current)},
        "phases": phases | {each: SessionPhase.TONIGHT for each in waiting if phases[each] is SessionPhase.RUNNING},
        "current": current,
        "stages": current.state.stages,
        "sessions": session_states(current),
        "is_open": tournament.state == Tournament.State.PREPARING,
    }
    return page(request, tournament, "director/inbox", facts)


def _step_panels(current: CurrentState, sent: tuple[str, StepForm] | None = None) -> Iterable[dict[str, Any]]:
    for each in stage_steps(current):
        initial = {"seen": each.mark, "day": _usual_day(current, each)}
        form = StepForm(needs_day=each.needs_day, initial=initial, auto_id=f"id_{each.stage.key}_%s")
        if sent is not None and sent[0] == each.stage.key:
            form = sent[1]
            # The next submission refers to the proposal shown now.
            form.data = {**form.data, "seen": each.mark}
        rankings = current.state.stage(each.stage.key).rankings
        points = {int(line.participant): line.points for ranking in rankings for line in ranking.lines}
        yield {
            "step": each,
            "form": form,
            "moves": [
                (
                    destination_label(to, current.state.format),
                    [(entry, points[entry.pk]) for entry in _entries(current, pks)],
                )
                for to, pks in each.moves
            ],
            "title": current.state.format.title_of(each.stage.key),
            "left": withdrawn_from(current, each.stage),
            "follows": [_next_stage(current, found, dict(each.moves)) for found in each.follows],
        }


def _usual_day(current: CurrentState, taken: StageStep) -> date:
    today: date = current.tournament.league.day_of(timezone.now())
    days = [each.session.date for each in current.sessions if each.stage == taken.stage.key]
    last = max(days, default=today)
    if last == today or are_tables(taken.stage) or is_one_day(current.state.format):
        return last
    return max(today, last + timedelta(weeks=1))


def _next_stage(current: CurrentState, found: FollowingStage, moves: Mapping[str, Iterable[int]]) -> dict[str, object]:
    tables = [table for _, tables in found.tables for table in tables]
    places = (int(place.participant) for place in current.state.stage(found.stage.key).places)
    pool = sorted({*places, *moves.get(found.stage.key, ())})
    seated = {pk for table in tables for pk in table}
    blocks = found.draw.blocks if found.draw else {}
    return {
        "stage": found.stage,
        "number": len(pool),
        "tables": [_entries(current, table) for table in tables],
        "resting": [each for each in _entries(current, pool) if each.pk not in seated],
        "blocks": [{"key": key, "entries": _entries(current, pks)} for key, pks in blocks.items()],
        "lot": found.draw.seed if found.draw else None,
    }


def _round_panel(current: CurrentState, proposal: RoundProposal) -> dict[str, object]:
    stage = proposal.rounds.stage
    ranked = {line.participant for each in current.state.stage(stage.key).rankings for line in each.lines}
    return {
        "proposal": proposal,
        "tables": [_entries(current, table) for table in proposal.tables],
        "resting": _entries(current, proposal.resting),
        "left": [each for each in withdrawn_from(current, stage) if each.pk in ranked],
        "repeats": [_entries(current, pair) for pair in proposal.repeats],
    }


def _entries(current: CurrentState, pks: Iterable[int]) -> list[Entry]:
    return [current.entries[pk] for pk in pks]
