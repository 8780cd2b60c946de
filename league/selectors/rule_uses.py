"""How many hanchan stand under each version of rules, and since when, without counting them."""

from dataclasses import dataclass
from datetime import date

from django.db import connection

from league.models import League

STATEMENT = """
    SELECT version.id, coalesce(sum(used.hanchan), 0), coalesce(sum(used.standing), 0),
        (SELECT day FROM league_hanchan WHERE ruleset_version_id = version.id AND state <> 'voided'
         ORDER BY ruleset_version_id, day LIMIT 1),
        (SELECT day FROM league_hanchan WHERE ruleset_version_id = version.id AND state <> 'voided'
         ORDER BY ruleset_version_id DESC, day DESC LIMIT 1)
    FROM league_rulesetversion AS version
    JOIN league_ruleset AS ruleset ON ruleset.id = version.ruleset_id
    LEFT JOIN (SELECT ruleset_version_id, hanchan, standing FROM league_ruleuse
               UNION ALL SELECT ruleset_version_id, hanchan, standing FROM league_ruleusechange) AS used
        ON used.ruleset_version_id = version.id
    WHERE ruleset.league_id = %s
    GROUP BY version.id
"""


@dataclass(frozen=True, slots=True)
class UseOfVersion:
    """How many hanchan were scored by a version, how many of them were not taken back, and the days of these."""

    hanchan: int = 0
    standing: int = 0
    first: date | None = None
    last: date | None = None


NO_USE = UseOfVersion()


def uses_of_versions(league: League) -> dict[int, UseOfVersion]:
    """Return how much was played by each version of the league's rules, by primary key. One query."""
    with connection.cursor() as cursor:
        cursor.execute(STATEMENT, [league.pk])
        return {
            version: UseOfVersion(int(hanchan), int(standing), *map(_day, days))
            for version, hanchan, standing, *days in cursor.fetchall()
        }


def _day(stored: date | str | None) -> date | None:
    """Return a day as either database hands it out."""
    return date.fromisoformat(stored) if isinstance(stored, str) else stored
