"""Where a league is found: at its address, and at every one that it had before."""

# ruff: noqa: S608 - the statement is put together from the names of columns; every value is a parameter

from datetime import timedelta
from functools import cache
from typing import Any

from django.db.models import Q
from django.utils import timezone

from league.models import League, Ruleset, RulesetVersion
from league.selectors.editions import EDITION, edition_text
from league.selectors.questions import answers, joined
from league.selectors.stored_rows import StoredRow

_LEAGUE = StoredRow(League, "league")
_VERSION = StoredRow(RulesetVersion, "version")
_RULESET = StoredRow(Ruleset, "ruleset")

STATEMENT = f"""
    SELECT {EDITION.format(league="league.id")},
           (SELECT {{together}} FROM (
                SELECT date || '/' || start_time AS at FROM league_session
                WHERE league_id = league.id AND date BETWEEN %s AND %s AND start_time IS NOT NULL
                UNION ALL
                SELECT replace('until/' || answers_until, ' ', 'T') FROM league_session
                WHERE league_id = league.id AND date >= %s AND answers_until IS NOT NULL
                ORDER BY 1) AS starting),
           {_LEAGUE.columns}, {_VERSION.columns}, {_RULESET.columns}
    FROM league_league AS league
    LEFT JOIN league_rulesetversion AS version ON version.id = league.current_version_id
    LEFT JOIN league_ruleset AS ruleset ON ruleset.id = version.ruleset_id
    WHERE
"""
"""A league with the rules it plays by, its edition, what starts on the days that are today somewhere,
and until when sessions ahead can be answered."""

BY_ADDRESS = "league.slug = %s"
BY_FORMER_ADDRESS = "league.id = (SELECT league_id FROM league_formeraddress WHERE slug = %s)"

A_DAY = timedelta(days=1)


def league_at(slug: str) -> League | None:
    """Return the league that has this address, or had it once, with its edition. One query, two for a former address."""
    return _league(BY_ADDRESS, slug) or former_league_at(slug)


def former_league_at(slug: str) -> League | None:
    """Return the league that had this address once. One query."""
    return _league(BY_FORMER_ADDRESS, slug)


def _league(condition: str, slug: str) -> League | None:
    today = timezone.now().date()
    rows = answers((_statement(condition), [today - A_DAY, today + A_DAY, today - A_DAY, slug]))[0]
    league = _read(rows[0]) if rows else None
    return None if league is None or league.has_ended(timezone.now()) else league


@cache
def _statement(condition: str) -> str:
    return STATEMENT.format(together=joined("at", " ")) + condition


def _read(row: tuple[Any, ...]) -> League:
    marks, starts, *values = row
    here, there = _LEAGUE.width, _LEAGUE.width + _VERSION.width
    league = _LEAGUE.read(values[:here])
    league.edition, league.starts = edition_text(marks), starts or ""
    if league.current_version_id is not None:
        version = _VERSION.read(values[here:there])
        version.ruleset = _RULESET.read(values[there:])
        league.current_version = version
    return league


def is_free(slug: str, besides: League | None = None) -> bool:
    """Return whether no league has this address or had it once, big and small letters being the same. One query."""
    taken = League.objects.filter(Q(slug__iexact=slug) | Q(former_addresses__slug__iexact=slug))
    return not (taken.exclude(pk=besides.pk) if besides else taken).exists()
