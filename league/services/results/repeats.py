"""A result that may be there already is asked about before it is stored: equal, equal but for a slip, or of the same round."""

from datetime import datetime

from django.utils import timezone

from league.core.repeats import LENGTH_OF_A_HANCHAN, SAME_EVENING, Likeness, likeness_in_time
from league.models import Hanchan, Session
from league.services.results.values import HanchanResult, SameResultError, TableAndTime


def ask_about_repeat(session: Session, result: HanchanResult, table_and_time: TableAndTime, moment: datetime) -> None:
    """Raise SameResultError where a result may be one that is stored; two queries.

    `moment`: when it was played. One that was begun before counts from then on: a draft may lie about for an hour.
    """
    since = moment
    if table_and_time.typed_since is not None and table_and_time.played_at is None:
        since = min(table_and_time.typed_since, moment)
    if found := _alike(session, result, table_and_time, (since, moment)):
        raise SameResultError(*found)
    taken = _in_its_round(session, table_and_time)
    if taken is not None:
        raise SameResultError(taken, Likeness.ROUND)


def _alike(
    session: Session, result: HanchanResult, table_and_time: TableAndTime, span: tuple[datetime, datetime]
) -> tuple[Hanchan, Likeness] | None:
    """Return the most similar hanchan of the same people around these moments, at whatever table."""
    wanted = {player.pk: raw for player, raw in zip(result.players, result.game.raw, strict=True)}
    first, last = span
    # Asked of the seats, which the index has by player and time: the player's other evenings are not read.
    evening = (first - SAME_EVENING, last + SAME_EVENING)
    recent = Hanchan.objects.valid().filter(
        league=session.league, seats__player=result.players[0], seats__played_at__range=evening
    )
    found: dict[Likeness, Hanchan] = {}
    # The same submission, stored by another request a moment ago, is no second hanchan: saving will find it.
    for hanchan in recent.exclude(client_key=table_and_time.client_key).prefetch_related("seats").order_by("pk"):
        scores = {seat.player_id: seat.raw_score for seat in hanchan.seats.all()}
        nearest = min(max(hanchan.played_at, first), last)
        if kind := likeness_in_time(wanted, scores, abs(hanchan.played_at - nearest)):
            found[kind] = hanchan
    return next(((found[kind], kind) for kind in (Likeness.EQUAL, Likeness.NEAR) if kind in found), None)


def _in_its_round(session: Session, table_and_time: TableAndTime) -> Hanchan | None:
    """Return the hanchan that took the round since it was being typed; older ones were known to whoever typed."""
    if table_and_time.meant_round is None or table_and_time.round is not None:
        return None
    since = (table_and_time.typed_since or timezone.now()) - LENGTH_OF_A_HANCHAN
    there = session.hanchan.valid().filter(
        table=table_and_time.table, round=table_and_time.meant_round, recorded_at__gte=since
    )
    return there.exclude(client_key=table_and_time.client_key).first()
