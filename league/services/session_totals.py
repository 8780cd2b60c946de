"""What sessions and versions of rules come to is added up here, after the facts; docs/adr/0030 says why none is wrong."""

from collections.abc import Sequence

from django.db import connection, transaction

from league.models import SessionEdition, SessionTotal
from league.selectors.session_totals import all_sessions, changed_sessions, summed

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


def add_up_sessions(league_id: int, *, anew: bool = False, at_most: int | None = None) -> int:
    """Add up the sessions of a league that have changed, `anew` all of them, or `at_most` so many; return how many.

    One query if none has.
    """
    sessions = (all_sessions(league_id) if anew else changed_sessions(league_id))[:at_most]
    for start in range(0, len(sessions), TOGETHER):
        _add_up(league_id, sessions[start : start + TOGETHER])
    return len(sessions)


@transaction.atomic
def _add_up(league_id: int, sessions: Sequence[int]) -> None:
    """Keep what these sessions come to at the edition that they have before they are summed."""
    if connection.vendor == "postgresql":
        _gather(league_id, sessions)
    editions = dict(SessionEdition.objects.filter(session__in=sessions).values_list("session", "number"))
    SessionTotal.objects.bulk_create(
        [
            SessionTotal(
                session_id=session,
                edition=editions.get(session, 0),
                seats=found.seats,
                players=found.players,
                best=found.best,
                strays=found.strays,
            )
            for session, found in summed(sessions).items()
        ],
        update_conflicts=True,
        unique_fields=("session",),
        update_fields=("edition", "seats", "players", "best", "strays"),
    )


def _gather(league_id: int, sessions: Sequence[int]) -> None:
    """Lock the editions, one after the other, and gather their changes. SQLite has one writer at a time."""
    # By number: "session" alone would have the sessions read, locked too, and put in the order of their pages.
    locked = SessionEdition.objects.filter(session__in=sessions).order_by("session_id").select_for_update()
    list(locked.values_list("pk"))
    sum_up = "SELECT league_sessionedition_sum_up(session_id) FROM league_sessionedition WHERE session_id = ANY(%s)"
    with connection.cursor() as cursor:
        cursor.execute(sum_up, [list(sessions)])
        cursor.execute(GATHER_USES, [league_id])
