"""A result that was played is stored here, once, whichever way it came in."""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, time, timedelta

from django.db import IntegrityError, connection, transaction
from django.db.models import Max
from django.utils import timezone

from league.core.periods import moment_on
from league.core.rounds import next_round
from league.models import Confirmation, Hanchan, League, Player, Revision, Session
from league.models.plans import EVERY_ROUND
from league.permissions import MANAGE, may_in_session
from league.selectors.entry import planned_instead
from league.selectors.games import snapshot_from
from league.selectors.questions import Rows, answers, carry_out, stored_key
from league.services.boards import marks_of_result
from league.services.history import Actor, Change, revision_of
from league.services.locking import lock_league
from league.services.results.repeats import refuse_repeat, repeat_questions, span_of
from league.services.results.rows import derived_seats, incidents_of, new_hanchan, seated
from league.services.results.values import (
    HanchanResult,
    OtherPeopleError,
    RecordedHanchan,
    ResultError,
    TableAndTime,
)
from league.services.sets import insertion
from league.services.telling import tell

EVENING = time(19, 0)
"""When a result of an earlier date is taken to have been played, unless somebody or the session says so."""


_LOCK = "SELECT id FROM league_session WHERE id = %s {for_update}"

_EXISTING = "SELECT id FROM league_hanchan WHERE client_key = %s"

_PLAYED = """SELECT round FROM league_hanchan WHERE session_id = %s AND "table" = %s AND state <> 'voided'"""

_PLANNED = """SELECT round, player_id FROM league_plannedseat WHERE session_id = %s AND "table" = %s"""


def record_hanchan(
    *,
    session: Session,
    result: HanchanResult,
    table_and_time: TableAndTime,
    by: Actor,
    even_if_same: bool = False,
) -> RecordedHanchan:
    """Store a finished hanchan with its points, its history and the boards it makes stale.

    The same `table_and_time.client_key` twice is one hanchan. Raises ResultError, SameResultError, OtherPeopleError, and
    ScoringError when the rules cannot score the game.
    """
    with once(table_and_time, session.league) as there, transaction.atomic():
        there.recorded = stored_hanchan(session, result, table_and_time, by, even_if_same=even_if_same)
    return there.found


@dataclass(slots=True)
class Once:
    """What came of a result that may be sent twice at the same moment."""

    recorded: RecordedHanchan | None = None

    @property
    def found(self) -> RecordedHanchan:
        """The hanchan that it is."""
        assert self.recorded is not None
        return self.recorded


@contextmanager
def once(table_and_time: TableAndTime, league: League) -> Iterator[Once]:
    """Let the hanchan of another request with the same key be the answer, where that one was stored first.

    Holds a transaction that stores a hanchan: only after its end is it known what the other one has stored.
    """
    there = Once()
    try:
        yield there
    except IntegrityError:
        existing = _with_client_key(table_and_time.client_key, league)
        if existing is None:
            raise
        there.recorded = RecordedHanchan(existing, is_new=False)


def stored_hanchan(
    session: Session,
    result: HanchanResult,
    table_and_time: TableAndTime,
    by: Actor,
    *,
    even_if_same: bool,
) -> RecordedHanchan:
    """Do the same within a transaction, which raises IntegrityError if another request with this key was quicker.

    Everything is worked out before the session is locked; then its numbers are read, and the rows are written.
    """
    version = table_and_time.ruleset_version or session.ruleset_version
    check_players(result.players, session)
    if result.game.as_is:
        check_as_is(result, session, by)
    seats = derived_seats(result, version.read())
    hanchan = new_hanchan(session, result, table_and_time, version, table_and_time.played_at or timezone.now())
    hanchan.recorded_by, hanchan.recorded_through, hanchan.device = by.user, by.link, by.device
    confirms = confirms_alone(session, by)
    hanchan.state = Hanchan.State.CONFIRMED if confirms else Hanchan.State.RECORDED
    existing = _numbered(hanchan, result, table_and_time, even_if_same=even_if_same)
    if existing is not None:
        return RecordedHanchan(existing, is_new=False)
    [[(hanchan.pk,)]] = answers(insertion([hanchan], returning="id"))
    incidents = incidents_of(hanchan, result)
    after = snapshot_from(hanchan, seats, incidents)
    tell(session.league_id)
    told = revision_of(session.league, hanchan, Change(Revision.Action.RECORDED, after=after), by)
    marks = marks_of_result(session.league, hanchan.day, [player.pk for player in result.players])
    # By player: keys of players are locked as their seats are stored, in the order in which a merge locks players.
    by_player = sorted(seated(hanchan, seats), key=lambda seat: seat.player_id)
    rows = (by_player, incidents, [told], marks)
    carry_out(*(insertion(each) for each in rows if each))
    if confirms:
        agree(hanchan, by)
    return RecordedHanchan(hanchan, is_new=True)


