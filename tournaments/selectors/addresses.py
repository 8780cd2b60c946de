"""Where a tournament is found: at its address in its league."""

# ruff: noqa: S608 - the statement is put together from the names of columns; every value is a parameter

from django.db import connection

from league.models import League, Ruleset, RulesetVersion
from league.selectors.stored_rows import StoredRow
from tournaments.models import Tournament

_TOURNAMENT = StoredRow(Tournament, "tournament")
_VERSION = StoredRow(RulesetVersion, "version")
_RULESET = StoredRow(Ruleset, "ruleset")

STATEMENT = f"""
    SELECT {_TOURNAMENT.columns}, {_VERSION.columns}, {_RULESET.columns}
    FROM tournaments_tournament AS tournament
    JOIN league_rulesetversion AS version ON version.id = tournament.ruleset_version_id
    JOIN league_ruleset AS ruleset ON ruleset.id = version.ruleset_id
    WHERE tournament.league_id = %s AND tournament.key = %s
"""


def tournament_at(league: League, key: str) -> Tournament | None:
    """Return the tournament of a league that has this address, with the rules it is played by. One query."""
    with connection.cursor() as cursor:
        cursor.execute(STATEMENT, [league.pk, key])
        row = cursor.fetchone()
    if row is None:
        return None
    here, there = _TOURNAMENT.width, _TOURNAMENT.width + _VERSION.width
    tournament, version = _TOURNAMENT.read(row[:here]), _VERSION.read(row[here:there])
    version.ruleset = _RULESET.read(row[there:])
    tournament.league, tournament.ruleset_version = league, version
    return tournament
