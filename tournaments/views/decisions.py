from collections.abc import Iterable
from dataclasses import replace

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from league.forms.names import ReasonForm
from league.http.access import actor
from league.messages import joined, plain_name
from league.models import Player
from league.permissions import MANAGE
from tournaments.core.facts import Participant, Remedy, Withdrawal
from tournaments.core.format import SeatingMethod, Stage
from tournaments.core.resolution import final_ranks, resolve
from tournaments.core.state import StageProgress, StageState, TournamentState
from tournaments.forms.deciding import (
    ClosingForm,
    Newcomers,
    OrderForm,
    WithdrawalForm,
    WithdrawingPlayerForm,
    read_keys,
    written,
)
from tournaments.http.pages import RefusalsOn, in_tournament, page, stage_or_404
from tournaments.messages.errors import tournament_error_sentence
from tournaments.messages.titles import destination_label, rank_text, settled_words, stage_and_block, stage_name
from tournaments.models import Decision, Entry, Tournament
from tournaments.selectors import decisions as selector
from tournaments.selectors.inbox import inbox_items
from tournaments.selectors.state import CurrentState, names_of, state_of
from tournaments.services import decisions as service
from tournaments.services.events import TournamentError
from tournaments.services.short_tables import Settlement, is_played


@in_tournament(MANAGE)
def keep(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    decision = get_object_or_404(tournament.decisions.filter(kind=Decision.Kind.ADVANCE), pk=pk)
    decision.tournament = tournament
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        with RefusalsOn(form):
            service.keep_decision(decision=decision, reason=form.cleaned_data["reason"], by=actor(request))
            messages.success(request, _("The decision was kept."))
            return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    current = state_of(tournament)
    path = current.state.stage(decision.stage).path(decision.to)
    known = current.entries
    facts = {
        "heading": _("Keep the decision"),
        "form": form,
        "decision": decision,
        "stage": current.state.stage(decision.stage).stage,
        "to": destination_label(decision.to, current.state.format),
        "decided": [known[participant] for participant in decision.body["players"] if participant in known],
        "now": [known[int(participant)] for participant in path.proposed],
        "stands": decision.revoked_at is None,
    }
    return page(request, tournament, "director/keep", facts)


@in_tournament(MANAGE)
def reopen(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    found = stage_or_404(tournament, stage)
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        with RefusalsOn(form):
            service.reopen(tournament=tournament, stage=stage, reason=form.cleaned_data["reason"], by=actor(request))
            messages.success(request, _("%(stage)s was reopened.") % {"stage": stage_name(found)})
            return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    current = state_of(tournament)
    undone, known = service.reopening_effects(current, stage), current.entries
    facts = {
        "heading": _("Reopen a stage"),
        "form": form,
        "stage": found,
        "decisions": [
            {
                "decision": each,
                "stage": tournament.format.stage(each.stage),
                "to": destination_label(each.to, tournament.format) if each.to else "",
                "names": joined(known[pk].player.name for pk in each.entries() if pk in known),
            }
            for each in undone.decisions
        ],
        "sessions": undone.sessions,
    }
    return page(request, tournament, "director/reopen", facts)


@in_tournament(MANAGE)
def close(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    found = stage_or_404(tournament, stage)
    current = state_of(tournament)
    progress = current.state.stage(stage)
    lines = {int(line.participant): line for ranking in progress.rankings for line in ranking.lines}
    short = [current.entries[pk] for pk in selector.short_of_hanchan(progress)]
    form = ClosingForm(request.POST or None, short=short)
    if form.is_valid():
        with RefusalsOn(form):
            service.close_stage(
                tournament=tournament,
                stage=stage,
                short=read_keys(request.POST.get("short", "")),
                unranked=form.unranked(),
                reason=form.cleaned_data["reason"],
                by=actor(request),
            )
            messages.success(request, _("%(stage)s was closed with the hanchan played.") % {"stage": stage_name(found)})
            return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    facts = {
        "heading": _("Close a stage"),
        "form": form,
        "stage": found,
        "short": [{"entry": each, "line": lines[each.pk], "field": form[f"entry_{each.pk}"]} for each in short],
        "key": written(each.pk for each in short),
        "sessions": [each for each in current.sessions if each.stage == stage],
        "can_close": selector.can_be_closed(current, progress),
        "planned": selector.unplayed_tables(current, stage),
    }
    return page(request, tournament, "director/close", facts)


@in_tournament(MANAGE)
def order(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    found = stage_or_404(tournament, stage)
    current = state_of(tournament)
    sent = read_keys(request.POST.get("group", ""))
    forms = []
    for group, on_line in _level_groups(current, current.state.stage(stage)):
        is_sent = set(sent) == {entry.pk for entry in group}
        form = OrderForm(request.POST if is_sent else None, group=group, auto_id=f"id_{group[0].pk}_%s")
        forms.append({"form": form, "group": group, "on_line": on_line, "key": written(each.pk for each in group)})
        if form.is_valid():
            with RefusalsOn(form):
                reason, players = form.cleaned_data["reason"], form.players()
                service.put_in_order(
                    tournament=tournament, stage=stage, players=players, reason=reason, by=actor(request)
                )
                messages.success(request, _("The order was saved."))
                return redirect("tournaments:approve", tournament.league.slug, tournament.key, stage)
    if request.POST and not any(each["form"].is_bound for each in forms):  # type: ignore[attr-defined]
        messages.error(request, tournament_error_sentence(TournamentError("not_level")))
    return page(request, tournament, "director/order", {"heading": _("Tied players"), "stage": found, "groups": forms})


def _level_groups(current: CurrentState, progress: StageProgress) -> list[tuple[list[Entry], bool]]:
    lines = dict.fromkeys(group for path in progress.paths for group in path.proposal.level)
    others = dict.fromkeys(group for ranking in progress.rankings if ranking.complete for group in ranking.level)
    known = current.entries
    return [([known[int(participant)] for participant in group], group in lines) for group in {**lines, **others}]


@in_tournament(MANAGE)
def withdraw(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    current = state_of(tournament)
    asked = (request.POST or request.GET).dict()
    pk, wanted, standing = asked.get("entry", ""), asked.get("stage", ""), current.standing(Decision.Kind.WITHDRAWN)
    gone = selector.withdrawn(current)
    earlier = next((each for each in standing if pk in map(str, each.body["entries"])), None)
    entries = {key: each for key, each in current.entries.items() if key not in gone or str(key) == pk}
    peopled = [each for each in current.state.stages if each.places] or current.state.stages
    here = {each.stage.key for each in peopled if pk in {str(place.participant) for place in each.places}}
    here = {earlier.stage} if earlier else here
    stages = [each for each in current.state.stages if each.stage.key in here] or peopled
    played = {StageState.PLAYED, StageState.DECIDED}
    now = next((each for each in stages if each.state not in played), stages[-1]).stage.key
    if earlier or (request.GET and wanted not in {each.stage.key for each in stages}):
        asked["stage"] = now
    player_form = WithdrawingPlayerForm(
        asked or None, entries=entries, stages=[each.stage for each in stages], initial={"stage": now}
    )
    is_chosen = player_form.is_bound and player_form.is_valid()
    entry = current.entries[player_form.cleaned_data["entry"]] if is_chosen else None
    stage = player_form.cleaned_data["stage"] if is_chosen else ""
    body = earlier.body if earlier else {}
    settled = {"seats": (), "player": body.get("substitutes", {}).get(pk, 0), **body.get("short", {}).get(pk, {})}
    tables = selector.tables_of(selector.unplayed_tables(current, stage), entry) if entry else ()
    left = len(tables) or sum(not is_played(row) for row in settled["seats"])
    instead = current.entries.get(settled["player"])
    moving = selector.next_players(current, entry.pk, stage) if entry else ()
    if entry and earlier and instead and settled.get("remedy") == Remedy.NEXT:
        moving = tuple(filter(None, [selector.moved_up(current, instead, stage)]))
    following = moving[0] if moving else None
    newcomers = replace(_newcomers(current, stage, instead, is_short=bool(left)), following=moving)
    chosen = request.GET.get("remedy")
    asked_for = {"remedy": chosen} if chosen in {each.answer for each in moving} else {}
    form = WithdrawalForm(
        request.POST if entry and request.POST else None,
        newcomers=newcomers,
        initial={"disqualified": body.get("disqualified"), "reason": earlier and earlier.reason}
        | {"remedy": settled.get("remedy"), settled.get("remedy", "substitute"): instead and instead.player.pk}
        | asked_for,
    )
    if entry and form.is_valid() and (answer := _withdraw(request, tournament, (entry, stage, earlier), form)):
        return answer
    facts = {
        "heading": _("A player withdraws"),
        "player_form": player_form,
        "form": form,
        "entry": entry,
        "stage": tournament.format.stage(stage) if stage else None,
        "elsewhere": [each for each in tournament.format.stages if each.key == wanted != stage and not earlier],
        "effects": _effects(current, entry, stage) if entry else None,
        "earlier": earlier,
        "left": left,
        "is_undecided": bool(earlier) and _is_undecided(current, entry),
        "can_redraw": bool(earlier and left) and _can_redraw(current, stage),
        "lacks_rules": bool(left) and not newcomers.versions,
        "settled": settled_words(earlier, entry.pk) if earlier and entry else "",
        "replaced": instead,
        "following": following,
        "moving": () if settled.get("remedy") == Remedy.NEXT else moving,
        "leaves": destination_label(following.leaves, tournament.format) if following and following.leaves else "",
        "seated": _seated(current, moving),
        "spot": destination_label(following.path.to, tournament.format) if following else "",
        "withdrawals": [
            {
                "decision": each,
                "stage": tournament.format.stage(each.stage),
                "entries": [current.entries[pk] for pk in each.body["entries"] if pk in current.entries],
                "substitutes": [current.entries[pk] for pk in selector.successors_of(each).values()],
            }
            for each in standing
        ],
        "is_open": tournament.state == Tournament.State.PREPARING,
    }
    return page(request, tournament, "director/withdraw", facts)


def _seated(current: CurrentState, moving: Iterable[selector.NextPlayer]) -> list[selector.NextPlayer]:
    """Return those who have a seat in the stage that they leave to move up."""
    return [
        each
        for each in moving
        if each.leaves and selector.tables_of(selector.unplayed_tables(current, each.leaves), each.entry)
    ]


def _is_undecided(current: CurrentState, entry: Entry | None) -> bool:
    items = inbox_items(current, current.tournament.league.day_of(timezone.now()))
    return any(each.kind in {"vacancy", "short_table"} and entry in each.names for each in items)


def _can_redraw(current: CurrentState, stage: str) -> bool:
    progress = current.state.stage(stage)
    return progress.stage.seating is not SeatingMethod.FIXED and bool(selector.seated_elsewhere(current, progress))


def _newcomers(current: CurrentState, stage: str, instead: Entry | None, *, is_short: bool) -> Newcomers:
    tournament = current.tournament
    known = Player.objects.filter(league=tournament.league).active()
    free = known.exclude(entries__in=tournament.entries.exclude(pk=instead.pk if instead else 0)).by_reading()
    waiting = [entry.player for entry in selector.out_of_play(current, stage) if entry != instead] if stage else []
    versions = selector.rules_for_three(tournament) if is_short else ()
    return Newcomers(tournament.league, waiting, list(free), versions, is_short)


def _withdraw(
    request: HttpRequest, tournament: Tournament, withdrawal: tuple[Entry, str, Decision | None], form: WithdrawalForm
) -> HttpResponse | None:
    entry, stage, earlier = withdrawal
    spot = destination_label(form.newcomers.following[0].path.to, tournament.format) if form.newcomers.following else ""
    reason, settlement = form.cleaned_data["reason"], form.settlement()
    mark, by = form.cleaned_data["disqualified"], actor(request)
    is_back, is_change = "back" in request.POST, "change" in request.POST
    is_marked = earlier is not None and mark == earlier.body.get("disqualified", False)
    is_same = earlier is not None and is_marked and _is_settled(earlier, entry, settlement)
    # Submitting the same form twice changes nothing.
    is_sent_twice = is_same and earlier is not None and earlier.reason == reason and not is_back
    if is_sent_twice and is_change and not settlement:
        form.add_error("substitute", _("Choose how it continues or who plays, or change the reason."))
        return None
    is_reason = is_same and is_change and not is_back
    coming = [each for each in form.newcomers.following if settlement and each.entry.player == settlement.player]
    with RefusalsOn(form, tournament.format), transaction.atomic():
        seated, made = _seated(state_of(tournament), coming), None
        if earlier is not None and is_reason and not is_sent_twice:
            service.correct_reason(decision=earlier, name=entry.player.name, reason=reason, by=by)
        elif earlier is not None and (is_back or not is_same):
            service.revoke_withdrawal(decision=earlier, reason=reason, by=by, is_change=not is_back)
        if not (is_back or is_reason or is_sent_twice):
            made = service.withdraw(
                stage=stage, entry=entry, settlement=settlement, disqualified=mark, reason=reason, by=by
            )
        text = _("The withdrawal of %(name)s was undone.") if is_back else _("%(name)s has withdrawn.")
        text = _("The withdrawal of %(name)s was changed.") if is_change and earlier else text
        text %= {"name": plain_name(entry.player)}
        comes = {Remedy.SUBSTITUTE: _("Substitute: %(name)s."), Remedy.NEXT: _("%(name)s moves up to %(to)s.")}
        if settlement is not None and made is not None:
            name = plain_name(settlement.player) if settlement.player else settlement.name
            second = comes.get(settlement.remedy, settled_words(made, entry.pk)) % {"name": name, "to": spot}
            text = _("%(first)s %(second)s") % {"first": text, "second": second}
            if seated and not _seated(state_of(tournament), coming):
                redrawn = _("%(stage)s: the tables were drawn again. Players whose seat changed are told.")
                redrawn %= {"stage": destination_label(seated[0].leaves, tournament.format)}
                text = _("%(first)s %(second)s") % {"first": text, "second": redrawn}
        messages.success(request, text)
        return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    return None


def _is_settled(earlier: Decision, entry: Entry, settlement: Settlement | None) -> bool:
    settled = earlier.body.get("short", {}).get(str(entry.pk), {})
    if settlement is None or settlement.name:
        return settlement is None and settled.get("remedy") != Remedy.SUBSTITUTE
    player = Entry.objects.filter(pk=settled.get("player")).values_list("player", flat=True).first()
    wanted = settlement.player.pk if settlement.player else player
    return settled.get("remedy") == settlement.remedy and player == wanted


def _effects(current: CurrentState, entry: Entry, stage: str) -> dict[str, object]:
    state, format_ = current.state, current.state.format
    here = [each.key for each in format_.stages].index(stage)
    kept = [
        (rank_text(line.rank or line.position), stage_and_block(each.stage, ranking.block), each, line)
        for each in state.stages[: here + 1]
        for ranking in each.rankings
        for line in ranking.as_listed.lines
        if line.participant == entry.pk and line.played
    ]
    left = [line.left for *_, each, line in kept if each.stage.key == stage]
    ahead = state.stages[here + 1 if left else here :]
    vacated = [each.stage for each in ahead if any(place.participant == entry.pk for place in each.places)]
    gone = (*current.facts.withdrawals, Withdrawal(stage, entry.pk))
    after = resolve(format_, replace(current.facts, withdrawals=gone))
    moves = [
        (destination_label(path.to, format_), names_of(current, moved))
        for path, before in zip(after.stage(stage).paths, state.stage(stage).paths, strict=True)
        if left and not format_.title_of(stage) and (moved := [pk for pk in path.proposed if pk not in before.proposed])
    ]
    resting = []
    for each, old in zip(after.stages[here:], state.stages[here:], strict=True):
        number = len(_players(each, after) - {leaver.participant for leaver in gone})
        if each.stage.is_by_standing and number < len(_players(old, state)) and number % format_.table_size:
            resting.append((each.stage, number, number % format_.table_size))
    # Only a spot won in an earlier stage can go to the next-ranked player there.
    is_won = any(not format_.is_entered(each) for each in vacated)
    leads_on = any(isinstance(to, Stage) for to in format_.destinations_from(stage))
    found = {"kept": kept, "vacated": vacated, "is_won": is_won, "moves": moves, "resting": resting}
    found |= {"leads_on": leads_on} | _place_after(after, entry.pk, stage)
    return found | {"left": sum(left) if state.stage(stage).state is StageState.RUNNING else 0}


def _place_after(after: TournamentState, leaver: int, stage: str) -> dict[str, object]:
    """Return the final rank as it would be if all stages ended now, the stages ahead of it, and the title missed."""
    ended = [replace(each, state=StageState.DECIDED) for each in after.stages]
    ranks = final_ranks(after.format, ended, after.arrivals, frozenset())
    found = next((each for each in ranks if each.participant == leaver), None)
    order = after.format.order or tuple(reversed([each.stage.key for each in ended]))
    over = {StageState.PLAYED, StageState.DECIDED}
    open_ = {each.stage.key: each.stage for each in after.stages if each.places and each.state not in over}
    ahead = [open_[key] for key in order[: order.index(found.stage) + 1] if key in open_] if found else []
    title = after.format.title_of(stage)
    return {
        "rank": rank_text(found.rank) if found else "",
        "ahead": joined(map(stage_name, ahead)),
        "title": destination_label(title.key, after.format) if title and ahead else "",
    }


def _players(progress: StageProgress, state: TournamentState) -> set[Participant]:
    going = (place for path in state.paths_into(progress.stage.key) for place in path.going)
    return {place.participant for place in progress.places or going}
