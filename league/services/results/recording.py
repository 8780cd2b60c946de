"""Recording hanchan, however they were entered."""

import uuid
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, time, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone

from league.core.periods import moment_on
from league.core.results import LENGTH_OF_A_HANCHAN, SAME_EVENING, Likeness, likeness_in_time
from league.core.seating import next_round
from league.models import Confirmation, Hanchan, League, Player, Revision, Session
from league.permissions import MANAGE, may_in_session
from league.selectors.entry import planned_instead
from league.selectors.games import seats_of, snapshot_from
from league.selectors.planning import only_rounds, planned_in, table_plans
from league.services.boards import mark_stale
from league.services.history import Actor, Change, write_revision
from league.services.locking import lock_league
from league.services.results.values import (
    HanchanResult,
    OtherPeopleError,
    RecordedHanchan,
    ResultError,
    SameResultError,
    TableAndTime,
    derived_seats,
    new_hanchan,
    store_rows,
)

EVENING = time(19, 0)
"""Time of play if a past session has no start time."""

Span = tuple[datetime, datetime]


def record_hanchan(
    *,
    session: Session,
    result: HanchanResult,
    table_and_time: TableAndTime,
    by: Actor,
    even_if_same: bool = False,
) -> RecordedHanchan:
    """Store a finished hanchan with its points and history, and mark its boards as stale.

    A repeated `table_and_time.client_key` returns the stored hanchan. Raise ResultError, SameResultError,
    OtherPeopleError, or ScoringError if the rules cannot score the game.
    """
    return once(
        lambda: stored_hanchan(session, result, table_and_time, by, even_if_same=even_if_same),
        table_and_time,
        session.league,
    )


def once(stores: Callable[[], RecordedHanchan], table_and_time: TableAndTime, league: League) -> RecordedHanchan:
    """Run `stores` in a transaction; if another request used the client key first, return its hanchan.

    The conflict appears as an IntegrityError, after which the transaction is rolled back.
    """
    try:
        with transaction.atomic():
            return stores()
    except IntegrityError:
        existing = _with_client_key(table_and_time.client_key, league)
        if existing is None:
            raise
        return RecordedHanchan(existing, is_new=False)


def stored_hanchan(
    session: Session,
    result: HanchanResult,
    table_and_time: TableAndTime,
    by: Actor,
    *,
    even_if_same: bool,
) -> RecordedHanchan:
    """Do the work of `record_hanchan` in the caller's transaction.

    Raise IntegrityError if a concurrent request with the same client key was faster. The session's row is locked, so
    that two phones sending the same result under different keys are handled one after the other.
    """
    version = table_and_time.ruleset_version or session.ruleset_version
    check_players(result.players, session)
    if result.game.as_is:
        check_as_is(result, session, by)
    seats = derived_seats(result, version.read())
    Session.objects.select_for_update(no_key=True).only("pk").get(pk=session.pk)
    existing = _with_client_key(table_and_time.client_key, session.league)
    if existing is not None:
        return RecordedHanchan(existing, is_new=False)
    moment = table_and_time.played_at or default_moment(session, timezone.now())
    hanchan = new_hanchan(session, result, table_and_time, version, moment)
    hanchan.recorded_by, hanchan.recorded_through, hanchan.device = by.user, by.link, by.device
    confirms = confirms_alone(session, by)
    hanchan.state = Hanchan.State.CONFIRMED if confirms else Hanchan.State.RECORDED
    if not even_if_same:
        _refuse_repeat(hanchan, result, table_and_time)
    _number(hanchan, result, table_and_time)
    hanchan.save(force_insert=True)
    incidents = store_rows(hanchan, seats, result)
    change = Change(Revision.Action.RECORDED, after=snapshot_from(hanchan, seats, incidents))
    write_revision(session.league, hanchan, change, by)
    mark_stale(session.league, [hanchan.day], [player.pk for player in result.players])
    if confirms:
        agree(hanchan, by)
    return RecordedHanchan(hanchan, is_new=True)


def _number(hanchan: Hanchan, result: HanchanResult, table_and_time: TableAndTime) -> None:
    """Set the round: the typed one, the one shown while typing if still free, else the next. Raise OtherPeopleError."""
    session, plans = hanchan.session, table_plans(hanchan.session, hanchan.table)
    if table_and_time.round is None:
        rounds = session.hanchan.valid().filter(table=hanchan.table).order_by()
        played, meant = [*rounds.values_list("round", flat=True)], table_and_time.meant_round
        hanchan.round = meant if meant and meant not in played else next_round(played, only_rounds(plans))
    if table_and_time.even_if_others or not plans:
        return
    # A planned player may have been merged since.
    if {player.pk for player in planned_in(plans, hanchan.round)} != {player.pk for player in result.players}:
        refuse_others(session, hanchan.table, hanchan.round, result.players)


