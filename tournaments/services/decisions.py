"""Proposals and decisions: advancement, withdrawals, order of tied players, revocation."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from django.db import transaction

from league.messages import plain_name
from league.models import Session
from league.services.calendar import set_session_state
from league.services.history import Actor
from tournaments.core.facts import Remedy
from tournaments.core.resolution import dependent_stages
from tournaments.core.state import AdvancementPath, StageState
from tournaments.models import Decision, Entry, StageSession, Tournament
from tournaments.selectors import decisions as selector
from tournaments.selectors.inbox import advance_of
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.events import (
    TournamentError,
    changed,
    lock_tournament,
    names_of,
    needed,
    revoke_decision,
    store_decision,
    write_history,
)
from tournaments.services.short_tables import Settlement, draw_again, restore_seats, settle, unplan


@dataclass(frozen=True, slots=True)
class AdvancementChoice:
    """The players chosen to advance, by primary keys of entries. `seen`: the proposal shown to the user."""

    players: tuple[int, ...]
    seen: tuple[int, ...]
    reason: str = ""


@transaction.atomic
def approve(*, tournament: Tournament, stage: str, to: str, choice: AdvancementChoice, by: Actor) -> Decision:
    """Approve who advances on one path from a stage.

    Raise TournamentError: "proposal_changed", "not_played", "level", "reason_missing" if the choice differs from the
    proposal, "not_in_stage", "has_withdrawn", "twice", "goes_elsewhere".
    """
    lock_tournament(tournament)
    current = state_of(tournament)
    path = current.state.stage(stage).path(to)
    _check_approval(current, path, choice)
    is_proposed = set(choice.players) == set(path.proposed)
    reason = choice.reason if is_proposed else needed(choice.reason)
    for earlier in tournament.decisions.valid().filter(kind=Decision.Kind.ADVANCE, stage=stage, to=to):
        if not path.overtaken and _says(earlier, reason, players=list(choice.players)):
            return earlier
        revoke_decision(earlier, by, reason or "approved anew")
    return _approved(current, path, choice.players, by, reason)


def _says(decision: Decision, reason: str, **body: object) -> bool:
    return decision.reason == reason and {**decision.body, **body} == decision.body


def _check_approval(current: CurrentState, path: AdvancementPath, choice: AdvancementChoice) -> None:
    progress = current.state.stage(path.stage)
    if choice.seen != path.proposed:
        raise TournamentError("proposal_changed")
    if not all(ranking.complete for ranking in progress.rankings):
        raise TournamentError("not_played", stage=progress.stage.key)
    if path.proposal.level:
        raise TournamentError(
            "level", names=names_of(current.entries[int(participant)] for participant in path.proposal.level[0])
        )
    lines = {line.participant for ranking in progress.rankings for line in ranking.lines}
    for pk in choice.players:
        name = current.entries[pk].player.name if pk in current.entries else str(pk)
        if choice.players.count(pk) > 1:
            raise TournamentError("twice", name=name)
        if pk not in path.proposed and (pk not in lines or selector.withdrawal_of(current, pk) is not None):
            raise TournamentError("has_withdrawn" if pk in lines else "not_in_stage", name=name)
        if other := selector.decided_elsewhere(progress, path, pk):
            raise TournamentError("goes_elsewhere", name=name, to=other)


def _approved(current: CurrentState, path: AdvancementPath, players: Sequence[int], by: Actor, reason: str) -> Decision:
    proposal = [int(participant) for participant in path.proposed]
    kind, body, known = Decision.Kind.ADVANCE, {"players": list(players)}, current.entries
    decision = Decision(kind=kind, stage=path.stage, to=path.to, body=body, proposal=proposal, reason=reason)
    told = {"players": names_of(known[pk] for pk in players), "proposal": names_of(known[pk] for pk in proposal)}
    return store_decision(current.tournament, decision, {"to": path.to, **told}, by)


@transaction.atomic
def approve_all(*, tournament: Tournament, stage: str, seen: Mapping[str, Sequence[int]], by: Actor) -> list[Decision]:
    """Approve all open paths of a stage as proposed. Raise TournamentError as in `approve`."""
    lock_tournament(tournament)
    paths = state_of(tournament).state.stage(stage).paths
    open_paths = [path for path in paths if path.decision is None or path.overtaken]
    choices = {path.to: tuple(seen[path.to]) for path in open_paths if path.to in seen}
    overtaken = tournament.decisions.valid().filter(kind=Decision.Kind.ADVANCE, stage=stage, to__in=choices)
    for decision in overtaken:
        revoke_decision(decision, by, "approved anew")
    return [
        approve(tournament=tournament, stage=stage, to=to, choice=AdvancementChoice(proposal, proposal), by=by)
        for to, proposal in choices.items()
    ]


def _standing(decision: Decision, kind: Decision.Kind, reason: str) -> str:
    lock_tournament(decision.tournament)
    decision.refresh_from_db()
    if decision.revoked_at is not None or decision.kind != kind:
        raise TournamentError("revoked")
    return needed(reason)


@transaction.atomic
def keep_decision(*, decision: Decision, reason: str, by: Actor) -> Decision:
    """Confirm a decision although the proposal has changed since.

    Raise TournamentError "reason_missing", "revoked", "not_played".
    """
    reason = _standing(decision, Decision.Kind.ADVANCE, reason)
    current = state_of(decision.tournament)
    progress = current.state.stage(decision.stage)
    if not all(ranking.complete for ranking in progress.rankings):
        raise TournamentError("not_played", stage=decision.stage)
    revoke_decision(decision, by, reason)
    return _approved(current, progress.path(decision.to), decision.body["players"], by, reason)


@transaction.atomic
def withdraw(
    *,
    entry: Entry,
    stage: str,
    reason: str,
    by: Actor,
    settlement: Settlement | None = None,
    disqualified: bool = False,
) -> Decision:
    """Withdraw a player from the tournament, after or during a stage.

    Raise TournamentError: "reason_missing", "has_withdrawn", "not_running" while the tournament is in preparation (then
    the entry can be removed), and everything `settle` raises.
    """
    tournament = entry.tournament
    lock_tournament(tournament)
    reason = needed(reason)
    if tournament.state == Tournament.State.PREPARING:
        raise TournamentError("not_running")
    current = state_of(tournament)
    if selector.withdrawal_of(current, entry.pk) is not None:
        raise TournamentError("has_withdrawn", name=plain_name(entry.player))
    body: dict[str, object] = {"entries": [entry.pk], "substitutes": {}}
    after: dict[str, object] = {"name": entry.player.name}
    if disqualified:
        body["disqualified"] = after["disqualified"] = True
    wanted = settlement.player if settlement and settlement.remedy is Remedy.NEXT else None
    found = [each for each in selector.next_players(current, entry.pk, stage) if each.entry.player == wanted]
    if settlement is not None:
        settled = settle(current, stage, entry, settlement, by)
        body["short"] = {str(entry.pk): settled}
        after["remedy"] = str(settlement.remedy)
        if settlement.remedy is Remedy.SUBSTITUTE:
            body["substitutes"] = {str(entry.pk): settled["player"]}
        if "player" in settled:
            after["substitute"] = Entry.objects.select_related("player").get(pk=settled["player"]).player.name
    decision = Decision(kind=Decision.Kind.WITHDRAWN, stage=stage, body=body, reason=reason)
    store_decision(tournament, decision, after, by)
    for each in found:
        _move(tournament, each, entry.pk, by, reason)
    return decision


def _move(
    tournament: Tournament, found: selector.NextPlayer, leaver: int, by: Actor, reason: str, *, is_back: bool = False
) -> None:
    """Decide again who goes which way: `found` takes the spot of the leaver, or gives it back."""
    comes, stage = found.entry.pk, found.path.stage
    # By destination, who takes the spot of whom; 0 is no one. Each decision changes who is proposed for the next.
    spots = {found.leaves: {comes: 0}, found.path.to: {leaver: comes}}
    if is_back:
        spots = {found.path.to: {comes: leaver}, found.leaves: {0: comes}}
    for to, changes in spots.items():
        if to is None:
            continue
        current = state_of(tournament)
        path = current.state.stage(stage).path(to)
        going = path.decision.players if path.decision else path.proposed
        players = [int(pk) for pk in going if pk not in changes]
        if earlier := advance_of(current, stage, to):
            revoke_decision(earlier, by, reason)
        _approved(current, path, [*players, *filter(None, changes.values())], by, reason)
    if found.leaves:
        _seat_anew(tournament, found.leaves, by, reason, is_back=is_back)


def _seat_anew(tournament: Tournament, stage: str, by: Actor, reason: str, *, is_back: bool = False) -> None:
    current = state_of(tournament)
    progress = next((each for each in current.state.stages if each.stage.key == stage), None)
    if progress is None or progress.vacancies or not selector.unplayed_tables(current, stage):
        return
    if is_back or selector.seated_elsewhere(current, progress):
        # Tables that cannot be drawn wait in the list of tasks.
        with suppress(TournamentError), transaction.atomic():
            draw_again(tournament=tournament, stage=stage, reason=reason, by=by)


@transaction.atomic
def put_in_order(*, tournament: Tournament, stage: str, players: Sequence[int], reason: str, by: Actor) -> Decision:
    """Decide the order of tied players.

    Raise TournamentError "reason_missing", "not_level" unless these players are tied, "decided_already" if the stage's
    places have been assigned.
    """
    lock_tournament(tournament)
    reason = needed(reason)
    for earlier in tournament.decisions.valid().filter(kind=Decision.Kind.ORDER, stage=stage):
        if _says(earlier, reason, players=list(players)):
            return earlier
    current = state_of(tournament)
    progress = current.state.stage(stage)
    if progress.state is StageState.DECIDED and progress.paths:
        raise TournamentError("decided_already")
    groups = [set(group) for ranking in progress.rankings for group in ranking.level]
    groups += [set(group) for path in progress.paths for group in path.proposal.level]
    if set(players) not in groups or len(set(players)) != len(players):
        raise TournamentError("not_level")
    decision = Decision(kind=Decision.Kind.ORDER, stage=stage, body={"players": list(players)}, reason=reason)
    return store_decision(tournament, decision, {"players": names_of(current.entries[pk] for pk in players)}, by)


@transaction.atomic
def close_stage(
    *, tournament: Tournament, stage: str, short: Sequence[int], unranked: Sequence[int], reason: str, by: Actor
) -> Decision:
    """Close a stage early. `short`: players with fewer hanchan than planned, as shown to the user.

    Raise TournamentError "reason_missing", "not_running" while the tournament is in preparation, "closed_already" if no
    hanchan are left, "not_known" while the players are undecided, "proposal_changed" if `short` has changed since.
    """
    lock_tournament(tournament)
    reason = needed(reason)
    if tournament.state == Tournament.State.PREPARING:
        raise TournamentError("not_running")
    body = {"players": sorted(short), "unranked": sorted(set(unranked))}
    for earlier in tournament.decisions.valid().filter(kind=Decision.Kind.CLOSED, stage=stage):
        if _says(earlier, reason, **body):
            return earlier
    current = state_of(tournament)
    progress = current.state.stage(stage)
    if progress.rankings and all(ranking.complete for ranking in progress.rankings):
        raise TournamentError("closed_already")
    if not selector.can_be_closed(current, progress):
        raise TournamentError("not_known")
    if set(short) != set(selector.short_of_hanchan(progress)) or not set(unranked) <= set(short):
        raise TournamentError("proposal_changed")
    decision = Decision(kind=Decision.Kind.CLOSED, stage=stage, body=body, reason=reason)
    told: dict[str, object] = {name: names_of(current.entries[pk] for pk in pks) for name, pks in body.items()}
    store_decision(tournament, decision, told, by)
    unplan(selector.unplayed_tables(current, stage), by)
    return decision


@dataclass(frozen=True, slots=True)
class ReopeningEffects:
    """Decisions that reopening a stage would revoke, and sessions of later stages already played.

    Results of those sessions are kept; they count again once their players are decided again.
    """

    decisions: tuple[Decision, ...]
    sessions: tuple[StageSession, ...]


def reopening_effects(current: CurrentState, stage: str) -> ReopeningEffects:
    later = set(dependent_stages(current.state.format, stage))
    decisions = tuple(
        each
        for each in current.decisions
        if each.revoked_at is None
        and (
            (each.stage == stage and each.kind in {Decision.Kind.ADVANCE, Decision.Kind.CLOSED})
            or (each.stage in later and each.kind != Decision.Kind.WITHDRAWN)
        )
    )
    begun = StageSession.objects.filter(tournament=current.tournament, session__hanchan__state__isnull=False)
    played = set(begun.exclude(session__hanchan__state="voided").values_list("pk", flat=True))
    sessions = tuple(each for each in current.sessions if each.stage in later and each.pk in played)
    return ReopeningEffects(decisions, sessions)


@transaction.atomic
def reopen(*, tournament: Tournament, stage: str, reason: str, by: Actor) -> ReopeningEffects:
    """Reopen a stage, revoking later decisions. Raise TournamentError "reason_missing", "nothing_to_reopen"."""
    lock_tournament(tournament)
    reason = needed(reason)
    undone = reopening_effects(state_of(tournament), stage)
    if not undone.decisions:
        raise TournamentError("nothing_to_reopen")
    for decision in undone.decisions:
        revoke_decision(decision, by, reason)
        write_history(tournament, decision, changed({"stage": decision.stage, "to": decision.to}, None, reason), by)
    if tournament.state == Tournament.State.FINISHED:
        _set_state(tournament, Tournament.State.RUNNING, by, reason)
    return undone


@transaction.atomic
def correct_reason(*, decision: Decision, name: str, reason: str, by: Actor) -> Decision:
    """Store a player's withdrawal again with another reason. Raise TournamentError "reason_missing", "revoked"."""
    reason = _standing(decision, Decision.Kind.WITHDRAWN, reason)
    revoke_decision(decision, by, "")
    corrected = Decision(kind=decision.kind, stage=decision.stage, body=decision.body, reason=reason)
    return store_decision(decision.tournament, corrected, {"name": name}, by)


