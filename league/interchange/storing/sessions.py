"""Storing of sessions with plans, hanchan and points without hanchan."""

from collections.abc import Iterator, Sequence
from datetime import UTC, timedelta

from league.interchange import schema
from league.interchange.problems import refuse
from league.interchange.storing.rulesets import Path, StoredSoFar
from league.models import Adjustment, Attendance, PlannedSeat, Revision, RulesetVersion, Session, SessionPoints
from league.services.attendance import attendance_snapshot
from league.services.boards import mark_stale
from league.services.bulk import PreparedHanchan, prepare, store
from league.services.calendar import adjustment_snapshot, session_snapshot
from league.services.history import Change, write_revision, write_revisions
from league.services.results import HanchanResult, ResultError, TableAndTime, beginning_of
from league.services.session_numbers import number_by_date
from league.services.session_points import PublishedSum, points_snapshot
from scoring.core import FinishedGame, InputError, ScoringError, format_points, read_game


def store_sessions(work: StoredSoFar, file: schema.LeagueFile) -> None:
    numbered = list(_numbered(file.sessions))
    prepared: list[PreparedHanchan] = []
    for number, index, entry in sorted(numbered, key=lambda each: each[0]):
        rules = work.rules_for(entry.ruleset, entry.ruleset_version, work.current)
        if rules is None:
            raise refuse(("sessions", index, "ruleset"), 'is missing, and the league has no rules; add "rulesets"')
        session = work.sessions[entry.key] = _store_session(work, entry, number, rules)
        _store_plan(work, session, entry.plan)
        _store_answers(work, session, entry.answers)
        prepared += prepared_hanchan(work, session, rules, entry, ("sessions", index, "hanchan"))
    # The session that another one was postponed from may come later in the file.
    for entry in file.sessions:
        if entry.postponed_from is not None:
            session = work.sessions[entry.key]
            session.postponed_from = work.sessions[entry.postponed_from]
            session.save(update_fields=["postponed_from"])
    number_by_date(work.league)
    store(work.league, prepared, work.by)


def _numbered(entries: Sequence[schema.SessionDocument]) -> Iterator[tuple[int, int, schema.SessionDocument]]:
    """Yield index, number and document of each session; without a number, it gets the next free one."""
    taken = {entry.number for entry in entries}
    last = 0
    for index, entry in enumerate(entries):
        number = entry.number or last + 1
        while entry.number is None and number in taken:
            number += 1
        last = number
        yield number, index, entry


def _store_session(work: StoredSoFar, entry: schema.SessionDocument, number: int, rules: RulesetVersion) -> Session:
    written = {"key", "date", "start_time", "title", "title_en", "venue", "tables", "state", "strict_entry"}
    columns = entry.model_dump(include={*written, "answers_until"})
    if "tables" not in entry.model_fields_set:
        columns["tables"] = max((plan.table for plan in entry.plan), default=1)
    columns["number_typed"] = entry.number is not None and not entry.numbered_by_date
    session = Session.objects.create(league=work.league, number=number, ruleset_version=rules, **columns)
    after = session_snapshot(session)
    if entry.answers_until is not None:
        after["answers_until"] = entry.answers_until.isoformat()
    if entry.plan:
        names = {plan: [work.players[key].name for key in plan.players + plan.waiting] for plan in entry.plan}
        after["plan"] = {f"{plan.round}/{plan.table}": seated for plan, seated in names.items()}
    write_revision(work.league, session, Change(Revision.Action.CREATED, after=after), work.by)
    return session


def _store_plan(work: StoredSoFar, session: Session, entries: Sequence[schema.PlanDocument]) -> None:
    PlannedSeat.objects.bulk_create(
        PlannedSeat(
            session=session,
            table=entry.table,
            round=entry.round,
            seat=seat,
            player=work.players[key],
            waits=seat >= len(entry.players),
        )
        for entry in entries
        for seat, key in enumerate(entry.players + entry.waiting)
    )


def _store_answers(work: StoredSoFar, session: Session, entries: Sequence[schema.AttendanceDocument]) -> None:
    answers = [
        Attendance(
            session=session,
            player=work.players[entry.player],
            given=Attendance.Given.ORGANISER,
            by=work.by.user,
            **entry.model_dump(include={"answer", "arrives_at", "word"}),
        )
        for entry in entries
    ]
    Attendance.objects.bulk_create(answers)
    changes = [(each, Change(Revision.Action.CREATED, after=attendance_snapshot(each))) for each in answers]
    write_revisions(work.league, changes, work.by)


