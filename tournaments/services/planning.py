"""The evenings of a stage: sessions of the league are opened, and everybody gets a table and a wind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from operator import itemgetter

from django.db import transaction

from league.models import Hanchan, PlannedSeat, Session
from league.selectors.planning import plan_of
from league.services.calendar import SessionFacts, open_session
from league.services.history import Actor
from league.services.planning import TablePlan, plan_tables, unplan_tables
from tournaments.core.format import SeatingMethod, Stage
from tournaments.core.seating import next_swiss_round, rotate_winds, round_by_standing, seat, session_tables
from tournaments.core.state import StageProgress
from tournaments.messages.titles import stage_session_title
from tournaments.models import StageSession, Tournament
from tournaments.selectors.state import CurrentState, state_of
from tournaments.services.events import TournamentError, changed, created, lock_tournament, write_history

Tables = tuple[tuple[int, ...], ...]
"""The tables of one round, each with primary keys of entries, East first."""


PART = 40
"""So many rounds of a long season are dealt at once."""


@dataclass(frozen=True, slots=True)
class PlannedSession:
    """A session that is to be opened; without a block, all blocks of the stage play in it."""

    number: int
    block: str
    date: date


@dataclass(frozen=True, slots=True)
class SessionPlan:
    """The evenings of a stage, where they take place, and the number from which the seating is worked out."""

    sessions: tuple[PlannedSession, ...]
    venue: str = ""
    seed: int = 1


def sessions_wanted(stage: Stage, *, together: bool) -> list[tuple[int, str]]:
    """Return number and block of every session that a stage needs; `together`: all blocks share each one."""
    blocks = ("",) if together else stage.block_keys
    return [(number, block) for number in range(1, stage.sessions + 1) for block in blocks]


@transaction.atomic
def plan_stage(*, tournament: Tournament, stage: str, programme: SessionPlan, by: Actor) -> list[StageSession]:
    """Open the sessions of a stage and plan who sits where, by the stage's method.

    Raises TournamentError: "not_known" and "not_drawn" while players or blocks are missing, "planned_already",
    "uneven" when the players do not fill the tables.
    """
    lock_tournament(tournament)
    course = state_of(tournament)
    found = course.state.stage(stage)
    _check_plan(course, found, programme)
    seating = {
        table.block: block_seating(found, table.block, tournament.format.table_size, programme.seed)
        for table in found.rankings
    }
    planned = []
    for evening in sorted(programme.sessions, key=lambda each: (each.number, each.block)):
        made = _open(tournament, found.stage, evening, programme, by)
        blocks = [evening.block] if evening.block else list(found.stage.block_keys)
        rounds = [seating[block][evening.number - 1] for block in blocks]
        plan_tables(session=made.session, plans=list(_plans(course, rounds)), by=by)
        planned.append(made)
    return planned


def _check_plan(current: CurrentState, found: StageProgress, programme: SessionPlan) -> None:
    if found.undrawn:
        raise TournamentError("not_drawn", stage=found.stage.key)
    if not all(table.lines for table in found.rankings):
        raise TournamentError("not_known", stage=found.stage.key)
    taken = {(each.number, each.block) for each in current.sessions if each.stage == found.stage.key}
    for evening in programme.sessions:
        same = {block for number, block in taken if number == evening.number}
        if {evening.block, ""} & same or (same and not evening.block):
            raise TournamentError("planned_already", number=evening.number, block=evening.block)


def block_seating(found: StageProgress, block: str, table_size: int, seed: int) -> list[list[Tables]]:
    """Return the rounds of each session of a block; empty for rounds that follow from results or are set by hand."""
    stage = found.stage
    players = [int(line.participant) for line in found.ranking(block).lines if not line.withdrawn]
    # The order of entry, not of the standings of the moment: the same draw and seed give the same seating.
    players.sort()
    empty: list[list[Tables]] = [[] for _ in range(stage.sessions)]
    if stage.seating is SeatingMethod.MANUAL or len(players) < table_size:
        return empty
    if stage.seating is SeatingMethod.FIXED:
        if len(players) % table_size:
            raise TournamentError("uneven", number=len(players), size=table_size)
        evenings = session_tables(len(players), stage.sessions, table_size=table_size, seed=seed)
        return [_together(tables, players, stage.hanchan) for tables in evenings]
    wanted = stage.planned if stage.seating is SeatingMethod.BALANCED else 1
    rounds = [_named(tables, players) for tables in _dealt(len(players), wanted, table_size, seed)]
    if stage.seating is not SeatingMethod.BALANCED:
        return [rounds, *empty[1:]]
    return [rounds[first : first + stage.hanchan] for first in range(0, stage.planned, stage.hanchan)]


def _dealt(players: int, rounds: int, table_size: int, seed: int) -> Iterator[Tables]:
    """Yield so many rounds. A long season is dealt in parts, each of them even by itself."""
    for part, first in enumerate(range(0, rounds, PART)):
        yield from seat(players, min(PART, rounds - first), table_size=table_size, seed=seed + part).rounds


def _together(tables: Tables, players: Sequence[int], hanchan: int) -> list[Tables]:
    """Return the rounds of a session in which every table keeps its players and changes their winds."""
    rotated = [rotate_winds(table, hanchan) for table in _named(tables, players)]
    return [tuple(each[number] for each in rotated) for number in range(hanchan)]


def _named(tables: Tables, players: Sequence[int]) -> Tables:
    return tuple(tuple(players[number] for number in table) for table in tables)


def _plans(current: CurrentState, blocks: Sequence[Sequence[Tables]], first_round: int = 1) -> Iterator[TablePlan]:
    """Yield the plan of every table; the tables of several blocks are numbered through."""
    offset = 0
    for rounds in blocks:
        for number, tables in enumerate(rounds, start=first_round):
            for table, entries in enumerate(tables, start=1):
                players = tuple(current.player(pk) for pk in entries)
                yield TablePlan(table=offset + table, players=players, round=number)
        offset += max((len(tables) for tables in rounds), default=0)


def _open(
    tournament: Tournament, stage: Stage, evening: PlannedSession, programme: SessionPlan, by: Actor
) -> StageSession:
    facts = SessionFacts(
        date=evening.date,
        title=stage_session_title(tournament.name, stage, evening.number, evening.block)[:100],
        venue=programme.venue,
        ruleset_version=tournament.ruleset_version,
    )
    session = open_session(league=tournament.league, facts=facts, by=by)
    place = StageSession(stage=stage.key, block=evening.block, number=evening.number)
    return _link(tournament, session, place, by, seed=programme.seed)


def _link(
    tournament: Tournament, session: Session, place: StageSession, by: Actor, seed: int | None = None
) -> StageSession:
    place.tournament, place.session = tournament, session
    place.save(force_insert=True)
    after = {"stage": place.stage, "block": place.block, "number": place.number, "session": str(session)}
    if seed is not None:
        # The page with the certificate tells it, so that everybody can repeat the seating.
        after["seed"] = seed
    write_history(tournament, place, created(after), by)
    return place


@transaction.atomic
def link_session(*, tournament: Tournament, session: Session, place: StageSession, by: Actor) -> StageSession:
    """Let the hanchan of a session that exists count in a stage; `place` is unsaved and names stage, block, number.

    Raises TournamentError "linked_already", "not_in_league", "no_such_stage".
    """
    lock_tournament(tournament)
    if session.league_id != tournament.league_id:
        raise TournamentError("not_in_league", name=str(session))
    if StageSession.objects.filter(session=session).exists():
        raise TournamentError("linked_already", session=str(session))
    stages = {stage.key: stage for stage in tournament.format.stages}
    if place.stage not in stages or (place.block and place.block not in stages[place.stage].block_keys):
        raise TournamentError("no_such_stage", stage=place.stage)
    return _link(tournament, session, place, by)


@transaction.atomic
def unlink_session(*, stage_session: StageSession, reason: str, by: Actor) -> None:
    """Let the hanchan of a session count in no stage any more; the session itself stays.

    Raises TournamentError "reason_missing".
    """
    tournament = stage_session.tournament
    lock_tournament(tournament)
    if not reason.strip():
        raise TournamentError("reason_missing")
    before = {"stage": stage_session.stage, "session": str(stage_session.session)}
    write_history(tournament, stage_session, changed(before, None, reason.strip()), by)
    stage_session.delete()


@transaction.atomic
def postpone_table(*, stage_session: StageSession, table: int, to: date, reason: str, by: Actor) -> StageSession:
    """Move a planned table to another evening, as a session of its own with the same number and block.

    Raises TournamentError "reason_missing", "no_such_table", "played" once the table has a result.
    """
    tournament = stage_session.tournament
    lock_tournament(tournament)
    session = stage_session.session
    seats = list(PlannedSeat.objects.filter(session=session, table=table).select_related("player"))
    if not reason.strip():
        raise TournamentError("reason_missing")
    if not seats:
        raise TournamentError("no_such_table", table=table)
    if Hanchan.objects.standing().filter(session=session, table=table).exists():
        raise TournamentError("played")
    facts = SessionFacts(
        date=to,
        title=session.title,
        venue=session.venue,
        tables=table,
        ruleset_version=session.ruleset_version,
    )
    other = open_session(league=tournament.league, facts=facts, by=by)
    place = StageSession(stage=stage_session.stage, block=stage_session.block, number=stage_session.number)
    made = _link(tournament, other, place, by)
    plan_tables(session=other, plans=list(_moved(seats)), by=by)
    unplan_tables(session=session, tables=[table], by=by)
    before = {"table": table, "date": session.date.isoformat()}
    write_history(tournament, made, changed(before, {"date": to.isoformat()}, reason.strip()), by)
    return made


def _moved(seats: Sequence[PlannedSeat]) -> Iterator[TablePlan]:
    by_round: dict[int, list[PlannedSeat]] = {}
    for each in seats:
        by_round.setdefault(each.round, []).append(each)
    for number, table in by_round.items():
        players = tuple(each.player for each in sorted(table, key=lambda each: each.seat))
        yield TablePlan(table=table[0].table, players=players, round=number)


@transaction.atomic
def plan_next_round(*, tournament: Tournament, stage: str, seed: int, by: Actor, block: str | None = None) -> Session:
    """Plan the next hanchan of a block whose tables follow from its standings; return the session it is played in.

    Raises TournamentError: "not_by_standing", "not_planned" before the evenings are, "round_unfinished" while a
    planned table has no result, "all_planned".
    """
    lock_tournament(tournament)
    current = state_of(tournament)
    found = current.state.stage(stage)
    if found.stage.seating not in {SeatingMethod.SWISS, SeatingMethod.STANDING}:
        raise TournamentError("not_by_standing")
    block = found.stage.block_keys[0] if block is None else block
    history = _history(current, found, block)
    if len(history) >= found.stage.planned:
        raise TournamentError("all_planned")
    place = _place_of_round(current, found.stage, block, len(history))
    tables = _next_tables(tournament, found, block, history, seed)
    number = len(history) % found.stage.hanchan + 1
    plan_tables(session=place.session, plans=list(_plans(current, [[tables]], number)), by=by)
    return place.session


def _next_tables(
    tournament: Tournament, found: StageProgress, block: str, history: Sequence[Tables], seed: int
) -> Tables:
    size = tournament.format.table_size
    order = [int(line.participant) for line in found.ranking(block).lines if not line.withdrawn]
    numbers = {who: number for number, who in enumerate(order)}
    # Somebody who has left keeps his meetings out of everybody else's way.
    past = [tuple(tuple(numbers.get(who, -1) for who in table) for table in tables) for tables in history]
    known = tuple(tuple(table for table in tables if -1 not in table) for tables in past)
    ranked = range(len(order))
    if found.stage.seating is SeatingMethod.STANDING:
        return _named(round_by_standing(ranked, known, table_size=size), order)
    return _named(next_swiss_round(ranked, known, seed=seed, table_size=size), order)


def _history(current: CurrentState, found: StageProgress, block: str) -> list[Tables]:
    """Return the rounds planned so far, in order. Raises TournamentError "round_unfinished"."""
    who_is = {entry.player.pk: pk for pk, entry in current.entries.items()}
    rounds: list[Tables] = []
    for place in _sessions(current, found.stage.key, block):
        plans = plan_of(place.session)
        if Hanchan.objects.standing().filter(session=place.session).count() < len(plans):
            raise TournamentError("round_unfinished", session=str(place.session))
        for _, tables in groupby(plans, key=itemgetter(0)):
            rounds.append(tuple(tuple(who_is.get(player.pk, -1) for player in players) for _, _, players in tables))
    return rounds


def _sessions(current: CurrentState, stage: str, block: str) -> list[StageSession]:
    return [each for each in current.sessions if each.stage == stage and each.block in {"", block}]


def _place_of_round(current: CurrentState, stage: Stage, block: str, rounds: int) -> StageSession:
    wanted = rounds // stage.hanchan + 1
    for place in _sessions(current, stage.key, block):
        if place.number == wanted:
            return place
    raise TournamentError("not_planned", number=wanted)
