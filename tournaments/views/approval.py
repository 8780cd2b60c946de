"""Approving who goes on from a stage."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from league.http.access import actor
from league.permissions import MANAGE
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import AdvancementPath, StageProgress
from tournaments.forms.deciding import ApprovalForm, read_keys, written
from tournaments.http.access import in_tournament
from tournaments.http.pages import page, stage_or_404
from tournaments.messages import destination_label, stage_name
from tournaments.messages.errors import tournament_error_sentence
from tournaments.models import Decision, Entry, Tournament
from tournaments.selectors.inbox import advance_of, vacancies_of
from tournaments.selectors.state import CurrentState, state_of
from tournaments.selectors.withdrawals import withdrawal_of
from tournaments.services.decisions import approve as store_approval
from tournaments.services.decisions import approve_all
from tournaments.services.events import TournamentError


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Somebody who may go on. `elsewhere`: where else he goes by a decision."""

    entry: Entry
    line: RankingLine | None
    block: str
    is_proposed: bool
    is_ticked: bool
    has_left: bool
    elsewhere: str


@dataclass(frozen=True, slots=True)
class _Exit:
    """A way out of a stage as the page needs it."""

    way: AdvancementPath
    name: str
    form: ApprovalForm
    candidates: list[_Candidate]
    proposed: list[Entry]
    level: list[list[Entry]]
    decision: Decision | None
    chosen: list[Entry]
    vacant: int


@in_tournament(MANAGE)
def approve(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Approve who goes on: all as proposed, or destination by destination."""
    stage_or_404(tournament, stage)
    current = state_of(tournament)
    found = current.course.stage(stage)
    to = request.POST.get("to", "")
    ways = {way.to: way for way in found.ways}
    if "all" in request.POST:
        if answer := _approve_all(request, current, found):
            return answer
        current = state_of(tournament)
        found = current.course.stage(stage)
    elif request.POST and to not in ways:
        raise Http404
    exits = [_exit(request, current, found, way) for way in found.ways]
    chosen = next((each for each in exits if each.way.to == to), None)
    if chosen and chosen.form.is_valid() and (answer := _approve_one(request, current, chosen)):
        return answer
    if chosen and "proposal_changed" in chosen.form.reasons:
        current = state_of(tournament)
        found = current.course.stage(stage)
        fresh = [_exit(request, current, found, way, is_fresh=way.to == to) for way in found.ways]
        exits = fresh
    open_exits = [each for each in exits if each.way.decision is None or each.way.flagged]
    facts = {
        "stage": found.stage,
        "course": found,
        "exits": exits,
        "missing": _missing(current, found),
        "can_approve": all(table.complete for table in found.tables) and any(table.lines for table in found.tables),
        "open_exits": open_exits,
        "all_ready": all(each.way.ready for each in open_exits),
        "is_anew": any(each.way.flagged for each in open_exits),
        "seen_all": [(each.way.to, written(each.way.proposed)) for each in exits],
    }
    return page(request, tournament, "approve", facts)


def _approve_all(request: HttpRequest, current: CurrentState, found: StageProgress) -> HttpResponse | None:
    seen = {way.to: read_keys(request.POST.get(f"seen_{way.to}", "")) for way in found.ways}
    try:
        made = approve_all(tournament=current.tournament, stage=found.stage.key, seen=seen, by=actor(request))
    except TournamentError as error:
        messages.error(request, tournament_error_sentence(error, current.course.format))
        return None
    if not made:
        messages.info(request, _("Everything was approved already."))
    else:
        messages.success(request, _("%(stage)s: who goes on is approved.") % {"stage": stage_name(found.stage)})
    return redirect("tournaments:inbox", current.tournament.league.slug, current.tournament.key)


def _exit(
    request: HttpRequest, current: CurrentState, found: StageProgress, way: AdvancementPath, *, is_fresh: bool = False
) -> _Exit:
    proposed = [int(who) for who in way.proposed]
    lines = {int(line.who): (table, line) for table in found.tables for line in table.lines}
    ranking = sorted(lines, key=lambda pk: (lines[pk][1].position, lines[pk][0].block))
    candidates = list(dict.fromkeys((*ranking, *proposed)))
    is_sent = request.POST.get("to") == way.to and "all" not in request.POST
    start = {"to": way.to, "seen": written(proposed), "players": _start(current, way, proposed)}
    sent = request.POST.copy() if is_sent else None
    if sent is not None and is_fresh:
        sent["seen"] = written(proposed)
        sent.setlist("players", list(map(str, proposed)))
    form = ApprovalForm(sent, initial=start, candidates=candidates, proposed=proposed, auto_id=f"id_{way.to}_%s")
    if is_fresh:
        form.refuse("proposal_changed", tournament_error_sentence(TournamentError("proposal_changed")))
    known = current.entries
    decision = advance_of(current, way.stage, way.to)
    return _Exit(
        way=way,
        name=destination_label(way.to, current.course.format),
        form=form,
        candidates=[_candidate(current, found, way, form, lines, pk) for pk in candidates],
        proposed=[known[pk] for pk in proposed],
        level=[[known[int(who)] for who in group] for group in way.proposal.level],
        decision=decision,
        chosen=[known[pk] for pk in decision.body["players"] if pk in known] if decision else [],
        vacant=_vacant(current, way),
    )


def _start(current: CurrentState, way: AdvancementPath, proposed: list[int]) -> list[int]:
    """Return who is ticked at first: the proposal, or for a decision that stands those of it who have not left."""
    if way.decision is None or way.flagged:
        return proposed
    return [int(who) for who in way.decision.players if int(who) in proposed or not withdrawal_of(current, int(who))]


def _vacant(current: CurrentState, way: AdvancementPath) -> int:
    keys = {stage.key for stage in current.course.format.stages}
    return vacancies_of(current.course, current.course.stage(way.to)) if way.to in keys else 0


def _candidate(
    current: CurrentState,
    found: StageProgress,
    way: AdvancementPath,
    form: ApprovalForm,
    lines: Mapping[int, tuple[BlockRanking, RankingLine]],
    pk: int,
) -> _Candidate:
    table, line = lines.get(pk, (None, None))
    others = (other for other in found.ways if other.to != way.to)
    elsewhere = next((other.to for other in others if other.decision and pk in other.decision.players), None)
    return _Candidate(
        entry=current.entries[pk],
        line=line,
        block=table.block if table and len(found.stage.blocks) > 1 else "",
        is_proposed=pk in form.proposed,
        is_ticked=str(pk) in form.ticked,
        has_left=withdrawal_of(current, pk) is not None,
        elsewhere=destination_label(elsewhere, current.course.format) if elsewhere else "",
    )


def _approve_one(request: HttpRequest, current: CurrentState, chosen: _Exit) -> HttpResponse | None:
    tournament, way = current.tournament, chosen.way
    try:
        store_approval(
            tournament=tournament, stage=way.stage, to=way.to, choice=chosen.form.choice(), by=actor(request)
        )
    except TournamentError as error:
        chosen.form.refuse(error.code, tournament_error_sentence(error, current.course.format))
        return None
    messages.success(request, _("%(to)s: who goes on is approved.") % {"to": chosen.name})
    return redirect("tournaments:approve", tournament.league.slug, tournament.key, way.stage)


def _missing(current: CurrentState, found: StageProgress) -> list[dict[str, Any]]:
    """Return who has hanchan left to play, by block."""
    return [
        {"entry": current.entries[int(line.who)], "left": line.left, "block": table.block}
        for table in found.tables
        for line in table.lines
        if line.left and not line.withdrawn and not table.complete
    ]
