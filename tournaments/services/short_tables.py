"""Continue the tables that lost a player during a stage, as the director decided."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from django.db import transaction

from league.messages import plain_name
from league.models import Hanchan, PlannedSeat, Player, RulesetVersion, Session
from league.selectors.planning import plans_of
from league.services.calendar import SessionFacts, open_session
from league.services.history import Actor
from league.services.people import PlayerFacts, add_player
from league.services.planning import PlanningError, TablePlan, plan_tables, replan_tables, unplan_rounds
from tournaments.core.facts import Remedy
from tournaments.models import Decision, Entry, StageSession, Tournament
from tournaments.selectors.decisions import (
    THREE_PLAYERS,
    NextPlayer,
    UnplayedTable,
    has_begun,
    next_players,
    out_of_play,
    tables_of,
    unplayed_tables,
)
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.drawing import seating_number
from tournaments.services.events import TournamentError, changed, lock_tournament, needed, write_history
from tournaments.services.planning import block_seating, link_session, table_plans, unlink_session
from tournaments.services.registration_terms import enter

HOUSE_PLAYER = "ハウスプレイヤー"
"""Name of a guest who plays as the house player."""

Settled = dict[str, Any]
"""How a player's tables continue, as stored in a decision; see the Decision model."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """How tables continue. `player`: the substitute or house player; `version`: rules for three; `name`: of a guest."""

    remedy: Remedy
    player: Player | None = None
    version: RulesetVersion | None = None
    name: str = ""


def settle(current: CurrentState, stage: str, entry: Entry, settlement: Settlement, by: Actor) -> Settled:
    """Continue the tables of a player who withdraws, and return the data to store in the decision.

    Raise TournamentError: "nothing_short", "no_substitute", "no_rules_for_three", "three_needed", "seat_taken",
    "entered_already"; "proposal_changed" if another player is next in the ranking, "played_there" if they have begun
    elsewhere.
    """
    remedy = settlement.remedy
    following = _next_player(current, stage, entry, settlement) if remedy is Remedy.NEXT else None
    tables = tables_of(unplayed_tables(current, following.path.to if following else stage), entry)
    if not tables and remedy not in {Remedy.NEXT, Remedy.SUBSTITUTE}:
        raise TournamentError("nothing_short", name=entry.player.name)
    found: Settled = {"remedy": str(remedy), "seats": [_seat_row(current, each) for each in tables]}
    if remedy in {Remedy.NEXT, Remedy.SUBSTITUTE, Remedy.HOUSE}:
        newcomer = following.entry if following else _newcomer(current, stage, settlement, by)
        found["player"] = newcomer.pk
        _replan(tables, {entry.player_id: newcomer.player}, by)
    elif remedy is Remedy.THREE:
        moved = _three_handed(current.tournament, tables, entry, settlement.version, by)
        for row in found["seats"]:
            row["moved_to"] = moved[row["session"]].pk
    if remedy in {Remedy.THREE, Remedy.NOBODY}:
        unplan(tables, by)
    return found


def _next_player(current: CurrentState, stage: str, entry: Entry, settlement: Settlement) -> NextPlayer:
    players = next_players(current, entry.pk, stage)
    if (found := next((each for each in players if each.entry.player == settlement.player), None)) is None:
        raise TournamentError("proposal_changed")
    if found.has_begun:
        raise TournamentError("played_there", name=plain_name(found.entry.player), to=found.leaves)
    return found


@transaction.atomic
def draw_again(*, tournament: Tournament, stage: str, reason: str, by: Actor) -> None:
    """Draw the tables of a stage's sessions again for those who play in it now.

    A single player who came takes the seats of the one who left. Raise TournamentError: "reason_missing", "played" once
    the stage has begun, "uneven", "seating" if a table was postponed.
    """
    lock_tournament(tournament)
    reason, current = needed(reason), state_of(tournament)
    progress = current.state.stage(stage)
    if has_begun(current, stage):
        raise TournamentError("played")
    tables = unplayed_tables(current, stage)
    players = {pk: current.player(pk) for ranking in progress.rankings for pk in ranking.staying}
    seated = dict.fromkeys(player for each in tables for player in each.players)
    gone = [each for each in seated if each not in players.values()]
    new = [each for each in players.values() if each not in seated]
    if len(gone) == len(new) == 1:
        _replan(tables, {gone[0].pk: new[0]}, by, reason)
        return
    sessions = [each for each in current.sessions if each.stage == stage]
    if len({(each.number, each.block) for each in sessions}) < len(sessions):
        raise TournamentError("seating")
    size, seed = tournament.format.table_size, seating_number(current, stage)
    few = next((len(each.staying) for each in progress.rankings if len(each.staying) < size), size)
    if few < size:
        raise TournamentError("uneven", number=few, size=size)
    seating = {key: block_seating(current, stage, key, seed) for key in progress.stage.block_keys}
    for each in sessions:
        rounds = [seating[key][each.number - 1] for key in ([each.block] if each.block else seating)]
        replan_tables(session=each.session, plans=list(table_plans(current, rounds)), by=by, reason=reason)
        write_history(tournament, each, changed(None, {"seed": seed}, reason), by)


def _seat_row(current: CurrentState, table: UnplayedTable) -> Settled:
    entries = {each.player.pk: pk for pk, each in current.entries.items()}
    players = [entries.get(player.pk, -player.pk) for player in table.players]
    return {"session": table.stage_session.session_id, "round": table.round, "table": table.table, "players": players}


