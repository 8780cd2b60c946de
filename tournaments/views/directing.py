"""Directing a tournament that is under way: what waits, and what a person decides."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from league.forms.people import ReasonForm
from league.models import Player
from league.permissions import MANAGE
from league.selectors.planning import plan_of
from league.views.access import actor
from tournaments.core.course import Course, StageCourse, StageState, Way
from tournaments.core.format import Stage
from tournaments.core.ranking import Line, Table
from tournaments.core.seating import SeatingError
from tournaments.forms.deciding import ApprovalForm, LeavingForm, OrderForm, WithdrawalForm, read_keys, written
from tournaments.forms.preparing import PostponeForm, RoundForm
from tournaments.models import Decision, Entry, StageSession, Tournament
from tournaments.selectors.course import Current, course_of
from tournaments.selectors.inbox import advance_of, session_states, vacancies_of, waiting_in
from tournaments.services.acts import TournamentError
from tournaments.services.decisions import (
    approve as store_approval,
)
from tournaments.services.decisions import (
    approve_all,
    keep_decision,
    put_in_order,
    reopening,
    resume,
    revoke_withdrawal,
)
from tournaments.services.decisions import finish as close
from tournaments.services.decisions import reopen as take_back
from tournaments.services.decisions import withdraw as store_withdrawal
from tournaments.services.planning import plan_next_round, postpone_table
from tournaments.views.access import in_tournament
from tournaments.views.setup import page, stage_or_404
from tournaments.wording import destination_label, rank_label, stage_name
from tournaments.wording.errors import joined, tournament_error_sentence


@require_safe
@in_tournament(MANAGE)
def inbox(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Return what waits for the director, and the ways to everything."""
    current = course_of(tournament)
    facts = {
        "items": waiting_in(current, tournament.league.day_of(timezone.now())),
        "current": current,
        "stages": current.course.stages,
        "sessions": session_states(current),
        "is_open": tournament.state == Tournament.State.PREPARING,
    }
    return page(request, tournament, "inbox", facts)


# --- Who goes on -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Somebody who may go on. `elsewhere`: where else he goes by a decision."""

    entry: Entry
    line: Line | None
    block: str
    is_proposed: bool
    is_ticked: bool
    has_left: bool
    elsewhere: str


@dataclass(frozen=True, slots=True)
class _Exit:
    """A way out of a stage as the page needs it."""

    way: Way
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
    current = course_of(tournament)
    found = current.course.stage(stage)
    to = request.POST.get("to", "")
    ways = {way.to: way for way in found.ways}
    if "all" in request.POST:
        if answer := _approve_all(request, current, found):
            return answer
        current = course_of(tournament)
        found = current.course.stage(stage)
    elif request.POST and to not in ways:
        raise Http404
    exits = [_exit(request, current, found, way) for way in found.ways]
    chosen = next((each for each in exits if each.way.to == to), None)
    if chosen and chosen.form.is_valid() and (answer := _approve_one(request, current, chosen)):
        return answer
    if chosen and "proposal_changed" in chosen.form.reasons:
        current = course_of(tournament)
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


def _approve_all(request: HttpRequest, current: Current, found: StageCourse) -> HttpResponse | None:
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


def _exit(request: HttpRequest, current: Current, found: StageCourse, way: Way, *, is_fresh: bool = False) -> _Exit:
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


def _start(current: Current, way: Way, proposed: list[int]) -> list[int]:
    """Return who is ticked at first: the proposal, or for a decision that stands those of it who have not left."""
    if way.decision is None or way.flagged:
        return proposed
    return [int(who) for who in way.decision.players if int(who) in proposed or not _withdrawal(current, int(who))]


def _vacant(current: Current, way: Way) -> int:
    keys = {stage.key for stage in current.course.format.stages}
    return vacancies_of(current.course, current.course.stage(way.to)) if way.to in keys else 0


def _candidate(
    current: Current,
    found: StageCourse,
    way: Way,
    form: ApprovalForm,
    lines: Mapping[int, tuple[Table, Line]],
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
        has_left=_withdrawal(current, pk) is not None,
        elsewhere=destination_label(elsewhere, current.course.format) if elsewhere else "",
    )


def _approve_one(request: HttpRequest, current: Current, chosen: _Exit) -> HttpResponse | None:
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


def _missing(current: Current, found: StageCourse) -> list[dict[str, Any]]:
    """Return who has hanchan left to play, by block."""
    return [
        {"entry": current.entries[int(line.who)], "left": line.left, "block": table.block}
        for table in found.tables
        for line in table.lines
        if line.left and not line.withdrawn and not table.complete
    ]


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
    current = course_of(tournament)
    way = current.course.stage(decision.stage).way(decision.to)
    known = current.entries
    facts = {
        "form": form,
        "decision": decision,
        "stage": current.course.stage(decision.stage).stage,
        "to": destination_label(decision.to, current.course.format),
        "way": way,
        "decided": [known[who] for who in decision.body["players"] if who in known],
        "now": [known[int(who)] for who in way.proposed],
        "stands": decision.revoked_at is None,
    }
    return page(request, tournament, "keep", facts)


