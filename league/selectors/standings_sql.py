"""The one statement that sums a period. It runs alike on PostgreSQL and SQLite.

Facts are the counted seats of the period's days, the adjustments, and the points of sessions without hanchan; the
latter two together are the points without hanchan, as in points_without_hanchan. Everything on a board comes out of
one pass: sums, placements in twelfths (shared placements share the places they cover), the last five placements as digits, the
rank and the rank before the last day of play. PostgreSQL sums bigint to numeric: such sums become whole numbers again here,
so that nobody who reads them meets a Decimal.
"""

# ruff: noqa: S608 - the statements are put together from constants of this file; every value is a parameter

from typing import Any

from league.core.periods import Period
from league.models import League

COUNTERS = (
    "hanchan",
    "sessions",
    "total",
    "points",
    "settlement",
    "total_only",
    "adjustment",
    "first",
    "second",
    "third",
    "fourth",
    "placement_halves",
    "recent",
    "busts",
    "plus",
    "chombo",
    "chips",
    "raw_sum",
    "raw_best",
    "raw_worst",
    "points_best",
    "points_worst",
)

COLUMNS = ("score", "shared_rank", "previous_rank", *COUNTERS)

SCALE = 10**9
"""Averages are compared as whole numbers at this scale: finer than any two different averages of real games."""

WITHOUT_HANCHAN = ("league_adjustment", "league_sessionpoints")
"""Where points on totals lie that come from no hanchan."""

_SCORES = {
    League.Metric.POINTS: "{total}",
    League.Metric.AVERAGE_POINTS: f"{{total}} * {SCALE} / {{games}}",
    League.Metric.AVERAGE_PLACEMENT: f"-({{halves}} * {SCALE} / {{games}})",
}
"""What a board is ordered by, highest first."""


def _place(place: int) -> str:
    """Return the twelfths that a seat adds to a place: all twelve alone, a share when the placement is shared."""
    return f"COALESCE(SUM(CASE WHEN {place} BETWEEN placement AND placement + sharing - 1 THEN 12 / sharing END), 0)"


_LINES = (
    """
    line AS (
        SELECT player_id, hanchan_id, day, raw_score, placement, sharing, is_bust, points, settlement, total_only,
               chombo, chips, CASE WHEN %(ledger)s = 'settlement' THEN settlement ELSE points END AS counted_points,
               ROW_NUMBER() OVER (PARTITION BY player_id ORDER BY played_at DESC, hanchan_id DESC) AS recency
        FROM league_seat
        WHERE league_id = %(league)s AND counted AND day >= %(start)s AND day < %(end)s
    ),
    latest AS (SELECT MAX(day) AS day FROM line),
    played AS (
        SELECT player_id,
               COUNT(*) AS hanchan,
               COUNT(DISTINCT line.day) AS sessions,
               SUM(points) AS points,
               SUM(settlement) AS settlement,
               SUM(total_only) AS total_only,
               SUM(counted_points) AS counted_points,
               """
    + ",\n               ".join(
        f"{_place(place)} AS {name}" for place, name in enumerate(("first", "second", "third", "fourth"), start=1)
    )
    + """,
               SUM(2 * placement + sharing - 1) AS placement_halves,
               SUM(CASE recency WHEN 1 THEN placement WHEN 2 THEN 10 * placement WHEN 3 THEN 100 * placement
                                WHEN 4 THEN 1000 * placement WHEN 5 THEN 10000 * placement ELSE 0 END) AS recent,
               SUM(CASE WHEN is_bust THEN 1 ELSE 0 END) AS busts,
               SUM(CASE WHEN points > 0 THEN 1 ELSE 0 END) AS plus,
               SUM(chombo) AS chombo,
               SUM(chips) AS chips,
               SUM(raw_score) AS raw_sum,
               MAX(raw_score) AS raw_best,
               MIN(raw_score) AS raw_worst,
               MAX(points) AS points_best,
               MIN(points) AS points_worst,
               SUM(CASE WHEN line.day < latest.day THEN 1 ELSE 0 END) AS earlier_hanchan,
               SUM(CASE WHEN line.day < latest.day THEN counted_points + total_only ELSE 0 END) AS earlier_points,
               SUM(CASE WHEN line.day < latest.day THEN 2 * placement + sharing - 1 ELSE 0 END) AS earlier_halves
        FROM line CROSS JOIN latest
        GROUP BY player_id
    ),
    without_hanchan AS (
        """
    + " UNION ALL ".join(
        f"""
        SELECT player_id, day, points FROM {table}
        WHERE league_id = %(league)s AND NOT withdrawn AND day >= %(start)s AND day < %(end)s
        """
        for table in WITHOUT_HANCHAN
    )
    + """
    ),
    adjusted AS (
        SELECT player_id,
               SUM(points) AS points,
               SUM(CASE WHEN latest.day IS NULL OR without_hanchan.day < latest.day THEN points ELSE 0 END) AS earlier
        FROM without_hanchan CROSS JOIN latest
        GROUP BY player_id
    ),
    summed AS (
        SELECT COALESCE(played.player_id, adjusted.player_id) AS player_id,
               COALESCE(hanchan, 0) AS hanchan,
               COALESCE(sessions, 0) AS sessions,
               CAST(COALESCE(counted_points, 0) + COALESCE(total_only, 0) + COALESCE(adjusted.points, 0) AS bigint)
                   AS total,
               CAST(COALESCE(played.points, 0) AS bigint) AS points,
               CAST(COALESCE(settlement, 0) AS bigint) AS settlement,
               CAST(COALESCE(total_only, 0) AS bigint) AS total_only,
               CAST(COALESCE(adjusted.points, 0) AS bigint) AS adjustment,
               COALESCE(first, 0) AS first,
               COALESCE(second, 0) AS second,
               COALESCE(third, 0) AS third,
               COALESCE(fourth, 0) AS fourth,
               COALESCE(placement_halves, 0) AS placement_halves,
               COALESCE(recent, 0) AS recent,
               COALESCE(busts, 0) AS busts,
               COALESCE(plus, 0) AS plus,
               COALESCE(chombo, 0) AS chombo,
               COALESCE(chips, 0) AS chips,
               COALESCE(raw_sum, 0) AS raw_sum,
               raw_best, raw_worst, points_best, points_worst,
               COALESCE(earlier_hanchan, 0) AS earlier_hanchan,
               CAST(COALESCE(earlier_points, 0) + COALESCE(adjusted.earlier, 0) AS bigint) AS earlier_total,
               COALESCE(earlier_halves, 0) AS earlier_halves
        FROM played FULL JOIN adjusted ON played.player_id = adjusted.player_id
    )
"""
)

