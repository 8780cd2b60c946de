"""Web processes on a given database, and tables of a league to which results are posted."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import psycopg

from tests.production.stack import Site, started_alone

OWNER, PASSWORD = "ueno", "only for tests of what hangs"

MADE = f"""
import json, sys
import django
django.setup()
from datetime import UTC, datetime
from django.contrib.auth.models import User
from league.services.links import code_of
from tests.league.entry_contexts import link_of, typed
from tests.league.factories import make_league, make_players, make_session, play
league = make_league()
make_players(league, 4)
session = make_session(league, league.day_of(datetime.now(UTC)), tables=12)
codes = [code_of(link_of(session, table)) for table in range(1, 13)]
User.objects.create_superuser({OWNER!r}, "", {PASSWORD!r})
for _ in range(json.load(sys.stdin)["hanchan"]):
    play(session)
print(json.dumps({{"codes": codes, "fields": typed(league), "session": session.pk}}))
"""

Result = tuple[str, dict[str, str]]
"""The URL of a table, and the data posted to it."""


@dataclass(frozen=True)
class Place:
    site: Site
    tables: Iterator[str]
    page: str
    fields: dict[str, str]

    def result(self) -> Result:
        """Return a unique result with its own key, at the next table in turn, so no link exceeds its limit."""
        return next(self.tables), {**self.fields, "client_key": str(uuid.uuid4()), "do": "another"}

    def count(self, *results: Result) -> int:
        keys = [fields["client_key"] for _, fields in results]
        with psycopg.connect(self.site.environment["DATABASE_URL"]) as database:
            question = "SELECT COUNT(*) FROM league_hanchan WHERE client_key::text = ANY(%s)"
            (found,) = database.execute(question, [keys]).fetchall()
        return int(found[0])

    def lines(self, *words: str) -> list[str]:
        return [line for line in self.site.log("web").splitlines() if any(word in line for word in words)]


@contextmanager
def serving(folder: Path, database: str, redis: str, hanchan: int = 0, **more: str) -> Iterator[Place]:
    with started_alone(folder, database, redis, **more) as site:
        told = site.ask("-c", MADE, hanchan=hanchan)
        tables = cycle([f"/e/{code}/" for code in told["codes"]])
        yield Place(site, tables, f"/l/camarade/sessions/{told['session']}/", told["fields"])
