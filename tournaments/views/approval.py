from collections.abc import Iterator
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from league.http.access import actor
from league.permissions import MANAGE
from tournaments.core.state import AdvancementPath, StageProgress
from tournaments.forms.deciding import ApprovalForm, read_keys, written
from tournaments.http.pages import RefusalsOn, in_tournament, page, stage_or_404
from tournaments.messages.errors import tournament_error_sentence
from tournaments.messages.titles import approval_label, destination_label, stage_name
from tournaments.models import Tournament
from tournaments.selectors.decisions import (
    can_be_closed,
    decided_elsewhere,
    moves_up_words,
    next_players,
    withdrawal_of,
)
from tournaments.selectors.inbox import advance_of, vacancies_of, withdrawn_from
from tournaments.selectors.stage_views import champion_sentence
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.decisions import approve as store_approval
from tournaments.services.decisions import approve_all
from tournaments.services.events import TournamentError

Section = dict[str, Any]


@in_tournament(MANAGE)
def approve(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    stage_or_404(tournament, stage)
    current = state_of(tournament)
    progress = current.state.stage(stage)
    to = request.POST.get("to", "")
    paths = {path.to: path for path in progress.paths}
    if "all" in request.POST:
        if answer := _approve_all(request, current, progress):
            return answer
        current = state_of(tournament)
        progress = current.state.stage(stage)
    elif request.POST and to not in paths:
        raise Http404
    sections = [_section(request, current, path) for path in progress.paths]
    section = next((each for each in sections if each["path"].to == to), None)
    if section and section["form"].is_valid() and (answer := _approve_one(request, current, section)):
        return answer
    if section and "proposal_changed" in section["form"].reasons:
        current = state_of(tournament)
        progress = current.state.stage(stage)
        sections = [_section(request, current, path, is_fresh=path.to == to) for path in progress.paths]
    open_sections = [each for each in sections if each["path"].decision is None or each["path"].overtaken]
    facts = {
        "heading": approval_label(progress.stage, current.state.format),
        "stage": progress.stage,
        "progress": progress,
        "sections": sections,
        "missing": [
            {"entry": current.entries[int(line.participant)], "left": line.left, "block": ranking.block}
            for ranking in progress.rankings
            for line in ranking.lines
            if line.left and not ranking.complete
        ],
        "can_close": can_be_closed(current, progress),
        "can_approve": all(ranking.complete for ranking in progress.rankings)
        and any(ranking.lines for ranking in progress.rankings),
        "open_sections": open_sections,
        "all_ready": all(each["path"].ready for each in open_sections),
        "title": current.state.format.title_of(stage),
        "is_anew": any(each["path"].overtaken for each in open_sections),
        "seen_all": [(each["path"].to, written(each["path"].proposed)) for each in sections],
    }
    return page(request, tournament, "director/approve", facts)


def _approve_all(request: HttpRequest, current: CurrentState, progress: StageProgress) -> HttpResponse | None:
    seen = {path.to: read_keys(request.POST.get(f"seen_{path.to}", "")) for path in progress.paths}
    with RefusalsOn(request, current.state.format):
        if approve_all(tournament=current.tournament, stage=progress.stage.key, seen=seen, by=actor(request)):
            text = _("%(stage)s: advancement approved.") % {"stage": stage_name(progress.stage)}
            messages.success(request, champion_sentence(current, progress.stage, seen) or text)
        else:
            messages.info(request, _("Everything is already approved."))
        return redirect("tournaments:inbox", current.tournament.league.slug, current.tournament.key)
    return None


def _section(request: HttpRequest, current: CurrentState, path: AdvancementPath, *, is_fresh: bool = False) -> Section:
    known, proposed = current.entries, [int(participant) for participant in path.proposed]
    progress = current.state.stage(path.stage)
    lines = {int(line.participant): (table, line) for table in progress.rankings for line in table.lines}
    ranking = sorted(lines, key=lambda pk: (lines[pk][1].position, lines[pk][0].block))
    candidates = list(dict.fromkeys((*ranking, *proposed)))
    is_sent = request.POST.get("to") == path.to and "all" not in request.POST
    going = map(int, path.decision.players) if path.decision and not path.overtaken else proposed
    staying = [pk for pk in going if pk in proposed or not withdrawal_of(current, pk)]
    start = {"to": path.to, "seen": written(proposed), "players": staying}
    sent = request.POST.copy() if is_sent else None
    if sent is not None and is_fresh:
        sent["seen"] = written(proposed)
        sent.setlist("players", list(map(str, proposed)))
    form = ApprovalForm(sent, initial=start, candidates=candidates, proposed=proposed, auto_id=f"id_{path.to}_%s")
    if is_fresh:
        form.refuse("proposal_changed", tournament_error_sentence(TournamentError("proposal_changed")))

    def candidate(pk: int) -> dict[str, Any]:
        ranking, line = lines.get(pk, (None, None))
        elsewhere, is_ticked = decided_elsewhere(progress, path, pk), str(pk) in form.ticked
        return {
            "entry": known[pk],
            "line": line,
            "block": ranking.block if ranking and len(progress.stage.blocks) > 1 else "",
            "is_proposed": pk in proposed,
            "is_ticked": is_ticked,
            "has_left": (has_left := withdrawal_of(current, pk) is not None),
            "elsewhere": destination_label(elsewhere, current.state.format) if elsewhere else "",
            "is_shut": not is_ticked and bool(has_left or elsewhere),
        }

    decision = advance_of(current, path.stage, path.to)
    vacant = _vacant(current, path)
    form.fields["reason"].required = bool(vacant and decision and not path.overtaken)
    rows = [candidate(pk) for pk in candidates]
    left = {place.block for place in path.proposal.places if place.participant not in path.proposed}
    others = [each for each in rows if not (each["is_ticked"] or each["has_left"])]
    free = [each for each in others if not each["is_shut"]] or others
    free.sort(key=lambda each: each["block"] not in left)
    return {
        "path": path,
        "name": destination_label(path.to, current.state.format),
        "form": form,
        "candidates": rows,
        "next": free[0] if vacant and free else None,
        "proposed": [known[pk] for pk in proposed],
        "level": [[known[int(participant)] for participant in group] for group in path.proposal.level],
        "decision": decision,
        "chosen": [known[pk] for pk in decision.body["players"] if pk in known] if decision else [],
        "vacant": vacant,
        "moves": list(_moves(current, path)) if vacant else [],
        "is_folded": decision is not None and not (form.is_bound or path.overtaken or vacant),
    }


def _moves(current: CurrentState, path: AdvancementPath) -> Iterator[tuple[str, str]]:
    """Yield who can move up for whom, with the address where that is one step."""
    stages = [each.stage for each in current.state.stages if each.stage.key == path.to]
    for entry in (entry for stage in stages for entry in withdrawn_from(current, stage)):
        for each in next_players(current, entry.pk, path.to):
            if not each.has_begun and each.path.stage == path.stage:
                yield moves_up_words(each), f"?entry={entry.pk}&stage={path.to}&remedy={each.answer}"


def _vacant(current: CurrentState, path: AdvancementPath) -> int:
    keys = {stage.key for stage in current.state.format.stages}
    if path.to in keys:
        return vacancies_of(current.state, current.state.stage(path.to))
    return path.vacant if path.ready and path.decision is None else 0


def _approve_one(request: HttpRequest, current: CurrentState, section: Section) -> HttpResponse | None:
    tournament, path, form = current.tournament, section["path"], section["form"]
    try:
        store_approval(tournament=tournament, stage=path.stage, to=path.to, choice=form.choice(), by=actor(request))
    except TournamentError as error:
        form.refuse(error.code, tournament_error_sentence(error, current.state.format))
        return None
    text = _("%(to)s: advancement approved.") % {"to": section["name"]}
    stage = current.state.stage(path.stage).stage
    messages.success(request, champion_sentence(current, stage, {path.to: form.choice().players}) or text)
    return redirect("tournaments:approve", tournament.league.slug, tournament.key, path.stage)
