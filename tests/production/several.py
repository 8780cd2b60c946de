"""Sites whose leagues live in several databases."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg.sql import SQL, Identifier

from tests.production.databases import new_database

LEAGUE_DATABASES = "LEAGUE_DATABASES"


@dataclass(frozen=True)
class Several:
    """Addresses of a home database and of two for leagues, each with all migrations."""

    home: str
    east: str
    west: str

    @property
    def named(self) -> dict[str, str]:
        """The setting that names them."""
        return {LEAGUE_DATABASES: f"east={self.east} west={self.west}"}

    def ask(self, database: str, question: str) -> list[tuple[object, ...]]:
        """Return the rows that one of them answers."""
        with psycopg.connect(getattr(self, database), autocommit=True) as connection:
            return connection.execute(question.encode()).fetchall()

    def shut(self, database: str, *, is_open: bool = False) -> None:
        """Have one of them take nobody in, or everybody again."""
        name = urlsplit(getattr(self, database)).path[1:]
        with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
            allowed = SQL("true" if is_open else "false")
            server.execute(SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}").format(Identifier(name), allowed))
            if not is_open:
                server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])


@contextmanager
def several(folder: Path) -> Iterator[Several]:
    """Give three databases; they are gone afterwards."""
    folders = [folder.with_name(f"{folder.name}_{name}") for name in ("home", "east", "west")]
    with (
        new_database("postgresql", folders[0]) as home,
        new_database("postgresql", folders[1]) as east,
        new_database("postgresql", folders[2]) as west,
    ):
        yield Several(home, east, west)


@contextmanager
def copied(database: str) -> Iterator[str]:
    """Give a database with the same rows as another one, to which nobody is connected."""
    address = urlsplit(database)
    name = f"{address.path[1:]}_copy"
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(address.path[1:])))
        try:
            yield address._replace(path=f"/{name}").geturl()
        finally:
            server.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
