"""Backups of the whole site in one file, made while the site is running: SQLite's backup API or pg_dump."""

import gzip
import os
import sqlite3
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from glob import escape
from pathlib import Path
from secrets import token_hex
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import IO, BinaryIO

from django.conf import settings
from django.core.management.color import no_style
from django.db import connection, transaction
from django.utils import timezone
from psycopg import pq

from league.engine import lock_tables, of_engine
from league.selectors.backups import FAILED, MOMENT, daily_backups

BACKUP_TASK = "league.back_up"

EVERY = timedelta(hours=24)
TRIED_AGAIN_AFTER = timedelta(hours=1)
KEPT = 14

LOG_INS = ("django_session", "usersessions_usersession")
"""Tables backed up without their rows, so that a stolen backup contains no valid log-ins."""

OF_THE_MODELS = frozenset({"django_content_type", "auth_permission", "django_migrations"})
"""Tables that describe the code, not the data; they are kept when a site is emptied."""


class BackupError(Exception):
    """A backup or restore failed; the message says why and what to do."""


def suffix() -> str:
    return of_engine(sqlite=".sqlite3.gz", postgresql=".pgdump.gz")


def write_backup(stream: BinaryIO) -> None:
    """Write a gzipped, consistent snapshot of the site to an open file or pipe.

    Raise BackupError, OSError or sqlite3.Error.
    """
    packed = gzip.GzipFile("", "wb", fileobj=stream)
    try:
        of_engine(sqlite=_write_sqlite, postgresql=_write_dump)(packed)
    except BaseException:
        # Write no gzip trailer, so that a truncated file is recognised as such.
        packed.fileobj = None  # type: ignore[assignment]
        raise
    packed.close()


def _write_dump(packed: gzip.GzipFile) -> None:
    leaving_out = [f"--exclude-table-data={table}" for table in LOG_INS]
    with client("pg_dump", "--format=custom", "--compress=0", "--no-owner", "--no-privileges", *leaving_out) as dump:
        copyfileobj(dump, packed)


def _write_sqlite(packed: gzip.GzipFile) -> None:
    # In the database's own directory, where there is disk space for a copy.
    with TemporaryDirectory(prefix="tenbo-", dir=Path(connection.settings_dict["NAME"]).parent) as folder:
        copy = Path(folder, "copy.sqlite3")
        _copy_sqlite(copy)
        with copy.open("rb") as source:
            copyfileobj(source, packed)


def _copy_sqlite(path: Path) -> None:
    source = sqlite3.connect(f"file:{connection.settings_dict['NAME']}?mode=ro", uri=True)
    with closing(source), closing(sqlite3.connect(path)) as copy:
        source.backup(copy)
        for table in LOG_INS:
            with suppress(sqlite3.OperationalError):  # an older schema may lack this table
                copy.execute(f"DELETE FROM {table}")  # noqa: S608 - a constant
        copy.commit()
        copy.execute("VACUUM")


@contextmanager
def client(*command: str) -> Iterator[IO[bytes]]:
    """Run a PostgreSQL client program on the site's database and yield its output. Raise BackupError if it fails."""
    try:
        program = subprocess.Popen(  # noqa: S603 - a PostgreSQL client; no argument is user input
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=client_environment()
        )
    except FileNotFoundError as error:
        raise BackupError(f"{command[0]} is missing: install the client programs of PostgreSQL.") from error
    with program:
        assert program.stdout
        assert program.stderr
        try:
            yield program.stdout
        finally:
            # If the output was not read to the end, the program stops at its next write.
            program.stdout.close()
        told = program.stderr.read().decode(errors="replace").strip()
    if program.returncode:
        raise BackupError(f"{command[0]} failed: {told.splitlines()[-1] if told else program.returncode}")


def client_environment() -> Mapping[str, str]:
    """Return the environment with the variables that let libpq connect to the site's database."""
    known = {each.keyword.decode(): (each.envvar or b"").decode() for each in pq.Conninfo.get_defaults()}
    given = connection.get_connection_params()
    return os.environ | {known[key]: str(value) for key, value in given.items() if known.get(key) and key != "options"}


def back_up_to(path: Path) -> Path:
    """Write a backup to `path` atomically: via a temporary file that is renamed. Raise BackupError."""
    # Not the process id: in a container it is the same every time.
    part = path.with_name(f".{path.stem}-{token_hex(8)}.part")
    try:
        with part.open("xb") as stream:
            write_backup(stream)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise BackupError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}.") from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
    return path


def is_due() -> bool:
    """Return whether the last backup is a day old, with no attempt running and none failed within the last hour."""
    if not settings.BACKUP_DIR or not os.access(settings.BACKUP_DIR, os.W_OK):
        return False
    now, folder = time.time(), Path(settings.BACKUP_DIR)
    # A timestamp far in the future was written before the clock was set back.
    made = any(abs(now - each.at.timestamp()) < EVERY.total_seconds() for each in daily_backups())
    tried = any(
        abs(now - path.stat().st_mtime) < TRIED_AGAIN_AFTER.total_seconds()
        for path in (*folder.glob(f".tenbo-{MOMENT}*.part"), *folder.glob(FAILED))
    )
    return not made and not tried


def back_up_into(folder: Path) -> Path:
    """Write a backup with a timestamp in its name and delete old ones. Raise BackupError."""
    note = folder / FAILED
    try:
        made = back_up_to(folder / f"tenbo-{timezone.now():%Y%m%d-%H%M%S}{suffix()}")
    except BackupError as error:
        with suppress(OSError):
            note.write_text(str(error), "utf-8")
        raise
    note.unlink(missing_ok=True)
    for old in _too_old(folder, made):
        old.unlink(missing_ok=True)
    return made


def _too_old(folder: Path, made: Path) -> Iterator[Path]:
    # A name later than the new one was written before the clock was set back, and is deleted first.
    yield from sorted(folder.glob(f"tenbo-{MOMENT}.*"), key=lambda path: (path <= made, path))[:-KEPT]
    for left in folder.glob(f".{escape('tenbo-')}*.part"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > EVERY.total_seconds():
                yield left


@transaction.atomic
def put_everything_aside(path: Path) -> Path:
    """Write a backup and empty the site in one transaction. Raise BackupError, and then delete nothing."""
    existing = connection.introspection.django_table_names(only_existing=True)
    tables = [table for table in existing if table not in OF_THE_MODELS]
    lock_tables(tables)
    made = back_up_to(path.with_name(path.name + suffix()))
    # PostgreSQL cannot truncate a table with pending deferred constraint checks.
    connection.check_constraints()
    with connection.cursor() as cursor:
        for statement in of_engine(sqlite=_emptying_sqlite, postgresql=_emptying_postgresql)(tables):
            cursor.execute(statement)
    return made


def _emptying_postgresql(tables: list[str]) -> Iterator[str]:
    guarded = _rows_of("SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal")
    yield from (f"ALTER TABLE {table} DISABLE TRIGGER USER" for (table,) in guarded)
    yield from connection.ops.sql_flush(no_style(), tables, reset_sequences=True)
    yield from (f"ALTER TABLE {table} ENABLE TRIGGER USER" for (table,) in guarded)


def _emptying_sqlite(tables: list[str]) -> Iterator[str]:
    quoted, triggers = connection.ops.quote_name, _rows_of("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
    yield from (f"DROP TRIGGER {quoted(name)}" for name, _ in triggers)
    yield from (f"DELETE FROM {quoted(table)}" for table in tables)  # noqa: S608 - only table names
    yield from (statement for _, statement in triggers)


def _rows_of(question: str) -> list[tuple[str, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(question)
        return list(cursor.fetchall())
