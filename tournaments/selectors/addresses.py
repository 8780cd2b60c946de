"""Where tournaments are found: at their addresses in their league, each with its edition."""

# ruff: noqa: S608 - the statement is put together from the names of columns; every value is a parameter

from collections.abc import Iterator

from league.models import League, Ruleset, RulesetVersion
from league.selectors.editions import edition_text
from league.selectors.questions import answers
from league.selectors.stored_rows import StoredRow
from tournaments.models import Tournament

_TOURNAMENT = StoredRow(Tournament, "tournament")
_VERSION = StoredRow(RulesetVersion, "version")
_RULESET = StoredRow(Ruleset, "ruleset")

STATEMENT = f"""
    SELECT (SELECT coalesce(sum(mark), 0) FROM league_edition
            WHERE league_id = tournament.league_id AND (scope = 0 OR scope IN (
                SELECT stage.session_id FROM tournaments_stagesession AS stage WHERE stage.tournament_id = tournament.id
                UNION SELECT origin.postponed_from_id FROM tournaments_stagesession AS stage
                JOIN league_session AS origin ON origin.id = stage.session_id
                WHERE stage.tournament_id = tournament.id))),
           {_TOURNAMENT.columns}, {_VERSION.columns}, {_RULESET.columns}
    FROM tournaments_tournament AS tournament
    JOIN league_rulesetversion AS version ON version.id = tournament.ruleset_version_id
    JOIN league_ruleset AS ruleset ON ruleset.id = version.ruleset_id
    WHERE tournament.league_id = %s
"""
"""Tournaments with the rules they are played by and their editions: what changed in their sessions, or anywhere."""


def tournament_at(league: League, key: str) -> Tournament | None:
    return next(iter(_read(league, "AND tournament.key = %s", key)), None)


def tournaments_of(league: League) -> list[Tournament]:
    """Return the tournaments of a league, the newest first, with the rules they are played by. One query."""
    return list(_read(league, "ORDER BY tournament.id DESC"))


def _read(league: League, narrowed: str, *parameters: str) -> Iterator[Tournament]:
    rows = answers((STATEMENT + narrowed, [league.pk, *parameters]))[0]
    for marks, *row in rows:
        here, there = _TOURNAMENT.width, _TOURNAMENT.width + _VERSION.width
        tournament, version = _TOURNAMENT.read(row[:here]), _VERSION.read(row[here:there])
        version.ruleset = _RULESET.read(row[there:])
        tournament.league, tournament.ruleset_version = league, version
        tournament.edition = edition_text(marks)
        yield tournament
