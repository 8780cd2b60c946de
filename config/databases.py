from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

from config import environment

SLEEPS = 60
"""Seconds that a page may idle in a transaction."""

NOTICED_GONE = {
    "connect_timeout": 2,
    # Detect a dead database host within half a minute in processes without a statement timeout.
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}


def configured(address: str, folder: Path, *, is_pooled: bool) -> dict[str, dict[str, Any]]:
    """Return DATABASES for a URL; without one, an SQLite file in the folder. Raise ImproperlyConfigured."""
    is_postgresql = bool(address) and not address.startswith("sqlite")
    return {"default": _postgresql(address, is_pooled=is_pooled) if is_postgresql else _sqlite(address, folder)}


def hurry() -> None:
    """Apply DATABASE_TIMEOUT to this process, which serves pages.

    Not for workers, commands and the embedded site, and not with a pooler, which would share the limits between
    clients.
    """
    database = settings.DATABASES["default"]
    if not settings.REDIS_URL or database["ENGINE"] != "config.postgresql":
        return
    options = database["OPTIONS"]
    options["silence"] = settings.DATABASE_TIMEOUT + 0.5
    if not settings.DATABASE_POOLED:
        limits = {"statement_timeout": settings.DATABASE_TIMEOUT, "idle_in_transaction_session_timeout": SLEEPS}
        told = " ".join(f"-c {name}={seconds}s" for name, seconds in limits.items())
        options["options"] = f"{options.get('options', '')} {told}".strip()


def _sqlite(address: str, folder: Path) -> dict[str, Any]:
    """Return settings of an SQLite file for up to sixteen concurrent writers."""
    database: dict[str, Any] = dict(dj_database_url.parse(address or f"sqlite:///{folder / 'tenbo.sqlite3'}"))
    folder.mkdir(parents=True, exist_ok=True)
    database["TEST"] = {"NAME": str(folder / "test.sqlite3")}
    # Opening the file costs almost as much as an unchanged page.
    database["CONN_MAX_AGE"] = 60
    database["OPTIONS"] = {
        # Without IMMEDIATE, two transactions that read before writing can fail with "database is locked".
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # FULL syncs each transaction to disk. With NORMAL the last ones, which stay in the log while a connection is
        # open, could be lost in a power failure.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    return database


def _postgresql(address: str, *, is_pooled: bool) -> dict[str, Any]:
    """Return settings for a PostgreSQL URL. With several hosts, libpq picks the first one that is writable."""
    hosts = environment.hosts_of(address)
    database: dict[str, Any] = dict(dj_database_url.parse(address.replace(",".join(hosts), hosts[0], 1)))
    if not database["NAME"]:
        raise ImproperlyConfigured(
            "DATABASE_URL names no database; write it as postgresql://user:password@host:5432/name."
        )
    database |= {"ENGINE": "config.postgresql", "CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}
    database["OPTIONS"] = NOTICED_GONE | database.get("OPTIONS", {})
    if len(hosts) > 1:
        places = [urlsplit(f"//{host}") for host in hosts]
        database["HOST"] = ",".join(unquote(place.hostname or "") for place in places)
        database["PORT"] = ",".join(str(place.port or 5432) for place in places)
        database["OPTIONS"].setdefault("target_session_attrs", "read-write")
    # A transaction pooler may use another connection per transaction, which loses server-side cursors.
    database["DISABLE_SERVER_SIDE_CURSORS"] = is_pooled
    return database
