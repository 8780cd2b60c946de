"""How many hanchan stand under each version of rules, without counting them."""

from dataclasses import dataclass

from django.db import connection

from league.models import League

STATEMENT = """
    SELECT version.id, coalesce(sum(used.hanchan), 0), coalesce(sum(used.standing), 0)
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
    """How many hanchan were scored by a version, and how many of them were not taken back."""

    hanchan: int = 0
    standing: int = 0


NO_USE = UseOfVersion()


def uses_of_versions(league: League) -> dict[int, UseOfVersion]:
    """Return how much was played by each version of the league's rules, by primary key. One query."""
    with connection.cursor() as cursor:
        cursor.execute(STATEMENT, [league.pk])
        return {version: UseOfVersion(int(hanchan), int(standing)) for version, hanchan, standing in cursor.fetchall()}
