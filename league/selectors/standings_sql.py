"""The query that sums seats, identical on PostgreSQL and SQLite.

It reads counted seats, adjustments, and points of sessions without hanchan. One pass returns sums, placements in
twelfths (because they can be shared), the last five placements as digits, and the values before the last day of play.
Ranks and longer periods are derived in league.core. PostgreSQL's numeric sums are cast to bigint here.
"""

# ruff: noqa: S608 - the statement is put together from constants and whole numbers; every other value is a parameter

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db import connection

from league.core.board_lines import HALVES, PLACES, SUMS
from league.core.board_ranks import Ranking
from league.core.periods import FIRST_DAY, LAST_DAY, Period
from league.models import League

WITHOUT_HANCHAN = ("league_adjustment", "league_sessionpoints")
"""Tables with points without hanchan; only the second represents played hanchan."""

FAR = timedelta(days=3)
"""Maximum difference between a league day and the time of play."""

Players = Collection[int] | None
"""Primary keys of the requested players; None means all."""


@dataclass(frozen=True, slots=True)
class Days:
    """A range of league days to be summed, without `end`. `place`: index of this part of a period."""

    place: int
    start: date
    end: date


def _place(place: int) -> str:
    """Return SQL for the twelfths of a placement: 12 per seat, fewer if the placement is shared."""
    return f"COALESCE(SUM(CASE WHEN {place} BETWEEN placement AND placement + sharing - 1 THEN 12 / sharing END), 0)"


_OF_SEATS = {
    "hanchan": "COUNT(*)",
    "total": "CAST(SUM({points} + total_only) AS bigint)",
    "placement_halves": f"SUM({HALVES})",
    "sessions": "COUNT(DISTINCT day)",
    "points": "CAST(SUM(points) AS bigint)",
    "settlement": "CAST(SUM(settlement) AS bigint)",
    "total_only": "CAST(SUM(total_only) AS bigint)",
    "adjustment": "0",
    "first": _place(1),
    "second": _place(2),
    "third": _place(3),
    "fourth": _place(4),
    "busts": "SUM(CASE WHEN is_bust THEN 1 ELSE 0 END)",
    "plus": "SUM(CASE WHEN points > 0 THEN 1 ELSE 0 END)",
    "chombo": "SUM(chombo)",
    "chips": "SUM(chips)",
    "raw_sum": "COALESCE(SUM(raw_score), 0)",
    "earlier_hanchan": "SUM(CASE WHEN day < %(last_day)s THEN 1 ELSE 0 END)",
    "earlier_total": "CAST(SUM(CASE WHEN day < %(last_day)s THEN {points} + total_only ELSE 0 END) AS bigint)",
    "earlier_halves": f"SUM(CASE WHEN day < %(last_day)s THEN {HALVES} ELSE 0 END)",
    **dict.fromkeys((name for name in SUMS if "sums_" in name), "0"),
    "recent": "SUM(CASE recency WHEN 1 THEN placement WHEN 2 THEN 10 * placement WHEN 3 THEN 100 * placement"
    " WHEN 4 THEN 1000 * placement WHEN 5 THEN 10000 * placement ELSE 0 END)",
    "raw_best": "MAX(raw_score)",
    "points_best": "MAX(points)",
    "raw_worst": "MIN(raw_score)",
    "points_worst": "MIN(points)",
}
"""Values summed over a player's seats in a range."""


def _earlier(column: str) -> str:
    """Return SQL for a column's sum before the last day of play; everything is earlier if nothing was played."""
    return f"CAST(SUM(CASE WHEN {{nothing_played}} OR day < %(last_day)s THEN {column} ELSE 0 END) AS bigint)"


_OF_SUMS = {
    "sums_hanchan": "COALESCE(hanchan, 0)",
    "sums_unknown": "CASE WHEN hanchan IS NULL THEN 1 ELSE 0 END",
    "sums_placed": "COALESCE(first + second + third + fourth, 0)",
    "sums_halves": "COALESCE(2 * first + 4 * second + 6 * third + 8 * fourth, 0)",
    "sums_left_out": "CASE WHEN hanchan IS NULL THEN points ELSE 0 END",
}
"""Values of points without hanchan, per row of league_sessionpoints."""