_SCORED = """
    scored AS (
        SELECT summed.*,
               CASE %(metric)s {now} END AS score,
               CASE %(metric)s {earlier} END AS earlier_score,
               hanchan >= %(minimum)s AND hanchan > 0 AS is_ranked,
               earlier_hanchan >= %(minimum)s AND earlier_hanchan > 0 AS was_ranked
        FROM summed
    )
""".format(
    now=" ".join(
        f"WHEN '{metric}' THEN "
        + score.format(total="total", halves="placement_halves", games="CASE hanchan WHEN 0 THEN 1 ELSE hanchan END")
        for metric, score in _SCORES.items()
    ),
    earlier=" ".join(
        f"WHEN '{metric}' THEN "
        + score.format(
            total="earlier_total",
            halves="earlier_halves",
            games="CASE earlier_hanchan WHEN 0 THEN 1 ELSE earlier_hanchan END",
        )
        for metric, score in _SCORES.items()
    ),
)

_RANKED = """
    ranked AS (
        SELECT scored.*,
               CASE WHEN is_ranked THEN RANK() OVER (PARTITION BY is_ranked ORDER BY score DESC) END AS shared_rank,
               CASE WHEN was_ranked THEN RANK() OVER (PARTITION BY was_ranked ORDER BY earlier_score DESC) END
                   AS previous_rank
        FROM scored
    )
"""

STANDINGS = f"WITH {_LINES}, {_SCORED}, {_RANKED} SELECT player_id, {', '.join(COLUMNS)} FROM ranked"
"""The lines of a period as they are now, straight from the facts."""

REFRESH = f"""
    INSERT INTO league_standing (league_id, period, player_id, rank, {", ".join(COLUMNS)})
    WITH {_LINES}, {_SCORED}, {_RANKED}
    SELECT %(league)s, %(period)s, player_id, shared_rank, {", ".join(COLUMNS)} FROM ranked WHERE true
    ON CONFLICT (league_id, period, player_id) DO UPDATE
    SET rank = excluded.shared_rank, {", ".join(f"{column} = excluded.{column}" for column in COLUMNS)}
    WHERE {" OR ".join(f"league_standing.{column} IS DISTINCT FROM excluded.{column}" for column in COLUMNS)}
"""

REMOVE_GONE = """
    DELETE FROM league_standing
    WHERE league_id = %(league)s AND period = %(period)s
""" + "".join(
    f"""
      AND NOT EXISTS (
          SELECT 1 FROM {table}
          WHERE {table}.player_id = league_standing.player_id AND {table}.league_id = %(league)s
            AND {condition} AND day >= %(start)s AND day < %(end)s)
    """
    for table, condition in {"league_seat": "counted", **dict.fromkeys(WITHOUT_HANCHAN, "NOT withdrawn")}.items()
)


def refresh_parameters(league: League, period: Period) -> dict[str, Any]:
    """Return the values that the statements above take for a board of the league."""
    return {
        "league": league.pk,
        "period": period.key,
        "start": period.start,
        "end": period.end,
        "ledger": league.ledger,
        "metric": league.metric,
        "minimum": minimum_for(league, period),
    }


def minimum_for(league: League, period: Period) -> int:
    """Return how many hanchan a player needs to be ranked; free ranges rank everybody."""
    minimums = {"month": league.minimum_month, "year": league.minimum_year, "all": league.minimum_all}
    return minimums.get(str(period.kind), 0)
