"""What sessions and versions of rules come to is added up here, after the facts; docs/adr/0030 says why none is wrong."""

from collections.abc import Sequence
from dataclasses import asdict

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


def add_up_sessions(league_id: int, *, anew: bool = False) -> int:
    """Add up the sessions of a league that have changed, `anew` all of them; return how many. One query if none has."""
    sessions = all_sessions(league_id) if anew else changed_sessions(league_id)
    for start in range(0, len(sessions), TOGETHER):
        _add_up(sessions[start : start + TOGETHER])
    if sessions and connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(GATHER_USES, [league_id])
    return len(sessions)


@transaction.atomic
def _add_up(sessions: Sequence[int]) -> None:
    """Keep what these sessions come to at the edition that they have before they are summed."""
    # One after the other: whoever waited here reads what was changed meanwhile.
    editions = SessionEdition.objects.filter(session__in=sessions).order_by("session")
    list(editions.select_for_update().values_list("pk"))
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT league_sessionedition_sum_up(session_id) FROM league_sessionedition WHERE session_id = ANY(%s)",
                [list(sessions)],
            )
    numbers = dict(editions.values_list("session", "number"))
    totals = [
        SessionTotal(session_id=session, edition=numbers.get(session, 0), **asdict(found))
        for session, found in summed(sessions).items()
    ]
    SessionTotal.objects.bulk_create(
        totals,
        update_conflicts=True,
        unique_fields=["session"],
        update_fields=["edition", "hanchan", "seats", "players", "best", "strays"],
    )