@in_tournament(MANAGE)
def reopen(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Show what reopening a stage would undo, and do it with a reason."""
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
    current = course_of(tournament)
    undone = reopening(current, stage)
    facts = {
        "form": form,
        "stage": found,
        "decisions": [_told(current, each) for each in undone.decisions],
        "sessions": undone.sessions,
    }
    return page(request, tournament, "reopen", facts)


def _told(current: Current, decision: Decision) -> dict[str, object]:
    """Return a decision with the names of what it is about."""
    known = current.entries
    format_ = current.course.format
    return {
        "decision": decision,
        "stage": format_.stage(decision.stage),
        "to": destination_label(decision.to, format_) if decision.to else "",
        "names": joined(known[pk].player.name for pk in decision.entries() if pk in known),
    }


@in_tournament(MANAGE)
def order(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Put level players in order, with how it was settled."""
    found = stage_or_404(tournament, stage)
    current = course_of(tournament)
    groups = _level_groups(current, current.course.stage(stage))
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


def _level_groups(current: Current, course: StageCourse) -> list[tuple[list[Entry], bool]]:
    """Return groups of level players; those first through whom a line runs, which are True."""
    lines = dict.fromkeys(group for way in course.ways for group in way.proposal.level)
    others = dict.fromkeys(group for table in course.tables if table.complete for group in table.level)
    return [([current.entries[int(who)] for who in group], group in lines) for group in {**lines, **others}]


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


# --- Who leaves ------------------------------------------------------------------------------------------------------


@in_tournament(MANAGE)
def withdraw(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Let somebody leave: first who and when, then what it does and why; also take a withdrawal back."""
    current = course_of(tournament)
    asked = request.POST if "entry" in request.POST else request.GET
    leaving = LeavingForm(
        asked if "entry" in asked else None, entries=current.entries, format_=tournament.format, initial={"stage": None}
    )
    is_chosen = leaving.is_bound and leaving.is_valid()
    entry = current.entries[leaving.cleaned_data["entry"]] if is_chosen else None
    stage = leaving.cleaned_data["stage"] if is_chosen else ""
    known = Player.objects.filter(league=tournament.league).active()
    free = known.exclude(entries__tournament=tournament).by_reading()
    form = WithdrawalForm(request.POST if entry and request.POST else None, players=free)
    earlier = _withdrawal(current, entry.pk) if entry else None
    if entry and form.is_valid() and (answer := _withdraw(request, tournament, (entry, stage, earlier), form)):
        return answer
    facts = {
        "leaving": leaving,
        "form": form,
        "entry": entry,
        "stage": tournament.format.stage(stage) if stage else None,
        "effects": _effects(current, entry, stage) if entry else None,
        "earlier": earlier,
        "replaced": earlier
        and current.entries.get(earlier.body.get("substitutes", {}).get(str(entry and entry.pk), 0)),
        "withdrawals": _withdrawals(current),
        "is_open": tournament.state == Tournament.State.PREPARING,
    }
    return page(request, tournament, "withdraw", facts)


def _withdrawal(current: Current, pk: int) -> Decision | None:
    standing = (each for each in current.decisions if each.revoked_at is None)
    return next(
        (each for each in standing if each.kind == Decision.Kind.WITHDRAWN and pk in each.body["entries"]), None
    )


def _withdrawals(current: Current) -> list[dict[str, object]]:
    kind = Decision.Kind.WITHDRAWN
    standing = [each for each in current.decisions if each.revoked_at is None and each.kind == kind]
    return [
        {
            "decision": each,
            "stage": current.course.format.stage(each.stage),
            "entries": [current.entries[pk] for pk in each.body["entries"] if pk in current.entries],
            "substitutes": [current.entries[pk] for pk in each.body.get("substitutes", {}).values()],
        }
        for each in standing
    ]


def _withdraw(
    request: HttpRequest,
    tournament: Tournament,
    leaving: tuple[Entry, str, Decision | None],
    form: WithdrawalForm,
) -> HttpResponse | None:
    """Store, change or take back a withdrawal; return the way on, or None when it cannot be."""
    entry, stage, earlier = leaving
    reason, substitute = form.cleaned_data["reason"], form.cleaned_data["substitute"]
    is_back = "back" in request.POST
    try:
        with transaction.atomic():
            if earlier is not None and (is_back or substitute is not None):
                earlier.tournament = tournament
                revoke_withdrawal(decision=earlier, reason=reason, by=actor(request))
                stage = earlier.stage
            if not is_back:
                store_withdrawal(
                    tournament=tournament,
                    stage=stage,
                    entry=entry,
                    substitute=substitute,
                    reason=reason,
                    by=actor(request),
                )
    except TournamentError as error:
        form.add_error(None, tournament_error_sentence(error))
        return None
    text = _("%(name)s plays on.") if is_back else _("%(name)s has withdrawn.")
    messages.success(request, text % {"name": entry.player.name})
    return redirect("tournaments:inbox", tournament.league.slug, tournament.key)


@dataclass(frozen=True, slots=True)
class _Effects:
    """What a withdrawal does: ranks that are kept, hanchan not played any more, stages in which a place becomes free."""

    kept: list[str]
    left: int
    vacated: list[Stage]


def _effects(current: Current, entry: Entry, stage: str) -> _Effects:
    course, format_ = current.course, current.course.format
    keys = [each.key for each in format_.stages]
    here = keys.index(stage)
    kept = []
    left = 0
    for number, each in enumerate(course.stages[: here + 1]):
        line, block = _line(each, entry.pk)
        if line is not None and line.played:
            kept.append(rank_label(each.stage, block, line.position, format_))
            left = line.left if number == here else left
    started = _line(course.stage(stage), entry.pk)[0]
    first = here + 1 if started is not None and started.played else here
    vacated = [each.stage for each in course.stages[first:] if any(seat.who == entry.pk for seat in each.seats)]
    return _Effects(kept, left if course.stage(stage).state is StageState.RUNNING else 0, vacated)


def _line(course: StageCourse, pk: int) -> tuple[Line | None, str]:
    for table in course.tables:
        for line in table.lines:
            if line.who == pk:
                return line, table.block if len(course.stage.blocks) > 1 else ""
    return None, ""


# --- Tables ----------------------------------------------------------------------------------------------------------


@in_tournament(MANAGE)
def postpone(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Move a planned table to another evening."""
    place = get_object_or_404(StageSession.objects.select_related("session"), tournament=tournament, pk=pk)
    place.tournament, place.session.league = tournament, tournament.league
    names: dict[int, dict[str, None]] = {}
    for _number, table, players in plan_of(place.session):
        names.setdefault(table, {}).update(dict.fromkeys(player.name for player in players))
    tables = [
        (table, _("Table %(number)s") % {"number": table} + f" · {joined(found)}") for table, found in names.items()
    ]
    form = PostponeForm(request.POST or None, tables=tables, initial={"table": request.GET.get("table")})
    if form.is_valid():
        try:
            made = postpone_table(stage_session=place, **form.cleaned_data, by=actor(request))
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("The table is played in %(session)s.") % {"session": made.session})
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, place.stage)
    facts = {"form": form, "place": place, "stage": tournament.format.stage(place.stage), "has_tables": bool(tables)}
    return page(request, tournament, "postpone", facts)


