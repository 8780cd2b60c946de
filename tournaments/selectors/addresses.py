"""Where tournaments are found: at their addresses in their league, each with its edition."""

# ruff: noqa: S608 - the statement is put together from the names of columns; every value is a parameter

from collections.abc import Iterator

from league.models import League, Ruleset, RulesetVersion
from league.selectors.editions import COUNTED, OF_SESSION, edition_text
from league.selectors.questions import answers, joined
from league.selectors.stored_rows import StoredRow
from tournaments.models import Tournament

_TOURNAMENT = StoredRow(Tournament, "tournament")
_VERSION = StoredRow(RulesetVersion, "version")
_RULESET = StoredRow(Ruleset, "ruleset")

_OF_TOURNAMENT = {
    "edition": "tournaments_tournamentedition",
    "rise": "tournaments_tournamentrise",
    "column": "tournament_id",
    "of": "tournament.id",
}

STATEMENT = f"""
    SELECT {COUNTED.format(**_OF_TOURNAMENT)},
           (SELECT {{together}} FROM (
                SELECT session.id AS session, {COUNTED.format(**OF_SESSION, of="session.id")}
                FROM league_session AS session
                WHERE session.id IN (
                    SELECT stage.session_id FROM tournaments_stagesession AS stage WHERE stage.tournament_id = tournament.id
                    UNION SELECT origin.postponed_from_id FROM tournaments_stagesession AS stage
                    JOIN league_session AS origin ON origin.id = stage.session_id
                    WHERE stage.tournament_id = tournament.id)
                ORDER BY session.id) AS played_in),
           {_TOURNAMENT.columns}, {_VERSION.columns}, {_RULESET.columns}
    FROM tournaments_tournament AS tournament
    JOIN league_rulesetversion AS version ON version.id = tournament.ruleset_version_id
    JOIN league_ruleset AS ruleset ON ruleset.id = version.ruleset_id
    WHERE tournament.league_id = %s
"""
"""Tournaments with the rules they are played by and their editions: their own, and that of each of their sessions."""

ONE = "session || ':' || number || '.' || coalesce(moved_at, 0)"


def tournament_at(league: League, key: str) -> Tournament | None:
    return next(iter(_read(league, "AND tournament.key = %s", key)), None)


def tournaments_of(league: League) -> list[Tournament]:
    """Return the tournaments of a league, the newest first, with the rules they are played by. One query."""
    return list(_read(league, "ORDER BY tournament.id DESC"))


def _read(league: League, narrowed: str, *parameters: str) -> Iterator[Tournament]:
    rows = answers((STATEMENT.format(together=joined(ONE, " ")) + narrowed, [league.pk, *parameters]))[0]
    for number, moved_at, sessions, *row in rows:
        here, there = _TOURNAMENT.width, _TOURNAMENT.width + _VERSION.width
        tournament, version = _TOURNAMENT.read(row[:here]), _VERSION.read(row[here:there])
        version.ruleset = _RULESET.read(row[there:])
        tournament.league, tournament.ruleset_version = league, version
        tournament.edition = f"{edition_text(number, moved_at)} {sessions or ''}"
        yield tournament
