"""The timer of a round: set, started, stopped, and given to single tables."""

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from league.models import Revision, Session
from league.services.history import Actor, Change
from tournaments.core.round_clock import RoundClock
from tournaments.models import RoundTimer, TableTime, Tournament
from tournaments.models.timers import MOST_EXTRA_MINUTES, MOST_MINUTES
from tournaments.services.events import TournamentError, changed, created, lock_tournament, write_history

MINUTE = 60


@transaction.atomic
def set_timer(*, tournament: Tournament, minutes: int, starts: bool, by: Actor) -> RoundTimer:
    """Set the timer to so many minutes, going at once or not; no table has extra time then.

    Raises TournamentError "timer_minutes".
    """
    if not 1 <= minutes <= MOST_MINUTES:
        raise TournamentError("timer_minutes", most=MOST_MINUTES)
    lock_tournament(tournament)
    known = RoundTimer.objects.filter(tournament=tournament).first()
    timer = RoundTimer(tournament=tournament, length=MINUTE * minutes, started_at=timezone.now() if starts else None)
    timer.save(force_insert=known is None)
    TableTime.objects.filter(tournament=tournament).delete()
    after = _said(timer)
    write_history(tournament, timer, created(after) if known is None else changed(_said(known), after), by)
    return timer


@transaction.atomic
def start_timer(*, tournament: Tournament, by: Actor) -> RoundTimer:
    """Let the timer go, or go on; one that goes stays as it is. Raises TournamentError "timer_unset"."""
    timer = _locked(tournament)
    return _turned(timer, timer.clock.started(timezone.now()), by)


@transaction.atomic
def pause_timer(*, tournament: Tournament, by: Actor) -> RoundTimer:
    """Stop the timer; one that stands still stays as it is. Raises TournamentError "timer_unset"."""
    timer = _locked(tournament)
    return _turned(timer, timer.clock.paused(timezone.now()), by)


@transaction.atomic
def give_time(*, tournament: Tournament, session: Session, table: int, minutes: int, by: Actor) -> TableTime:
    """Give a table more minutes on top of those it has. Raises TournamentError "timer_unset" or "timer_extra"."""
    timer = _locked(tournament)
    given, _ = TableTime.objects.get_or_create(
        tournament=tournament, session=session, table=table, defaults={"seconds": 0}
    )
    if minutes < 1 or given.seconds + MINUTE * minutes > MINUTE * MOST_EXTRA_MINUTES:
        raise TournamentError("timer_extra", most=MOST_EXTRA_MINUTES)
    TableTime.objects.filter(pk=given.pk).update(seconds=F("seconds") + MINUTE * minutes)
    said = {"tournament": tournament.name, "session": str(session), "table": table, "minutes": minutes}
    write_history(tournament, timer, Change(Revision.Action.CHANGED, None, said), by)
    given.refresh_from_db()
    return given


def _locked(tournament: Tournament) -> RoundTimer:
    lock_tournament(tournament)
    timer = RoundTimer.objects.filter(tournament=tournament).first()
    if timer is None:
        raise TournamentError("timer_unset")
    timer.tournament = tournament
    return timer


def _turned(timer: RoundTimer, clock: RoundClock, by: Actor) -> RoundTimer:
    if clock != timer.clock:
        before = _said(timer)
        timer.used, timer.started_at = round(clock.used.total_seconds() * 1000), clock.started_at
        timer.save()
        write_history(timer.tournament, timer, changed(before, _said(timer)), by)
    return timer


def _said(timer: RoundTimer) -> dict[str, object]:
    return {
        "tournament": timer.tournament.name,
        "minutes": timer.length // MINUTE,
        "started_at": timer.started_at.isoformat() if timer.started_at else "",
        "used": timer.used // 1000,
    }
