import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg.sql import SQL, Identifier

from tests import services

ENGINES = ("postgresql", "sqlite")


@contextmanager
def new_database(engine: str, folder: Path) -> Iterator[str]:
    """Yield the URL of a new database, empty or with all migrations, and drop it afterwards."""
    if engine == "sqlite":
        yield f"sqlite:///{folder / 'tenbo.sqlite3'}"
        return
    services.start()
    server = urlsplit(os.environ["DATABASE_URL"])
    name = f"{folder.name}_{os.getpid()}"
    with psycopg.connect(urlunsplit(server), autocommit=True) as connection:
        copied = os.environ.get("TEST_TEMPLATE", "template1")
        connection.execute(SQL("CREATE DATABASE {} TEMPLATE {}").format(Identifier(name), Identifier(copied)))
        try:
            yield urlunsplit(server._replace(path=f"/{name}"))
        finally:
            connection.execute(SQL("DROP DATABASE {} WITH (FORCE)").format(Identifier(name)))
