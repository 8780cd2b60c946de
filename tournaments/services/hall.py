"""The hall: hall display, round timer, ready tables, calls."""

from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from league.models import Revision, Session
from league.models.editions import HALL, raise_edition
from league.selectors.planning import next_round
from league.services.history import Actor, Change
from tournaments.core.calendar import RoundClock
from tournaments.models import HallDisplay, TableCall, Tick, Tournament
from tournaments.models.hall import MOST_EXTRA_MINUTES, MOST_MINUTES
from tournaments.selectors.hall import hall_display
from tournaments.services.events import TournamentError, changed, created, lock_tournament, write_history

MINUTE = 60


def _locked(tournament: Tournament) -> HallDisplay:
    lock_tournament(tournament)
    return hall_display(tournament)


@transaction.atomic
def direct_projector(*, tournament: Tournament, wish: Mapping[str, str], by: Actor) -> HallDisplay:
    display = _locked(tournament)
    is_new = display._state.adding
    before = _scene(display)
    for name, value in wish.items():
        setattr(display, name, value)
    after = _scene(display)
    if is_new or after != before:
        display.save()
        write_history(tournament, display, created(after) if is_new else changed(before, after), by)
    return display


def _scene(display: HallDisplay) -> dict[str, str]:
    return {
        "tournament": display.tournament.name,
        "scene": str(display.scene),
        "message": display.message,
        "language": str(display.language),
    }


@transaction.atomic
def set_timer(*, tournament: Tournament, minutes: int, starts: bool, by: Actor) -> HallDisplay:
    """Set the timer to a number of minutes. Raise TournamentError "timer_minutes"."""
    if not 1 <= minutes <= MOST_MINUTES:
        raise TournamentError("timer_minutes", most=MOST_MINUTES)
    display = _locked(tournament)
    before = _timer(display) if display.length else None
    display.length, display.used, display.extra = MINUTE * minutes, 0, []
    display.started_at = timezone.now() if starts else None
    display.save()
    after = _timer(display)
    write_history(tournament, display, created(after) if before is None else changed(before, after), by)
    return display


@transaction.atomic
def turn_timer(*, tournament: Tournament, runs: bool, by: Actor) -> HallDisplay:
    """Start, resume or pause the timer. Raise TournamentError "timer_unset"."""
    display, known = _going(tournament)
    clock = known.started(timezone.now()) if runs else known.paused(timezone.now())
    if clock != known:
        before = _timer(display)
        display.used, display.started_at = round(clock.used.total_seconds() * 1000), clock.started_at
        display.save()
        write_history(tournament, display, changed(before, _timer(display)), by)
    return display


@transaction.atomic
def give_time(*, tournament: Tournament, session: Session, table: int, minutes: int, by: Actor) -> None:
    """Give a table extra time. Raise TournamentError "timer_unset" or "timer_extra"."""
    display, _ = _going(tournament)
    given = {(session_pk, number): seconds for session_pk, number, seconds in display.extra}
    place = (session.pk, table)
    seconds = given.get(place, 0) + MINUTE * minutes
    if minutes < 1 or seconds > MINUTE * MOST_EXTRA_MINUTES:
        raise TournamentError("timer_extra", most=MOST_EXTRA_MINUTES)
    display.extra = [[*at, much] for at, much in sorted((given | {place: seconds}).items())]
    display.save()
    said = {"tournament": tournament.name, "session": str(session), "table": table, "minutes": minutes}
    write_history(tournament, display, Change(Revision.Action.CHANGED, None, said), by)


def _going(tournament: Tournament) -> tuple[HallDisplay, RoundClock]:
    display = _locked(tournament)
    if display.clock is None:
        raise TournamentError("timer_unset")
    return display, display.clock


def _timer(display: HallDisplay) -> dict[str, object]:
    return {
        "tournament": display.tournament.name,
        "minutes": display.length // MINUTE,
        "started_at": display.started_at.isoformat() if display.started_at else "",
        "used": display.used // 1000,
    }


@transaction.atomic
def call_referee(*, tournament: Tournament, session: Session, table: int, by: Actor) -> TableCall:
    lock_tournament(tournament)
    call, is_new = TableCall.objects.get_or_create(
        tournament=tournament, session=session, table=table, done_at=None, defaults={"called_at": timezone.now()}
    )
    if is_new:
        write_history(tournament, call, created(_place(session, table)), by)
    return call


@transaction.atomic
def answer_call(*, call: TableCall, done: bool, by: Actor) -> TableCall:
    tournament = call.tournament
    lock_tournament(tournament)
    call = TableCall.objects.select_related("tournament__league", "session").get(pk=call.pk)
    if call.done_at or (call.coming_at and not done):
        return call
    if done:
        call.done_at, call.done_name = timezone.now(), by.name
    else:
        call.coming_at, call.coming_name = timezone.now(), by.name
    call.save()
    said = _place(call.session, call.table) | {"answer": "done" if done else "coming"}
    write_history(tournament, call, Change(Revision.Action.CHANGED, None, said), by)
    return call


@transaction.atomic
def mark_ready(
    *, tournament: Tournament, session: Session, number: int, tables: list[int], by: Actor, ready: bool = True
) -> None:
    display = _locked(tournament)
    places = [[session.pk, number, table] for table in dict.fromkeys(tables)]
    moved = [place for place in places if (place in display.ready) is not ready]
    if not moved:
        return
    kept = [place for place in display.ready if place not in moved]
    display.ready = [*kept, *moved] if ready else kept
    display.save()
    for *_, table in moved:
        said = _place(session, table) | {"round": number}
        write_history(tournament, display, created(said) if ready else Change(Revision.Action.WITHDRAWN, said), by)


def _place(session: Session, table: int) -> dict[str, object]:
    return {"session": str(session), "table": table}


MOST_TICKS = 500
"""Maximum number of ticks per hanchan: thirty hands with four riichi each, and as many corrections."""


@transaction.atomic
def record_tick(*, tick: Tick, by: Actor) -> Tick:
    """Store a tick; one with a known key is stored only once. Raise TournamentError."""
    session, place = tick.session, (tick.session_id, tick.table, tick.round)
    known = Tick.objects.filter(client_key=tick.client_key)
    if not known.exists():
        if tick.round > next_round(session, tick.table) + 1:
            raise TournamentError("tick_ahead")
        if Tick.objects.filter(session=session, table=tick.table, round=tick.round).count() >= MOST_TICKS:
            raise TournamentError("too_many_ticks")
        tick.league, tick.by, tick.at = session.league, by.user, min(tick.at, timezone.now())
        # Another request may send the same tick at the same moment.
        Tick.objects.bulk_create([tick], ignore_conflicts=True)
        raise_edition(session.league_id, HALL)
    stored = known.get()
    if (stored.session_id, stored.table, stored.round) != place:
        raise TournamentError("tick_elsewhere")
    return stored