@transaction.atomic
def revoke_withdrawal(*, decision: Decision, reason: str, by: Actor, is_change: bool = False) -> None:
    """Revoke a withdrawal. `is_change`: another decision takes its place, with a reason of its own.

    Who moved up goes back. Raise TournamentError "reason_missing", "revoked", "substitute_played" once the substitute has
    a result in the stage, "played_there" if something was played where the one who moved up came from, "left_since" if
    they have withdrawn too.
    """
    reason = _standing(decision, Decision.Kind.WITHDRAWN, reason)
    current = state_of(decision.tournament)
    lines = {line.participant: line for each in current.state.stage(decision.stage).rankings for line in each.lines}
    for pk in decision.body.get("substitutes", {}).values():
        if pk in lines and lines[pk].played:
            raise TournamentError("substitute_played", name=current.entries[pk].player.name)
    moved = list(_moved_up(current, decision))
    restore_seats(current, decision, by)
    revoke_decision(decision, by, "" if is_change else reason)
    write_history(decision.tournament, decision, changed({"stage": decision.stage}, None, reason), by)
    for leaver, found in moved:
        if _was_approved(current, decision, found.path):
            _move(decision.tournament, found, leaver, by, reason, is_back=True)
        elif approval := advance_of(current, found.path.stage, found.path.to):
            revoke_decision(approval, by, reason)


