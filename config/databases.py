"""Where the facts are, as the addresses in the environment say."""

from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

from config import environment


def configured(address: str, standby: str, connect_timeout: int, folder: Path) -> dict[str, dict[str, Any]]:
    """Return Django's databases: an SQLite file in the folder without an address; `replica` where there is a standby.

    `connect_timeout` in seconds. Raises ImproperlyConfigured.
    """
    is_postgresql = bool(address) and not address.startswith("sqlite")
    if not is_postgresql:
        if standby:
            raise ImproperlyConfigured("REPLICA_URL needs DATABASE_URL: a standby follows a PostgreSQL server.")
        return {"default": _sqlite(address, folder)}
    found = {"default": _postgresql("DATABASE_URL", address, "read-write", connect_timeout)}
    if standby:
        found["replica"] = _postgresql("REPLICA_URL", standby, "standby", connect_timeout) | {
            "TEST": {"MIRROR": "default"}
        }
    return found


def _sqlite(address: str, folder: Path) -> dict[str, Any]:
    """Return an SQLite file that sixteen phones can write to at once."""
    database: dict[str, Any] = dict(dj_database_url.parse(address or f"sqlite:///{folder / 'tenbo.sqlite3'}"))
    folder.mkdir(parents=True, exist_ok=True)
    database["TEST"] = {"NAME": str(folder / "test.sqlite3")}
    # Opening the file costs almost as much as an unchanged page.
    database["CONN_MAX_AGE"] = 60
    database["OPTIONS"] = {
        # Without IMMEDIATE, two writers that have both read first can only fail with "database is locked".
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # FULL writes each transaction to the disk. With NORMAL the last ones would be lost if the power failed: they stay in the
        # log while a connection is open.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    return database


def _postgresql(name: str, address: str, wanted: str, connect_timeout: int) -> dict[str, Any]:
    """Return the PostgreSQL of an address; where that names several servers, the first that is what is wanted of it."""
    hosts = environment.hosts_of(address)
    database: dict[str, Any] = dict(dj_database_url.parse(address.replace(",".join(hosts), hosts[0], 1)))
    if not database["NAME"]:
        raise ImproperlyConfigured(f"{name} names no database; write it as postgresql://user:password@host:5432/name.")
    database |= {"ENGINE": "config.postgresql", "CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    noticed_gone = {
        "connect_timeout": connect_timeout,
        # A machine that is gone says nothing: what waits for it without an end of its own notices within half a minute.
        "keepalives": 1,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 25_000,
    }
    database["OPTIONS"] = noticed_gone | database.get("OPTIONS", {})
    if len(hosts) > 1:
        places = [urlsplit(f"//{host}") for host in hosts]
        database["HOST"] = ",".join(unquote(place.hostname or "") for place in places)
        database["PORT"] = ",".join(str(place.port or 5432) for place in places)
        database["OPTIONS"].setdefault("target_session_attrs", wanted)
    # A pooler that gives each transaction another connection loses the cursors that live on one.
    database["DISABLE_SERVER_SIDE_CURSORS"] = environment.switch("DATABASE_POOLED", default=False)
    return database
