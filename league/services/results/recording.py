"""A result that was played is stored here, once, whichever way it came in."""

import uuid
from collections.abc import Sequence
from datetime import datetime, time, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from league.core.periods import moment_on
from league.models import Confirmation, Hanchan, League, Player, Revision, Session
from league.permissions import MANAGE
from league.selectors.games import snapshot_from
from league.services.boards import mark_stale
from league.services.history import Actor, Change, write_revision
from league.services.results.repeats import ask_about_repeat
from league.services.results.rows import derived_seats, new_hanchan, store_rows
from league.services.results.values import HanchanResult, RecordedHanchan, ResultError, TableAndTime

EVENING = time(19, 0)
"""When a result of an earlier date is taken to have been played, unless somebody or the session says so."""


@transaction.atomic
def record_hanchan(
    *, session: Session, result: HanchanResult, table_and_time: TableAndTime, by: Actor, even_if_same: bool = False
) -> RecordedHanchan:
    """Store a finished hanchan with its points, its history and the boards it makes stale.

    The same `table_and_time.client_key` twice is one hanchan. Raises ResultError, SameResultError, and ScoringError when the
    rules cannot score the game.
    """
    if existing := _with_client_key(table_and_time.client_key, session.league):
        return RecordedHanchan(existing, is_new=False)
    # Two phones of one table may send a result at the same moment, each under a key of its own: one after the other.
    Session.objects.select_for_update(of=("self",), no_key=True).get(pk=session.pk)
    version = table_and_time.ruleset_version or session.ruleset_version
    check_players(result.players, session)
    seats = derived_seats(result, version.read())
    moment = table_and_time.played_at or default_moment(session, timezone.now())
    if not even_if_same:
        ask_about_repeat(session, result, table_and_time, moment)
    hanchan = new_hanchan(session, result, table_and_time, version, moment)
    hanchan.recorded_by, hanchan.recorded_through, hanchan.device = by.user, by.link, by.device
    confirms = confirms_alone(session.league, by)
    hanchan.state = Hanchan.State.CONFIRMED if confirms else Hanchan.State.RECORDED
    try:
        with transaction.atomic():
            hanchan.save(force_insert=True)
    except IntegrityError:
        # The other request with this key won the race; its hanchan is the answer to both.
        if existing := _with_client_key(table_and_time.client_key, session.league):
            return RecordedHanchan(existing, is_new=False)
        raise
    incidents = store_rows(hanchan, seats, result)
    change = Change(Revision.Action.RECORDED, after=snapshot_from(hanchan, seats, incidents))
    write_revision(session.league, hanchan, change, by)
    if confirms:
        agree(hanchan, by)
    mark_stale(session.league, [hanchan.day], [player.pk for player in result.players])
    return RecordedHanchan(hanchan, is_new=True)


def _with_client_key(client_key: uuid.UUID, league: League) -> Hanchan | None:
    found = Hanchan.objects.filter(client_key=client_key).select_related("session", "league").first()
    if found is not None and found.league_id != league.pk:
        raise ResultError("client_key_taken")
    return found


def check_players(players: Sequence[Player], session: Session) -> None:
    """Raise ResultError unless these are different, present players of the session's league."""
    seen: set[int] = set()
    for player in players:
        if player.league_id != session.league_id or player.merged_into_id is not None:
            raise ResultError("not_in_league", name=player.name)
        if player.pk in seen:
            raise ResultError("player_twice", name=player.name)
        seen.add(player.pk)


def default_moment(session: Session, now: datetime) -> datetime:
    """Return when a result is taken to have been played: now, or after the last one of a past session."""
    league = session.league
    if league.day_of(now) == session.date:
        return now
    last = session.hanchan.aggregate(last=Max("played_at"))["last"]
    if last is not None and league.day_of(last + timedelta(minutes=1)) == session.date:
        moment: datetime = last + timedelta(minutes=1)
        return moment
    return beginning_of(session)


def beginning_of(session: Session) -> datetime:
    """Return when the first result of a session is taken to have been played: at its start, else in the evening."""
    league = session.league
    return moment_on(session.date, session.start_time or EVENING, league.time_zone, league.day_boundary)


def confirms_alone(league: League, by: Actor) -> bool:
    """Return whether a result that this person enters needs nobody else: an organiser's, where organisers confirm."""
    is_asked = league.confirmed_by == League.ConfirmedBy.ORGANISER
    return is_asked and by.user is not None and by.user.has_perm(MANAGE, league)


def agree(hanchan: Hanchan, by: Actor) -> None:
    """Keep that an organiser stands for what they entered."""
    Confirmation.objects.create(
        hanchan=hanchan,
        version=hanchan.version,
        verdict=Confirmation.Verdict.AGREES,
        by=by.user,
        by_name=by.name,
        source=by.source,
    )
