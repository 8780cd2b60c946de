"""The least that could answer: nothing through the whole middleware, and a post that only inserts the facts."""

import uuid
from datetime import UTC, date, datetime

from django.db import connection, transaction
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from league.models import Hanchan, Seat


@never_cache
def empty(request: HttpRequest) -> HttpResponse:
    """Answer nothing to whoever asks, reader known."""
    return JsonResponse({"reader": request.user.pk})


HANCHAN = (
    f'INSERT INTO "{Hanchan._meta.db_table}" (league_id, session_id, key, client_key, "table", round, played_at, day, '  # noqa: S608
    "ruleset_version_id, end_reason, sticks_left, note, state, version, recorded_at, device) "
    "VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, '', 0, '', 'recorded', 1, %s, '') RETURNING id"
)
SEAT = (
    f'INSERT INTO "{Seat._meta.db_table}" (hanchan_id, league_id, player_id, seat, raw_score, chips, deposits, day, '  # noqa: S608
    "played_at, counted, placement, sharing, is_bust, points, settlement, base, oka, uma, bust, chip_points, other, "
    "chombo, total_only) VALUES (%s, %s, %s, %s, %s, 0, 0, %s, %s, true, %s, 1, false, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)"
)


@require_POST
def insert_facts(request: HttpRequest) -> JsonResponse:
    """Insert one hanchan and its four seats as they come, nothing checked and nothing derived."""
    post, now = request.POST, datetime.now(UTC)
    league, session, version, key = post["league"], post["session"], post["version"], uuid.uuid4()
    with transaction.atomic(), connection.cursor() as cursor:
        table = int(post["table"])
        cursor.execute(HANCHAN, [league, session, f"f-{key}", key, table, 1, now, now.date(), version, now])
        hanchan = cursor.fetchone()[0]
        seats = [
            (hanchan, league, post[f"player_{seat}"], seat, post[f"raw_{seat}"], now.date(), now, seat + 1)
            for seat in range(4)
        ]
        cursor.executemany(SEAT, seats)
    return JsonResponse({"state": "saved", "hanchan": hanchan, "reader": request.user.pk})


BARE_SUMS = (
    f"SELECT player_id, {{group}}, COUNT(*), SUM(points), SUM(settlement), SUM(total_only), "  # noqa: S608
    "COUNT(*) FILTER (WHERE placement = 1), COUNT(*) FILTER (WHERE placement = 2), "
    "COUNT(*) FILTER (WHERE placement = 3), COUNT(*) FILTER (WHERE placement = 4), "
    "RANK() OVER (PARTITION BY {group} ORDER BY SUM(points) DESC) "
    f'FROM "{Seat._meta.db_table}" WHERE league_id = %s AND counted AND day >= %s AND day < %s GROUP BY player_id, {{group}}'
)
GROUPS = {"month": "date_trunc('month', day)", "year": "date_trunc('year', day)", "all": "1 + 0 * league_id"}


def bare_sums(league: int, kind: str, first: date, end: date) -> int:
    """Return how many lines a league's boards of a kind have: one statement that sums and ranks seats, nothing stored."""
    with connection.cursor() as cursor:
        cursor.execute(BARE_SUMS.format(group=GROUPS[kind]), [league, first, end])
        return len(cursor.fetchall())