@in_tournament(MANAGE)
def next_round(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Put the tables of the next hanchan together from the standings."""
    found = stage_or_404(tournament, stage)
    form = RoundForm(request.POST or None, stage=found, initial={"block": request.GET.get("block")})
    if form.is_valid():
        try:
            plan_next_round(tournament=tournament, stage=stage, **form.cleaned_data, by=actor(request))
        except (TournamentError, SeatingError) as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("The next hanchan is planned."))
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage)
    return page(request, tournament, "next_round", {"form": form, "stage": found})


# --- The end ---------------------------------------------------------------------------------------------------------


@in_tournament(MANAGE)
def finish(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Close a tournament that is over, or open a finished one again with a reason."""
    is_finished = tournament.state == Tournament.State.FINISHED
    form = ReasonForm(request.POST if is_finished and request.method == "POST" else None)
    if request.method == "POST":
        answer = _resume(request, tournament, form) if is_finished else _finish(request, tournament)
        if answer:
            return answer
    current = course_of(tournament)
    facts = {
        "form": form,
        "is_finished": is_finished,
        "is_over": current.course.is_over,
        "arrivals": _arrivals(current.course, current.entries),
        "placings": [
            {"placing": each, "entry": current.entries[int(each.who)]} for each in current.course.placings[:8]
        ],
        "open_stages": [each for each in current.course.stages if each.state is not StageState.DECIDED],
        "flags": len(current.course.flags),
    }
    return page(request, tournament, "finish", facts)


def _arrivals(course: Course, entries: Mapping[int, Entry]) -> list[dict[str, object]]:
    return [
        {"name": destination_label(key, course.format), "entries": [entries[int(seat.who)] for seat in seats]}
        for key, seats in course.arrivals.items()
    ]


def _finish(request: HttpRequest, tournament: Tournament) -> HttpResponse | None:
    try:
        close(tournament=tournament, by=actor(request))
    except TournamentError as error:
        messages.error(request, tournament_error_sentence(error))
        return None
    messages.success(request, _("%(name)s is finished. Its page is the archive now.") % {"name": tournament.name})
    return redirect("tournaments:tournament", tournament.league.slug, tournament.key)


def _resume(request: HttpRequest, tournament: Tournament, form: ReasonForm) -> HttpResponse | None:
    if not form.is_valid():
        return None
    resume(tournament=tournament, reason=form.cleaned_data["reason"], by=actor(request))
    messages.success(request, _("%(name)s is under way again.") % {"name": tournament.name})
    return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
