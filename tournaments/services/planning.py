"""Open a stage's sessions in the league and assign tables and winds."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date, time
from itertools import product, takewhile
from typing import Any

from django.conf import settings
from django.db import transaction

from league.models import Hanchan, PlannedSeat, RulesetVersion, Session
from league.selectors.people import current_player
from league.services.calendar import SessionFacts, open_session, open_sessions, set_session_state, set_strict_entry
from league.services.history import Actor, write_revisions
from league.services.planning import PlanningError, TablePlan, plan_new_sessions, plan_tables, unplan_rounds
from tournaments.core.calendar import PlannedSession
from tournaments.core.format import SeatingMethod, Stage
from tournaments.core.seating.problem import games_played
from tournaments.core.seating.seat import seat
from tournaments.core.seating.winds import rotate_winds
from tournaments.core.state import StageProgress
from tournaments.messages.titles import stage_session_titles
from tournaments.models import StageSession, Tournament
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.events import TournamentError, changed, created, lock_tournament, needed, write_history

Tables = tuple[tuple[int, ...], ...]
"""The tables of one round, as primary keys of entries, East first."""


ROUNDS_AT_ONCE = 40
"""Number of rounds seated per step in a long season."""


@dataclass(frozen=True, slots=True)
class SessionPlan:
    sessions: tuple[PlannedSession, ...]
    venue: str = ""
    seed: int = 1


def sessions_wanted(stage: Stage, *, together: bool) -> list[tuple[int, str]]:
    """Return number and block of every session a stage needs. `together`: all blocks share each session."""
    blocks = ("",) if together else stage.block_keys
    return [(number, block) for number in range(1, stage.sessions + 1) for block in blocks]


@transaction.atomic
def plan_stage(*, tournament: Tournament, stage: str, plan: SessionPlan, by: Actor) -> list[StageSession]:
    """Open the sessions of a stage and seat their tables.

    Raise TournamentError: "not_known" or "not_drawn" while players or blocks are undecided, "planned_already", "uneven"
    if the players do not fill the tables, and everything `seat_tables` raises.
    """
    lock_tournament(tournament)
    current = state_of(tournament)
    progress = current.state.stage(stage)
    _check_plan(current, progress, plan)
    seating = {ranking.block: block_seating(current, stage, ranking.block, plan.seed) for ranking in progress.rankings}
    rules = tournament.rules_by_stage().get(progress.stage.key, tournament.ruleset_version)
    wanted = sorted(plan.sessions, key=lambda session: (session.number, session.block))
    titles = [stage_session_titles(tournament, progress.stage, each.number, each.block) for each in wanted]
    facts = [
        SessionFacts(
            date=each.date,
            start_time=each.start_time,
            title=title,
            title_en=title_en,
            venue=plan.venue,
            ruleset_version=rules,
            strict_entry=tournament.strict_sessions,
        )
        for each, (title, title_en) in zip(wanted, titles, strict=True)
    ]
    opened = list(zip(open_sessions(league=tournament.league, facts=facts, by=by), wanted, strict=True))
    seats = []
    for session, each in opened:
        blocks = [each.block] if each.block else list(progress.stage.block_keys)
        rounds = [seating[block][each.number - 1] for block in blocks]
        seats.append((session, list(table_plans(current, rounds))))
    with _telling_of(rules):
        plan_new_sessions(league=tournament.league, plans=seats, by=by)
    return _link_all(tournament, progress.stage, opened, plan.seed, by)


def seat_tables(session: Session, plans: Sequence[TablePlan], by: Actor, reason: str = "") -> None:
    """Plan the tables of a session.

    Raise TournamentError "table_size" if the rules are for another number of players, "twice", "not_in_league".
    """
    with _telling_of(session.ruleset_version):
        plan_tables(session=session, plans=plans, by=by, reason=reason)


@contextmanager
def _telling_of(rules: RulesetVersion) -> Iterator[None]:
    try:
        yield
    except PlanningError as error:
        code = {"player_twice": "twice"}.get(error.code, error.code)
        raise TournamentError(code, rules=str(rules), **error.values) from error


def _check_plan(current: CurrentState, progress: StageProgress, plan: SessionPlan) -> None:
    if progress.undrawn:
        raise TournamentError("not_drawn", stage=progress.stage.key)
    if not all(ranking.lines for ranking in progress.rankings):
        raise TournamentError("not_known", stage=progress.stage.key)
    taken = {(each.number, each.block) for each in current.sessions if each.stage == progress.stage.key}
    for planned in plan.sessions:
        same = {block for number, block in taken if number == planned.number}
        if {planned.block, ""} & same or (same and not planned.block):
            raise TournamentError("planned_already", number=planned.number, block=planned.block)


def byes_before(current: CurrentState, stage: str) -> dict[int, tuple[int, int]]:
    """Return the hanchan that players missed in earlier stages while others of their block played, and when last.

    That is minus the number of hanchan drawn for their block since.
    """
    missed, last = Counter[int](), Counter[int]()
    for progress in takewhile(lambda progress: progress.stage.key != stage, current.state.stages):
        drawn = current.facts.seated.get(progress.stage.key, ())
        for ranking in progress.rankings:
            most = max((line.played for line in ranking.lines), default=0)
            missed.update({int(line.participant): most - line.played for line in ranking.lines})
            for line, (_, seated) in product(ranking.lines, (each for each in drawn if each[0] in {"", ranking.block})):
                last[int(line.participant)] = last[int(line.participant)] - 1 if line.participant in seated else 0
    return defaultdict(lambda: (0, 0), {pk: (missed[pk], last[pk]) for pk in missed})


def block_seating(current: CurrentState, stage_key: str, block: str, seed: int) -> list[list[Tables]]:
    """Return the rounds of each session of a block.

    Empty if seated by hand. If seated by the standings, only the first round is known. After the first stage, those who
    sat out most before sit out least, then those who did last, then the higher-ranked.
    """
    progress, table_size = current.state.stage(stage_key), current.tournament.format.table_size
    stage = progress.stage
    # Sort by entry, not by current standings, so that the same draw and seed give the same seating.
    ranked = [int(participant) for participant in progress.ranking(block).staying]
    players = sorted(ranked)
    empty: list[list[Tables]] = [[] for _ in range(stage.sessions)]
    if stage.seating is SeatingMethod.MANUAL or len(players) < table_size:
        return empty
    if stage.seating is SeatingMethod.FIXED:
        if len(players) % table_size:
            raise TournamentError("uneven", number=len(players), size=table_size)
        # Balance how many sessions players share: one round of the seating is one session here.
        most = settings.SEATING_PROPOSALS
        sessions = seat(len(players), stage.sessions, table_size=table_size, seed=seed, proposals=most).rounds
        return [_together(tables, players, stage.hanchan) for tables in sessions]
    wanted = stage.planned if stage.seating is SeatingMethod.BALANCED else 1
    numbered = list(_seated_rounds(len(players), wanted, table_size, seed))
    waited = byes_before(current, stage_key)
    if len(players) % table_size and not current.state.format.is_entered(stage):
        numbers = sorted(range(len(players)), key=games_played(numbered, len(players)).__getitem__)
        resting_first = sorted(ranked, key=lambda pk: (waited[pk], -ranked.index(pk)))
        players = [pk for _, pk in sorted(zip(numbers, resting_first, strict=True))]
    rounds = [as_entries(tables, players) for tables in numbered]
    if stage.seating is not SeatingMethod.BALANCED:
        return [rounds, *empty[1:]]
    return [rounds[first : first + stage.hanchan] for first in range(0, stage.planned, stage.hanchan)]


def _seated_rounds(players: int, rounds: int, table_size: int, seed: int) -> Iterator[Tables]:
    starts = range(0, rounds, ROUNDS_AT_ONCE)
    most = settings.SEATING_PROPOSALS // max(len(starts), 1)
    for part, first in enumerate(starts):
        length = min(ROUNDS_AT_ONCE, rounds - first)
        yield from seat(players, length, table_size=table_size, seed=seed + part, proposals=most).rounds


def _together(tables: Tables, players: Sequence[int], hanchan: int) -> list[Tables]:
    rotated = [rotate_winds(table, hanchan) for table in as_entries(tables, players)]
    return [tuple(each[number] for each in rotated) for number in range(hanchan)]


def as_entries(tables: Tables, players: Sequence[int]) -> Tables:
    return tuple(tuple(players[number] for number in table) for table in tables)


def table_plans(
    current: CurrentState, blocks: Sequence[Sequence[Tables]], first_round: int = 1, first_table: int = 1
) -> Iterator[TablePlan]:
    offset = first_table - 1
    for rounds in blocks:
        for number, tables in enumerate(rounds, start=first_round):
            for table, entries in enumerate(tables, start=1):
                players = tuple(current.player(pk) for pk in entries)
                yield TablePlan(table=offset + table, players=players, round=number)
        offset += max((len(tables) for tables in rounds), default=0)


def _link_all(
    tournament: Tournament, stage: Stage, opened: Sequence[tuple[Session, PlannedSession]], seed: int, by: Actor
) -> list[StageSession]:
    linked = [
        StageSession(tournament=tournament, session=session, stage=stage.key, block=each.block, number=each.number)
        for session, each in opened
    ]
    StageSession.objects.bulk_create(linked)
    # The certificate page shows the seed, so that the seating can be reproduced.
    changes = [(each, created({**_linked(each), "seed": seed})) for each in linked]
    write_revisions(tournament.league, changes, by)
    return linked


def _link(tournament: Tournament, session: Session, stage_session: StageSession, by: Actor) -> StageSession:
    stage_session.tournament, stage_session.session = tournament, session
    stage_session.save(force_insert=True)
    write_history(tournament, stage_session, created(_linked(stage_session)), by)
    return stage_session


def _linked(stage_session: StageSession) -> dict[str, Any]:
    return {
        "stage": stage_session.stage,
        "block": stage_session.block,
        "number": stage_session.number,
        "session": str(stage_session.session),
    }


@transaction.atomic
def link_session(*, tournament: Tournament, session: Session, stage_session: StageSession, by: Actor) -> StageSession:
    """Let the hanchan of an existing session count in a stage.

    `stage_session` is unsaved and names the stage, block and number. Raise TournamentError "linked_already",
    "not_in_league", "no_such_stage".
    """
    lock_tournament(tournament)
    if session.league_id != tournament.league_id:
        raise TournamentError("not_in_league", name=str(session))
    # Two tournaments may try to link the same session at the same moment.
    Session.objects.select_for_update(of=("self",)).get(pk=session.pk)
    if StageSession.objects.filter(session=session).exists():
        raise TournamentError("linked_already", session=str(session))
    stages = {stage.key: stage for stage in tournament.format.stages}
    if stage_session.stage not in stages or (
        stage_session.block and stage_session.block not in stages[stage_session.stage].block_keys
    ):
        raise TournamentError("no_such_stage", stage=stage_session.stage)
    if session.state == Session.State.OPEN:
        session = set_strict_entry(session=session, strict=tournament.strict_sessions, by=by)
    return _link(tournament, session, stage_session, by)


@transaction.atomic
def unlink_session(*, stage_session: StageSession, reason: str, by: Actor, cancels: bool = False) -> None:
    """Remove a session from its stage; `cancels`: also from the league. Raise TournamentError "reason_missing"."""
    tournament = stage_session.tournament
    lock_tournament(tournament)
    reason = needed(reason)
    if not StageSession.objects.filter(pk=stage_session.pk).exists():
        return  # Removed a moment ago by another request.
    before = {"stage": stage_session.stage, "session": str(stage_session.session)}
    write_history(tournament, stage_session, changed(before, None, reason), by)
    if stage_session.session.state == Session.State.OPEN:
        set_strict_entry(session=stage_session.session, strict=None, by=by)
    stage_session.delete()
    if cancels and not stage_session.session.hanchan.valid().exists():
        set_session_state(session=stage_session.session, state=Session.State.WITHDRAWN, by=by)


@transaction.atomic
def postpone_table(
    *, stage_session: StageSession, table: int, to: date, reason: str, by: Actor, start_time: time | None = None
) -> StageSession:
    """Move a table's remaining hanchan to a new session on another day.

    Raise TournamentError "reason_missing", "no_such_table", "played" if all its planned hanchan have results.
    """
    tournament = stage_session.tournament
    lock_tournament(tournament)
    session = stage_session.session
    planned = list(PlannedSeat.objects.filter(session=session, table=table).select_related("player__merged_into"))
    reason = needed(reason)
    if not planned:
        raise TournamentError("no_such_table", table=table)
    played = set(Hanchan.objects.valid().filter(session=session, table=table).values_list("round", flat=True))
    seats = [seat for seat in planned if seat.round not in played]
    if not seats:
        raise TournamentError("played")
    facts = replace(SessionFacts.of(session), date=to, tables=table, start_time=start_time)
    other = open_session(league=tournament.league, facts=facts, by=by, postponed_from=session)
    postponed = StageSession(stage=stage_session.stage, block=stage_session.block, number=stage_session.number)
    _link(tournament, other, postponed, by)
    seat_tables(other, list(_moved(seats)), by)
    unplan_rounds(session=session, places={(seat.round, table) for seat in seats}, by=by)
    before = {"table": table, "date": session.date.isoformat()}
    write_history(tournament, postponed, changed(before, {"date": to.isoformat()}, reason), by)
    return postponed


def _moved(seats: Sequence[PlannedSeat]) -> Iterator[TablePlan]:
    by_round: dict[int, list[PlannedSeat]] = {}
    for each in seats:
        by_round.setdefault(each.round, []).append(each)
    for number, table in by_round.items():
        table.sort(key=lambda each: each.seat)
        sitting, waiting = (
            tuple(current_player(each.player) for each in table if each.waits is waits) for waits in (False, True)
        )
        yield TablePlan(table=table[0].table, players=sitting, round=number, waiting=waiting)
