"""A result that may be there already is asked about before it is stored: equal, equal but for a slip, or of the same round."""

from collections.abc import Iterable
from datetime import datetime

from django.db import connection
from django.utils import timezone

from league.core.repeats import LENGTH_OF_A_HANCHAN, SAME_EVENING, Likeness, likeness_in_time
from league.models import Hanchan, Session
from league.selectors.questions import Question, Rows, moment_of, stored_key
from league.services.results.values import HanchanResult, SameResultError, TableAndTime

# The player's seats first, which the index has by player and time: their other evenings are not read.
_EVENING = """
    SELECT hanchan.id, hanchan.played_at, other.player_id, COALESCE(other.raw_score, other.points)
    FROM league_seat AS seat
    JOIN league_hanchan AS hanchan ON hanchan.id = seat.hanchan_id
    JOIN league_seat AS other ON other.hanchan_id = hanchan.id
    WHERE seat.player_id = %s AND seat.played_at BETWEEN %s AND %s
          AND hanchan.league_id = %s AND hanchan.state <> 'voided' AND hanchan.client_key <> %s
    ORDER BY hanchan.id
"""

_OF_ROUND = """
    SELECT id FROM league_hanchan
    WHERE session_id = %s AND "table" = %s AND round = %s AND state <> 'voided' AND recorded_at >= %s AND client_key <> %s
    ORDER BY played_at DESC, id DESC LIMIT 1
"""

Span = tuple[datetime, datetime]
"""When a hanchan was begun, as far as it is known, and when it was played."""


def span_of(table_and_time: TableAndTime, moment: datetime) -> Span:
    """Return when a result counts from: one that was begun before, from then on: a draft may lie about for an hour."""
    if table_and_time.typed_since is not None and table_and_time.played_at is None:
        return min(table_and_time.typed_since, moment), moment
    return moment, moment


def repeat_questions(
    session: Session, result: HanchanResult, table_and_time: TableAndTime, span: Span
) -> tuple[Question, Question]:
    """Return the questions for the evening of the same people, at whatever table, and for who took the round.

    The same submission, stored by another request a moment ago, is no second hanchan. Who took the round before it was
    typed was known to whoever typed.
    """
    first, last = (connection.ops.adapt_datetimefield_value(each) for each in _evening_of(span))
    key, meant = (
        stored_key(table_and_time.client_key),
        table_and_time.meant_round if table_and_time.round is None else None,
    )
    since = (table_and_time.typed_since or timezone.now()) - LENGTH_OF_A_HANCHAN
    took = [session.pk, table_and_time.table, meant, connection.ops.adapt_datetimefield_value(since), key]
    return (_EVENING, [result.players[0].pk, first, last, session.league_id, key]), (_OF_ROUND, took)


def _evening_of(span: Span) -> Span:
    return span[0] - SAME_EVENING, span[1] + SAME_EVENING


def refuse_repeat(result: HanchanResult, span: Span, evening: Rows, of_round: Rows) -> None:
    """Raise SameResultError where the answers to `repeat_questions` show a result that may be the same hanchan."""
    for kind, number in (*_alike(result, span, evening), *((Likeness.ROUND, row[0]) for row in of_round)):
        raise SameResultError(Hanchan.objects.prefetch_related("seats").get(pk=number), kind)


def scores_of(result: HanchanResult) -> tuple[int, ...]:
    """Return what each player has: the raw scores, or the points where those are all that is known."""
    return result.game.raw or result.game.points


def _alike(result: HanchanResult, span: Span, evening: Rows) -> Iterable[tuple[Likeness, int]]:
    """Return the similar hanchan of an evening, the most similar kind first, the latest of each."""
    wanted = {player.pk: raw for player, raw in zip(result.players, scores_of(result), strict=True)}
    moments: dict[int, datetime] = {}
    scores: dict[int, dict[int, int]] = {}
    for number, played_at, player, raw in evening:
        moments[number] = moment_of(played_at)
        scores.setdefault(number, {})[player] = raw
    found: dict[Likeness, int] = {}
    for number, moment in moments.items():
        nearest = min(max(moment, span[0]), span[1])
        if kind := likeness_in_time(wanted, scores[number], abs(moment - nearest)):
            found[kind] = number
    return [(kind, found[kind]) for kind in (Likeness.EQUAL, Likeness.NEAR) if kind in found]