def _numbered(
    hanchan: Hanchan,
    result: HanchanResult,
    table_and_time: TableAndTime,
    *,
    even_if_same: bool,
) -> Hanchan | None:
    """Give a hanchan its number, and its time where that follows from the session; return what has its key already.

    Two phones of one table may send a result at the same moment, each under a key of its own: one after the other.
    """
    session = hanchan.session
    lock = _LOCK.format(for_update="FOR NO KEY UPDATE" if connection.features.has_select_for_update else "")
    span = span_of(table_and_time, hanchan.played_at)
    asks, is_known = not even_if_same, table_and_time.played_at is not None or _is_tonight(session, hanchan.played_at)
    repeats = repeat_questions(session, result, table_and_time, span) if asks and is_known else ()
    place = [session.pk, table_and_time.table]
    _, existing, played, planned, *found = answers(
        (lock, [session.pk]),
        (_EXISTING, [stored_key(table_and_time.client_key)]),
        (_PLAYED, place),
        (_PLANNED, place),
        *repeats,
    )
    if existing:
        return _with_client_key(table_and_time.client_key, session.league)
    if not is_known:
        hanchan.played_at = default_moment(session, hanchan.played_at)
        hanchan.day = session.league.day_of(hanchan.played_at)
        span = span_of(table_and_time, hanchan.played_at)
        found = answers(*repeat_questions(session, result, table_and_time, span)) if asks else []
    if asks:
        refuse_repeat(result, span, *found)
    if table_and_time.round is None:
        hanchan.round = _free_round(table_and_time.meant_round, [row[0] for row in played], planned)
    expected = {player for number, player in planned if number == hanchan.round}
    # A plan may name a player under whom somebody was known before a merge: only then is more than its rows looked at.
    if planned and not table_and_time.even_if_others and expected != {player.pk for player in result.players}:
        refuse_others(session, hanchan.table, hanchan.round, result.players)
    return None


def _free_round(meant: int | None, played: Sequence[int], planned: Rows) -> int:
    """Return the number that was meant where it is free, else the one that comes next."""
    rounds = {number for number, _ in planned} - {EVERY_ROUND}
    return meant if meant and meant not in played else next_round(played, rounds)


def refuse_others(session: Session, table: int, number: int, players: Sequence[Player]) -> None:
    """Raise OtherPeopleError unless these players are planned for this round and table, as far as anything is planned."""
    expected = planned_instead(session, table, number, players)
    if expected is not None:
        raise OtherPeopleError(table, number, expected)


def _is_tonight(session: Session, now: datetime) -> bool:
    return session.league.day_of(now) == session.date


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


def check_as_is(result: HanchanResult, session: Session, by: Actor) -> None:
    """Raise ResultError unless an organiser takes the result as it is and says why; its points count as the league says.

    What the league says stays so until the transaction ends.
    """
    if by.link is not None or (by.user is not None and not may_in_session(by.user, MANAGE, session)):
        raise ResultError("as_is_refused")
    if not result.note.strip():
        raise ResultError("as_is_unexplained")
    session.league.unbalanced_count = lock_league(session.league_id).unbalanced_count


def default_moment(session: Session, now: datetime) -> datetime:
    """Return when a result is taken to have been played: now, or after the last one of a past session."""
    league = session.league
    if _is_tonight(session, now):
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


def confirms_alone(session: Session, by: Actor) -> bool:
    """Return whether a result that this person enters needs nobody else: an organiser's, where organisers confirm."""
    is_asked = session.league.confirmed_by == League.ConfirmedBy.ORGANISER
    return is_asked and by.user is not None and may_in_session(by.user, MANAGE, session)


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