def _newcomer(current: CurrentState, stage: str, settlement: Settlement, by: Actor) -> Entry:
    """Return the entry of the substitute or house player; one who still plays or has left is refused."""
    player = settlement.player
    if player is None and settlement.remedy is Remedy.HOUSE:
        player = _house_player(current, stage, by)
    elif player is None and not settlement.name:
        raise TournamentError("no_substitute")
    elif player is None:
        facts = PlayerFacts(settlement.name, is_guest=True)
        player = add_player(league=current.tournament.league, facts=facts, by=by)
    entered = next((each for pk, each in current.entries.items() if pk > 0 and each.player.pk == player.pk), None)
    if entered is None:
        return enter(current.tournament, player, is_substitute=True)
    if entered not in out_of_play(current, stage):
        raise TournamentError("entered_already", name=plain_name(player))
    return entered


def _house_player(current: CurrentState, stage: str, by: Actor) -> Player:
    league = current.tournament.league
    busy = {player.pk for each in unplayed_tables(current, stage) for player in each.players}
    ours = league.players.active().filter(is_guest=True, name__startswith=HOUSE_PLAYER)
    if (free := ours.exclude(pk__in=busy).order_by("pk").first()) is not None:
        return free
    number = str(ours.count() + 1) if busy & set(ours.values_list("pk", flat=True)) else ""
    facts = PlayerFacts(f"{HOUSE_PLAYER}{number}", "はうすぷれいやー", f"House player {number}".strip(), is_guest=True)
    return add_player(league=league, facts=facts, by=by)


def _replan(tables: Iterable[UnplayedTable], instead: Mapping[int, Player], by: Actor, reason: str = "") -> None:
    for session, group in _by_session(tables):
        plans = [
            TablePlan(each.table, tuple(instead.get(player.pk, player) for player in each.players), each.round)
            for each in group
        ]
        _plan(session, plans, by, reason)


def _plan(session: Session, plans: Sequence[TablePlan], by: Actor, reason: str = "") -> None:
    seats = PlannedSeat.objects.filter(session=session, waits=False)
    sitting = {(seat.round, seat.player_id): seat.table for seat in seats}
    for plan in plans:
        for player in plan.players:
            if sitting.get((plan.round, player.pk), plan.table) != plan.table:
                raise TournamentError("seat_taken", name=player.name)
    try:
        plan_tables(session=session, plans=plans, by=by, reason=reason)
    except PlanningError as error:
        raise TournamentError("seat_taken", name=str(error.values.get("name", ""))) from error


def _by_session(tables: Iterable[UnplayedTable]) -> list[tuple[Session, list[UnplayedTable]]]:
    found = [list(group) for _, group in groupby(tables, key=lambda each: each.stage_session.session_id)]
    return [(group[0].stage_session.session, group) for group in found]


def _three_handed(
    tournament: Tournament, tables: Sequence[UnplayedTable], entry: Entry, version: RulesetVersion | None, by: Actor
) -> dict[int, Session]:
    if version is None or version.read().players != THREE_PLAYERS:
        raise TournamentError("no_rules_for_three")
    opened = {}
    for session, group in _by_session(tables):
        facts = replace(SessionFacts.of(session), tables=1, ruleset_version=version)
        other = opened[session.pk] = open_session(league=tournament.league, facts=facts, by=by)
        origin = group[0].stage_session
        part = StageSession(stage=origin.stage, block=origin.block, number=origin.number)
        link_session(tournament=tournament, session=other, stage_session=part, by=by)
        seated = [
            TablePlan(each.table, tuple(player for player in each.players if player != entry.player), each.round)
            for each in group
        ]
        if any(len(plan.players) != THREE_PLAYERS for plan in seated):
            raise TournamentError("three_needed")
        _plan(other, seated, by)
    return opened


def unplan(tables: Iterable[UnplayedTable], by: Actor) -> None:
    for session, group in _by_session(tables):
        unplan_rounds(session=session, places=[(each.round, each.table) for each in group], by=by)


def restore_seats(current: CurrentState, decision: Decision, by: Actor) -> None:
    sessions = {each.session_id: each.session for each in current.sessions}
    for left, settled in decision.body.get("short", {}).items():
        rows = [row for row in settled["seats"] if row["session"] in sessions and not is_played(row)]
        # Others at the table may have been replaced since.
        now = plans_of({row["session"] for row in rows})
        newcomer = current.player(settled["player"]) if "player" in settled else None
        for pk, group in groupby(rows, key=lambda row: row["session"]):
            plans = []
            for row in group:
                players = now.get((pk, row["round"], row["table"]), ())
                if newcomer in players:
                    players = tuple(current.player(int(left)) if each == newcomer else each for each in players)
                else:
                    strangers = Player.objects.in_bulk([-pk for pk in row["players"] if pk < 0])
                    players = tuple(strangers[-pk] if pk < 0 else current.player(pk) for pk in row["players"])
                plans.append(TablePlan(row["table"], players, row["round"]))
            _plan(sessions[pk], plans, by)
        _take_back_parts(current, rows, by)


def is_played(row: Settled) -> bool:
    places = [row["session"], row.get("moved_to", row["session"])]
    return Hanchan.objects.valid().filter(session__in=places, round=row["round"], table=row["table"]).exists()


def _take_back_parts(current: CurrentState, rows: Sequence[Settled], by: Actor) -> None:
    for stage_session in current.sessions:
        session = stage_session.session
        places = [(row["round"], row["table"]) for row in rows if row.get("moved_to") == session.pk]
        if places:
            unplan_rounds(session=session, places=places, by=by)
        if places and not session.hanchan.valid().exists():
            stage_session.tournament = current.tournament
            unlink_session(stage_session=stage_session, reason="the withdrawal was undone", by=by, cancels=True)
