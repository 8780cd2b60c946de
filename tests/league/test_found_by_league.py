"""Pages of a league query by league, so that one shard could answer them (docs/adr/0073).

In each statement's plan, every table with a league's rows must be restricted by `league_id`, by its primary key or by the
key of a parent row (which all belong to one league), or be joined by such a column to a table that is. A statement that
searches all leagues, say by date or name alone, fails. The one exception is the key that a phone generates for a result: it is
unique across all leagues, and with shards would be unique per league.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from league.models import Hanchan, League
from league.services.boards import refresh_league
from league.services.ending import rows_of_leagues
from tests.conftest import needs_postgresql
from tests.league.entry_contexts import JSON, at, link_of, typed
from tests.league.factories import make_league, make_session, make_user, play

pytestmark = [pytest.mark.django_db, needs_postgresql, pytest.mark.merge]

CONDITIONS = ("Index Cond", "Recheck Cond", "Filter", "Join Filter", "Hash Cond", "Merge Cond")
COLUMN = r'"?(\w+)"?\."?(\w+)"?'
TIED = re.compile(rf"{COLUMN}(?:\)::[\w ]+)? = (?:ANY )?\(*(?:{COLUMN}|(\S))")
"""A condition that a column equals another column or a known value."""


def keys() -> dict[str, set[str]]:
    owned = set(rows_of_leagues())
    found = {
        model._meta.db_table: {
            "league_id",
            str(model._meta.pk.column),
            *(str(field.column) for field in model._meta.concrete_fields if field.related_model in owned),
        }
        for model in owned
    }
    found[League._meta.db_table].add("slug")
    found[Hanchan._meta.db_table].add("client_key")
    return found


def nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for each in plan.get("Plans", ()):
        yield from nodes(each)


def not_found_by_league(sql: str) -> set[str]:
    """Return the league tables that a statement reads without a restriction by league or key."""
    with connection.cursor() as cursor:
        # Forbid sequential scans, as if the tables were large.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON) {sql}")
        found = cursor.fetchone()[0]
    (whole,) = json.loads(found) if isinstance(found, str) else found
    parts = list(nodes(whole["Plan"]))
    columns = keys()
    tables = {node["Alias"]: node["Relation Name"] for node in parts if node.get("Relation Name") in columns}
    wanted, said = dict(tables), [node[name] for node in parts for name in CONDITIONS if name in node]
    ties = [tie for text in said for tie in TIED.findall(text)]
    is_new = True
    while is_new:
        is_new = False
        for one, column, other, its_column, _known in ties:
            for alias, name, leads in ((one, column, other), (other, its_column, one)):
                if alias in wanted and name in columns[wanted[alias]] and leads not in wanted:
                    del wanted[alias]
                    is_new = True
    return {tables[alias] for alias in wanted}


def asked(queries: CaptureQueriesContext) -> list[str]:
    return [query["sql"] for query in queries if query["sql"].lstrip(" \n(").upper().startswith(("SELECT", "WITH"))]


@pytest.fixture
def league() -> League:
    league = make_league(players=4)
    other = make_league("other", players=4)
    for each in (league, other):
        session = make_session(each)
        play(session)
        play(session, (50000, 30000, 15000, 5000))
        refresh_league(each.pk)
    return league


@pytest.mark.parametrize("role", ["", "scorer"], ids=["visitor", "scorer"])
def test_pages_query_by_league(client: Client, league: League, role: str) -> None:
    session, player = league.sessions.get(), league.players.earliest("pk")
    hanchan = Hanchan.objects.filter(league=league).earliest("pk")
    if role:
        client.force_login(make_user(league=league, role=role))
    pages: dict[str, list[object]] = {
        "league:league_home": [],
        "league:standings": ["2025-11"],
        "league:session": [session.pk],
        "league:hanchan": [hanchan.pk],
        "stats:player": [player.pk],
        "league:players": [],
        "league:enter_session": [session.pk],
    }
    addresses = [reverse(name, args=[league.slug, *args]) for name, args in pages.items()]
    for address in (*addresses, reverse("league:standings", args=[league.slug, "all"])):
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(address)
        assert answer.status_code == (302 if "/enter/" in address and not role else 200)
        assert {sql: tables for sql in asked(queries) if (tables := not_found_by_league(sql))} == {}, address


def test_saving_a_result_queries_by_league(league: League) -> None:
    link = link_of(make_session(league, league.day_of(league.sessions.get().created_at)))
    with CaptureQueriesContext(connection) as queries:
        assert Client().post(at(link), typed(league), headers=JSON).status_code == 200
    assert {sql: tables for sql in asked(queries) if (tables := not_found_by_league(sql))} == {}


@pytest.mark.parametrize(
    ("sql", "tables"),
    [
        ("SELECT * FROM league_seat WHERE day > '2025-01-01'", {"league_seat"}),
        ("SELECT * FROM league_player WHERE name = 'Aoki'", {"league_player"}),
        ("SELECT * FROM league_seat JOIN league_hanchan ON hanchan_id = league_hanchan.id", {"league_seat", "league_hanchan"}),
        ("SELECT * FROM league_seat WHERE league_id = 1", set()),
        ("SELECT * FROM league_seat s JOIN league_hanchan h ON s.hanchan_id = h.id WHERE h.session_id IN (1, 2)", set()),
    ],
)  # fmt: skip
def test_statements_across_leagues_are_detected(sql: str, tables: set[str]) -> None:
    assert not_found_by_league(sql) == tables