def _refuse_repeat(hanchan: Hanchan, result: HanchanResult, table_and_time: TableAndTime) -> None:
    """Raise SameResultError if a stored hanchan may be the same one.

    It may be if its scores are equal or nearly equal, at any table since typing began, as a draft may be an hour old;
    or if it took the round that was shown while typing.
    """
    begun, moment = table_and_time.typed_since, hanchan.played_at
    span = (begun if begun and begun < moment and table_and_time.played_at is None else moment), moment
    others = Hanchan.objects.valid().prefetch_related("seats")
    # Filtered by the first player's seats and time, for which there is an index.
    evening = others.filter(
        league=hanchan.league,
        seats__player=result.players[0],
        seats__played_at__range=(span[0] - SAME_EVENING, span[1] + SAME_EVENING),
    )
    for kind, existing in _alike(result, span, evening.order_by("pk")):
        raise SameResultError(existing, kind)
    if table_and_time.round is None and table_and_time.meant_round is not None:
        since = (table_and_time.typed_since or timezone.now()) - LENGTH_OF_A_HANCHAN
        of_round = others.filter(session=hanchan.session, table=hanchan.table, round=table_and_time.meant_round)
        taken = of_round.filter(recorded_at__gte=since).order_by("-played_at", "-pk").first()
        if taken is not None:
            raise SameResultError(taken, Likeness.ROUND)


def _alike(result: HanchanResult, span: Span, evening: Iterable[Hanchan]) -> list[tuple[Likeness, Hanchan]]:
    scores = result.game.raw or result.game.points
    wanted = {player.pk: score for player, score in zip(result.players, scores, strict=True)}
    found: dict[Likeness, Hanchan] = {}
    for other in evening:
        apart = abs(other.played_at - min(max(other.played_at, span[0]), span[1]))
        points = {seat.player_id: seat.points if seat.raw_score is None else seat.raw_score for seat in seats_of(other)}
        if kind := likeness_in_time(wanted, points, apart):
            found[kind] = other
    return [(kind, found[kind]) for kind in (Likeness.EQUAL, Likeness.NEAR) if kind in found]


def refuse_others(session: Session, table: int, number: int, players: Sequence[Player]) -> None:
    expected = planned_instead(session, table, number, players)
    if expected is not None:
        raise OtherPeopleError(table, number, expected)


def _with_client_key(client_key: uuid.UUID, league: League) -> Hanchan | None:
    found = Hanchan.objects.filter(client_key=client_key).select_related("session", "league").first()
    if found is not None and found.league_id != league.pk:
        raise ResultError("client_key_taken")
    return found


def check_players(players: Sequence[Player], session: Session) -> None:
    seen: set[int] = set()
    for player in players:
        if player.league_id != session.league_id or player.merged_into_id is not None:
            raise ResultError("not_in_league", name=player.name)
        if player.pk in seen:
            raise ResultError("player_twice", name=player.name)
        seen.add(player.pk)


def check_as_is(result: HanchanResult, session: Session, by: Actor) -> None:
    """Raise ResultError unless an organiser (or a command) accepts the wrong total, with a note.

    Locks the league, because its setting decides whether the result counts.
    """
    if by.link is not None or (by.user is not None and not may_in_session(by.user, MANAGE, session)):
        raise ResultError("as_is_refused")
    if not result.note.strip():
        raise ResultError("as_is_unexplained")
    session.league.unbalanced_count = lock_league(session.league_id).unbalanced_count


def default_moment(session: Session, now: datetime) -> datetime:
    league = session.league
    if league.day_of(now) == session.date:
        return now
    last = session.hanchan.aggregate(last=Max("played_at"))["last"]
    if last is not None and league.day_of(last + timedelta(minutes=1)) == session.date:
        moment: datetime = last + timedelta(minutes=1)
        return moment
    return beginning_of(session)


def beginning_of(session: Session) -> datetime:
    league = session.league
    return moment_on(session.date, session.start_time or EVENING, league.time_zone, league.day_boundary)


def confirms_alone(session: Session, by: Actor) -> bool:
    """Return whether a result entered by this user needs no further confirmation."""
    is_asked = session.league.confirmed_by == League.ConfirmedBy.ORGANISER
    return is_asked and by.user is not None and may_in_session(by.user, MANAGE, session)


def agree(hanchan: Hanchan, by: Actor) -> None:
    Confirmation.objects.create(
        hanchan=hanchan,
        version=hanchan.version,
        verdict=Confirmation.Verdict.AGREES,
        by=by.user,
        by_name=by.name,
        source=by.source,
    )