def store_points(work: StoredSoFar, entries: Sequence[schema.SessionDocument]) -> list[SessionPoints]:
    """Store points without hanchan in file order; their total is not checked."""
    stored = [
        SessionPoints.objects.create(
            league=work.league,
            session=work.sessions[session.key],
            day=session.date,
            player=work.players[entry.player],
            note=entry.note,
            withdrawn=entry.withdrawn,
            created_by=work.by.user,
            **PublishedSum(entry.points, entry.hanchan, entry.places).columns,
        )
        for session in entries
        for entry in session.points
    ]
    changes = [(each, Change(Revision.Action.CREATED, None, points_snapshot(each), each.note)) for each in stored]
    write_revisions(work.league, changes, work.by)
    mark_stale(work.league, {points.day for points in stored})
    return stored


def store_adjustments(work: StoredSoFar, entries: Sequence[schema.AdjustmentDocument]) -> list[Adjustment]:
    adjustments = [
        Adjustment.objects.create(
            league=work.league,
            player=work.players[entry.player],
            day=entry.date,
            points=entry.points,
            reason=entry.reason,
            session=work.sessions[entry.session] if entry.session is not None else None,
            withdrawn=entry.withdrawn,
            created_by=work.by.user,
        )
        for entry in entries
    ]
    created = Revision.Action.CREATED
    changes = [(each, Change(created, None, adjustment_snapshot(each), each.reason)) for each in adjustments]
    write_revisions(work.league, changes, work.by)
    mark_stale(work.league, {adjustment.day for adjustment in adjustments})
    return adjustments


def prepared_hanchan(
    work: StoredSoFar, session: Session, rules: RulesetVersion, entry: schema.SessionDocument, path: Path
) -> Iterator[PreparedHanchan]:
    """Yield the scored hanchan of a session, with defaults that continue from the hanchan before."""
    rounds: dict[int, int] = {}
    moment = beginning_of(session) - timedelta(minutes=1)
    for index, hanchan in enumerate(entry.hanchan):
        own = work.rules_for(hanchan.ruleset, hanchan.ruleset_version, rules) or rules
        round_number = hanchan.round or rounds.get(hanchan.table, 0) + 1
        rounds[hanchan.table] = max(round_number, rounds.get(hanchan.table, 0))
        moment = hanchan.played_at or moment + timedelta(minutes=1)
        place = TableAndTime(hanchan.table, round_number, moment.astimezone(UTC), own, hanchan.key)
        yield _scored(work, session, place, hanchan, (*path, index))


def _scored(
    work: StoredSoFar, session: Session, place: TableAndTime, entry: schema.HanchanDocument, path: Path
) -> PreparedHanchan:
    try:
        result = HanchanResult(
            players=tuple(work.players[seat.player] for seat in entry.seats),
            game=_game(entry, path),
            note=entry.note,
            end_reason=entry.end_reason,
            yakuman=tuple((yakuman.seat, yakuman.note) for yakuman in entry.yakuman),
            worked_out=entry.worked_out,
        )
        return prepare(session, result, place, work.by, entry.state)
    except ScoringError as error:
        raise refuse(path if error.seat is None else (*path, "seats", error.seat), str(error)) from error
    except ResultError as error:
        raise refuse(path, f"{error.code} {error.values}") from error


def _game(entry: schema.HanchanDocument, path: Path) -> FinishedGame:
    table = {
        **_scores(entry),
        "as_is": entry.as_is,
        "sticks_left": entry.sticks_left,
        "busts": entry.busts,
        "chombo": entry.chombo,
        "chips": [seat.chips for seat in entry.seats],
        "deposits": [seat.deposits for seat in entry.seats],
    }
    try:
        return read_game(table)
    except InputError as error:
        where, _, complaint = str(error).partition(": ")
        raise refuse((*path, where), f"{complaint}; please correct it") from error


def _scores(entry: schema.HanchanDocument) -> dict[str, object]:
    raw = [seat.raw for seat in entry.seats if seat.raw is not None]
    if raw:
        return {"raw": raw}
    placements = [seat.placement for seat in entry.seats if seat.placement is not None]
    points = [format_points(seat.points) for seat in entry.seats if seat.points is not None]
    return {"points": points, "placements": placements}
