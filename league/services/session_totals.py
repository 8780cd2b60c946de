"""What sessions and versions of rules come to is added up here, after the facts; docs/adr/0030 says why none is wrong."""

# ruff: noqa: S608 - the statements are put together from constants; every value is a parameter

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from django.db import connection, transaction

from league.models import SessionEdition
from league.selectors.questions import Question, answers, carry_out
from league.selectors.session_totals import SessionSum, all_sessions, changed_sessions, questions_of_sums, sums_in

TOGETHER = 200
"""So many sessions are added up in one transaction."""

GATHER_USES = """
    WITH gone AS (
        DELETE FROM league_ruleusechange WHERE ruleset_version_id IN (
            SELECT version.id FROM league_rulesetversion AS version
            JOIN league_ruleset AS ruleset ON ruleset.id = version.ruleset_id WHERE ruleset.league_id = %s)
        RETURNING ruleset_version_id, hanchan, standing)
    INSERT INTO league_ruleuse (ruleset_version_id, hanchan, standing)
    SELECT ruleset_version_id, sum(hanchan), sum(standing) FROM gone GROUP BY ruleset_version_id ORDER BY ruleset_version_id
    ON CONFLICT (ruleset_version_id) DO UPDATE
    SET hanchan = league_ruleuse.hanchan + excluded.hanchan, standing = league_ruleuse.standing + excluded.standing
"""


_COLUMNS = ("edition", "seats", "players", "best", "strays")

_WRITE = f"""
    INSERT INTO league_sessiontotal (session_id, {", ".join(_COLUMNS)}) VALUES {{rows}}
    ON CONFLICT (session_id) DO UPDATE SET {", ".join(f"{column} = excluded.{column}" for column in _COLUMNS)}
"""


def add_up_sessions(league_id: int, *, anew: bool = False, at_most: int | None = None) -> int:
    """Add up the sessions of a league that have changed, `anew` all of them, or `at_most` so many; return how many.

    One query if none has. PostgreSQL is asked twice more for a slice of them.
    """
    sessions = (all_sessions(league_id) if anew else changed_sessions(league_id))[:at_most]
    for start in range(0, len(sessions), TOGETHER):
        _add_up(league_id, sessions[start : start + TOGETHER])
    return len(sessions)


@transaction.atomic
def _add_up(league_id: int, sessions: Sequence[int]) -> None:
    """Keep what these sessions come to at the edition that they have before they are summed."""
    before = list(_gathered(sessions))
    rows = answers(*before, _numbers(sessions), *questions_of_sums(sessions))[len(before) :]
    editions: dict[int, int] = dict(rows[0])
    uses = [(GATHER_USES, [league_id])] if connection.vendor == "postgresql" else []
    carry_out(_written(editions, sums_in(sessions, *rows[1:])), *uses)


def _gathered(sessions: Collection[int]) -> Iterator[Question]:
    """Yield what locks the editions, one after the other, and gathers their changes. SQLite has one writer at a time."""
    if connection.vendor == "postgresql":
        # Whoever waited here reads what was changed meanwhile.
        # By number: "session" alone would have the sessions read, locked too, and put in the order of their pages.
        locked = SessionEdition.objects.filter(session__in=sessions).order_by("session_id").select_for_update()
        yield locked.values_list("pk").query.sql_with_params()
        yield (
            "SELECT league_sessionedition_sum_up(session_id) FROM league_sessionedition WHERE session_id = ANY(%s)",
            [list(sessions)],
        )


def _numbers(sessions: Collection[int]) -> Question:
    found: Question = (
        SessionEdition.objects.filter(session__in=sessions).values_list("session", "number").query.sql_with_params()
    )
    return found


def _written(editions: Mapping[int, int], totals: Mapping[int, SessionSum]) -> Question:
    """Return the statement that keeps these totals."""
    row = f"({', '.join(['%s'] * (len(_COLUMNS) + 1))})"
    values: list[Any] = []
    for session, found in totals.items():
        values += session, editions.get(session, 0), found.seats, found.players, json.dumps(found.best), found.strays
    return _WRITE.format(rows=", ".join([row] * len(totals))), values