_OF_EXTRAS = dict.fromkeys(SUMS, "0") | {
    "total": "CAST(SUM(points) AS bigint)",
    "adjustment": "CAST(SUM(points) AS bigint)",
    "earlier_total": _earlier("points"),
    **{name: f"CAST(SUM({name}) AS bigint)" for name in _OF_SUMS},
    **{f"earlier_{name}": _earlier(name) for name in _OF_SUMS},
    **{name: f"12 * SUM({name})" for name in PLACES},
    "raw_best": "NULL",
    "points_best": "NULL",
    "raw_worst": "NULL",
    "points_worst": "NULL",
}
"""Values summed over a player's points without hanchan."""

_NO_HANCHAN = ", ".join(f"0 AS {name}" for name in (*_OF_SUMS, *PLACES))
_SUMMED = ", ".join(
    f"{value} AS {name}" for name, value in (_OF_SUMS | {place: f"COALESCE({place}, 0)" for place in PLACES}).items()
)

STATEMENT = f"""
    SELECT place, player_id, {", ".join(_OF_SEATS[name] for name in SUMS)}
    FROM (
        SELECT {{place}} AS place, player_id, day, raw_score, placement, sharing, is_bust, points, settlement,
               total_only, chombo, chips,
               ROW_NUMBER() OVER (
                   PARTITION BY {{place}}, player_id ORDER BY day DESC, played_at DESC, hanchan_id DESC) AS recency
        FROM league_seat
        WHERE league_id = %(league)s AND counted AND ({{days}}) AND {{players}} AND {{moments}}
    ) AS line
    GROUP BY place, player_id
    UNION ALL
    SELECT place, player_id, {", ".join(_OF_EXTRAS[name] for name in SUMS)}
    FROM ({
    " UNION ALL ".join(
        f'''
        SELECT {{place}} AS place, player_id, day, points, {columns} FROM {table}
        WHERE league_id = %(league)s AND NOT withdrawn AND ({{days}}) AND {{players}}'''
        for table, columns in zip(WITHOUT_HANCHAN, (_NO_HANCHAN, _SUMMED), strict=True)
    )
}
    ) AS without_hanchan
    GROUP BY place, player_id
"""
"""Totals of players over ranges of days, with and without hanchan."""


def sums_of_days(
    league: League, ranges: Sequence[Days], last_day: date | None, players: Players = None
) -> list[tuple[Any, ...]]:
    """Return `place`, player and the SUMS of ranges of days, computed from current results. One query.

    `ranges` must not be empty. A player with both seats and points without hanchan has two rows per place. `last_day`:
    last day of play of the whole period.
    """
    parameters: dict[str, Any] = {"league": league.pk, "last_day": last_day}
    for number, days in enumerate(ranges):
        parameters |= {f"start_{number}": days.start, f"end_{number}": days.end}
    statement = STATEMENT.format(
        place=_place_of_day(ranges),
        days=" OR ".join(f"day >= %(start_{number})s AND day < %(end_{number})s" for number in range(len(ranges))),
        players=among(players),
        moments=_moments(ranges, players, parameters),
        points=points_column(league),
        nothing_played="true" if last_day is None else "false",
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _place_of_day(ranges: Sequence[Days]) -> str:
    *earlier, last = ranges
    if not earlier:
        return str(last.place)
    choices = " ".join(f"WHEN day < %(end_{number})s THEN {days.place}" for number, days in enumerate(earlier))
    return f"CASE {choices} ELSE {last.place} END"


def _moments(ranges: Sequence[Days], players: Players, parameters: dict[str, Any]) -> str:
    """Return a condition on the time of play, so that the index on player and time can be used."""
    first, last = ranges[0].start, ranges[-1].end
    if players is None or first <= FIRST_DAY + FAR or last >= LAST_DAY - FAR:
        return "true"
    parameters |= {"earliest": first - FAR, "latest": last + FAR}
    return "played_at >= %(earliest)s AND played_at < %(latest)s"


def among(players: Players) -> str:
    if players is None:
        return "true"
    return f"player_id IN ({', '.join(str(int(player)) for player in players)})" if players else "false"


def points_column(league: League) -> str:
    return "settlement" if league.ledger == League.RankingLedger.SETTLEMENT else "points"


def ranking_on(league: League, period: Period) -> Ranking:
    return Ranking(league.metric, minimum_for(league, period))


def minimum_for(league: League, period: Period) -> int:
    """Return the minimum number of hanchan to be ranked; 0 for custom ranges."""
    minimums = {"month": league.minimum_month, "year": league.minimum_year, "all": league.minimum_all}
    return minimums.get(str(period.kind), 0)