def _was_approved(current: CurrentState, withdrawal: Decision, way: AdvancementPath) -> bool:
    """Return whether a way was approved before the withdrawal approved it, or something has been based on it since."""
    left = [each for each in current.standing(Decision.Kind.WITHDRAWN) if each != withdrawal]
    if any(map(selector.successors_of, left)) or any(each.stage == way.to for each in current.sessions):
        return True
    made = [each for each in current.decisions if each.kind == Decision.Kind.ADVANCE and each.stage == way.stage]
    before = (each.revoked_at for each in made if each.to == way.to and each.pk < withdrawal.pk)
    is_based_on = any(each.to != way.to and each.revoked_at is None for each in made)
    return is_based_on or any(moment is None or moment >= withdrawal.at for moment in before)


def _moved_up(current: CurrentState, decision: Decision) -> Iterator[tuple[int, selector.NextPlayer]]:
    """Yield who left and who moved up. Raise TournamentError if one of these cannot go back."""
    for leaver, settled in decision.body.get("short", {}).items():
        if settled["remedy"] != Remedy.NEXT:
            continue
        entry = current.entries[settled["player"]]
        name, found = plain_name(entry.player), selector.moved_up(current, entry, decision.stage)
        if selector.withdrawal_of(current, entry.pk) is not None:
            raise TournamentError("left_since", name=name)
        if found is None:
            raise TournamentError("substitute_played", name=name)
        if selector.has_begun(current, found.leaves):
            raise TournamentError("played_there", name=name, to=found.leaves)
        yield int(leaver), found


