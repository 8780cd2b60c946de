"""Decisions of a person: one that stands, a stage taken back, level players put in order."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from league.forms.reason import ReasonForm
from league.http.access import actor
from league.permissions import MANAGE
from tournaments.core.format import Stage
from tournaments.core.state import StageProgress
from tournaments.forms.deciding import ClosingForm, OrderForm, read_keys, written
from tournaments.http.access import in_tournament
from tournaments.http.pages import page, stage_or_404
from tournaments.messages.errors import joined, tournament_error_sentence
from tournaments.messages.places import destination_label
from tournaments.messages.titles import stage_name
from tournaments.models import Decision, Entry, Tournament
from tournaments.selectors.closing import can_be_closed, short_of_hanchan
from tournaments.selectors.short_tables import unplayed_tables
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.decisions import close_stage, keep_decision, put_in_order, reopening_effects
from tournaments.services.decisions import reopen as take_back
from tournaments.services.events import TournamentError


@in_tournament(MANAGE)
def keep(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Let a decision stand that a correction has overtaken, with a reason."""
    decision = get_object_or_404(tournament.decisions.filter(kind=Decision.Kind.ADVANCE), pk=pk)
    decision.tournament = tournament
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        try:
            keep_decision(decision=decision, reason=form.cleaned_data["reason"], by=actor(request))
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("The decision stands."))
            return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    current = state_of(tournament)
    path = current.state.stage(decision.stage).path(decision.to)
    known = current.entries
    facts = {
        "form": form,
        "decision": decision,
        "stage": current.state.stage(decision.stage).stage,
        "to": destination_label(decision.to, current.state.format),
        "decided": [known[participant] for participant in decision.body["players"] if participant in known],
        "now": [known[int(participant)] for participant in path.proposed],
        "stands": decision.revoked_at is None,
    }
    return page(request, tournament, "keep", facts)


@in_tournament(MANAGE)
def reopen(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    found = stage_or_404(tournament, stage)
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        try:
            take_back(tournament=tournament, stage=stage, reason=form.cleaned_data["reason"], by=actor(request))
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("%(stage)s is open again.") % {"stage": stage_name(found)})
            return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    current = state_of(tournament)
    undone = reopening_effects(current, stage)
    facts = {
        "form": form,
        "stage": found,
        "decisions": [_undone_decision(current, each) for each in undone.decisions],
        "sessions": undone.sessions,
    }
    return page(request, tournament, "reopen", facts)


@in_tournament(MANAGE)
def close(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Close a stage with what was played: name everybody who has played less, and say what becomes of them."""
    found = stage_or_404(tournament, stage)
    current = state_of(tournament)
    progress = current.state.stage(stage)
    lines = {int(line.participant): line for ranking in progress.rankings for line in ranking.lines}
    short = [current.entries[pk] for pk in short_of_hanchan(progress)]
    form = ClosingForm(request.POST or None, short=short)
    if form.is_valid():
        try:
            close_stage(
                tournament=tournament,
                stage=stage,
                short=read_keys(request.POST.get("short", "")),
                unranked=form.unranked(),
                reason=form.cleaned_data["reason"],
                by=actor(request),
            )
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("%(stage)s is closed with what was played.") % {"stage": stage_name(found)})
            return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    facts = {
        "form": form,
        "stage": found,
        "short": [{"entry": each, "line": lines[each.pk], "field": form[f"entry_{each.pk}"]} for each in short],
        "key": written(each.pk for each in short),
        "sessions": [each for each in current.sessions if each.stage == stage],
        "can_close": can_be_closed(current, progress),
        "planned": unplayed_tables(current, stage),
    }
    return page(request, tournament, "close", facts)


def _undone_decision(current: CurrentState, decision: Decision) -> dict[str, object]:
    known = current.entries
    format_ = current.state.format
    return {
        "decision": decision,
        "stage": format_.stage(decision.stage),
        "to": destination_label(decision.to, format_) if decision.to else "",
        "names": joined(known[pk].player.name for pk in decision.entries() if pk in known),
    }


@in_tournament(MANAGE)
def order(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    found = stage_or_404(tournament, stage)
    current = state_of(tournament)
    groups = _level_groups(current, current.state.stage(stage))
    sent = read_keys(request.POST.get("group", ""))
    forms = []
    for group, on_line in groups:
        is_sent = set(sent) == {entry.pk for entry in group}
        form = OrderForm(request.POST if is_sent else None, group=group, auto_id=f"id_{group[0].pk}_%s")
        forms.append({"form": form, "group": group, "on_line": on_line, "key": written(each.pk for each in group)})
        if is_sent and form.is_valid() and (answer := _put_in_order(request, tournament, found, form)):
            return answer
    if request.POST and not any(each["form"].is_bound for each in forms):  # type: ignore[attr-defined]
        messages.error(request, tournament_error_sentence(TournamentError("not_level")))
    return page(request, tournament, "order", {"stage": found, "groups": forms})


def _level_groups(current: CurrentState, progress: StageProgress) -> list[tuple[list[Entry], bool]]:
    """Return groups of level players; those first through whom a line runs, which are True."""
    lines = dict.fromkeys(group for path in progress.paths for group in path.proposal.level)
    others = dict.fromkeys(group for ranking in progress.rankings if ranking.complete for group in ranking.level)
    return [
        ([current.entries[int(participant)] for participant in group], group in lines) for group in {**lines, **others}
    ]


def _put_in_order(request: HttpRequest, tournament: Tournament, stage: Stage, form: OrderForm) -> HttpResponse | None:
    try:
        put_in_order(
            tournament=tournament,
            stage=stage.key,
            players=form.players(),
            reason=form.cleaned_data["reason"],
            by=actor(request),
        )
    except TournamentError as error:
        form.add_error(None, tournament_error_sentence(error))
        return None
    messages.success(request, _("The order is settled."))
    return redirect("tournaments:approve", tournament.league.slug, tournament.key, stage.key)