@transaction.atomic
def finish(*, tournament: Tournament, by: Actor) -> Tournament:
    """Finish a tournament and close its sessions. Raise TournamentError "not_over"."""
    lock_tournament(tournament)
    if tournament.state == Tournament.State.FINISHED:
        return tournament
    if not state_of(tournament).state.is_over:
        raise TournamentError("not_over")
    for session in Session.objects.filter(stage__tournament=tournament, state=Session.State.OPEN).order_by("pk"):
        set_session_state(session=session, state=Session.State.CLOSED, by=by)
    return _set_state(tournament, Tournament.State.FINISHED, by, "")


@transaction.atomic
def resume(*, tournament: Tournament, reason: str, by: Actor) -> Tournament:
    """Resume a finished tournament. Raise TournamentError "reason_missing"."""
    lock_tournament(tournament)
    reason = needed(reason)
    if tournament.state == Tournament.State.RUNNING:
        return tournament
    return _set_state(tournament, Tournament.State.RUNNING, by, reason)


def _set_state(tournament: Tournament, state: Tournament.State, by: Actor, reason: str) -> Tournament:
    before = {"state": str(tournament.state)}
    tournament.state = state
    tournament.save(update_fields=["state"])
    write_history(tournament, tournament, changed(before, {"state": str(state)}, reason), by)
    return tournament
