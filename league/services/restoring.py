"""Restoring backups, all or nothing: the file is checked completely before it replaces the database."""

import gzip
import os
import sqlite3
import subprocess
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory

from django.contrib.auth.models import User
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone

from league.engine import engine_name, of_engine
from league.models import Job, League
from league.models.editions import raise_every_edition
from league.services.backups import BackupError, client, client_environment

Migrations = set[tuple[str, str]]

KINDS = {b"SQLite": "SQLite", b"PGDMP\x01": "PostgreSQL"}
"""First bytes of an unpacked backup."""


def check_backup(path: Path) -> None:
    """Read a whole backup. Raise BackupError if this version cannot restore it."""
    with _looked_at(path):
        pass


def restore_backup(path: Path, *, replaces: bool = False) -> None:
    """Restore a backup into an empty database; `replaces`: delete existing data. Raise BackupError.

    Older backups are migrated afterwards.
    """
    with _looked_at(path) as restore:
        if (filled := _filled()) and not replaces:
            raise BackupError(
                f"The database is not empty, it has {filled}. Restore into a new one, or use --replace to delete its "
                "data; nothing was changed."
            )
        connection.close()
        restore()
        connection.close()
    call_command("migrate", verbosity=0, interactive=False)
    _bring_up_to_now()


@contextmanager
def _looked_at(path: Path) -> Iterator[Callable[[], None]]:
    """Check a whole backup and yield a function that restores it. Raise BackupError before anything has changed."""
    with TemporaryDirectory(
        prefix="tenbo-", dir=path.absolute().parent if os.access(path.parent, os.W_OK) else None
    ) as folder:
        source = Path(folder, "unpacked")
        kind = _unpack(path, source)
        if kind != engine_name():
            raise BackupError(
                f"{path} is of {kind} and this database is {engine_name()}. Restore it where it was "
                "made, and bring its leagues here with export_league and import_league; nothing was changed."
            )
        migrations_of = of_engine(sqlite=_migrations_of_sqlite, postgresql=_migrations_of_dump)
        _refuse_newer(path, migrations_of(path, source))
        yield partial(of_engine(sqlite=_restore_sqlite, postgresql=_restore_dump), path, source)


def _unpack(path: Path, into: Path) -> str:
    try:
        with gzip.open(path) as packed, into.open("wb") as whole:
            copyfileobj(packed, whole)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _damaged(path) from error
    except OSError as error:
        raise BackupError(f"{path} cannot be read: {error.strerror or error}.") from error
    with into.open("rb") as whole:
        begins = whole.read(6)
    if begins not in KINDS:
        raise _damaged(path)
    return KINDS[begins]


def _damaged(path: Path) -> BackupError:
    return BackupError(
        f"{path} is damaged, incomplete or not a Tenbo backup. Fetch it again, or take another backup; nothing was changed."
    )


def _refuse_newer(path: Path, applied: Migrations) -> None:
    if not applied:
        raise _damaged(path)
    unknown = sorted(f"{app} {name}" for app, name in applied - {*MigrationLoader(None).disk_migrations})
    if unknown:
        raise BackupError(
            f"{path} was made by another version of Tenbo, with migrations that this one does not know ({', '.join(unknown[:5])}). "
            "Update Tenbo, then restore; nothing was changed."
        )


def _filled() -> str:
    """Return a description of what the database contains; "" if it is empty."""
    there = set(connection.introspection.table_names())
    counts = {model: model.objects.count() for model in (League, User) if model._meta.db_table in there}
    names = {model: "leagues" if model is League else "accounts" for model in counts}
    return ", ".join(f"{count} {names[model]}" for model, count in counts.items() if count)


def _bring_up_to_now() -> None:
    """Reset state that was valid only at the time of the backup: jobs, scheduled deletions and caches."""
    # Jobs and deletions have to be requested again.
    under_way = Job.objects.filter(state__in=(Job.State.WAITING, Job.State.RUNNING))
    under_way.update(state=Job.State.INTERRUPTED, finished_at=timezone.now())
    League.objects.exclude(ends_at=None).update(ends_at=None)
    raise_every_edition()
    cache.clear()


def _migrations_of_sqlite(path: Path, source: Path) -> Migrations:
    try:
        with closing(sqlite3.connect(source)) as database:
            if database.execute("PRAGMA quick_check").fetchone() != ("ok",):
                raise _damaged(path)
            return set(database.execute("SELECT app, name FROM django_migrations"))
    except sqlite3.Error as error:
        raise _damaged(path) from error


def _restore_sqlite(path: Path, source: Path) -> None:
    try:
        with closing(sqlite3.connect(source)) as new, closing(sqlite3.connect(connection.settings_dict["NAME"])) as old:
            new.backup(old)
    except sqlite3.Error as error:
        raise BackupError(f"The database did not accept {path}: {error}. Stop the site first.") from error


def _migrations_of_dump(path: Path, source: Path) -> Migrations:
    try:
        with client("pg_restore", "--file=-", str(source)) as script:
            return set(_copied(script))
    except BackupError as error:
        if "is missing" in str(error):
            raise
        raise _damaged(path) from error


def _copied(script: Iterable[bytes]) -> Iterator[tuple[str, str]]:
    """Yield app and name of the migrations in a dump. Reads the dump to its end."""
    copying = False
    for line in script:
        if copying and line != b"\\.\n":
            # The last line of a truncated dump is skipped here; pg_restore reports the truncation.
            if len(fields := line.decode().split("\t")) == 4:
                yield fields[1], fields[2]
        else:
            copying = line.startswith(b"COPY public.django_migrations ")


def _restore_dump(path: Path, source: Path) -> None:
    """Replace the database by a dump in one transaction, committed only if pg_restore has read it completely."""
    psql = subprocess.Popen(
        ["psql", "--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-f", "-"],  # noqa: S607
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=client_environment(),
    )
    assert psql.stdin
    try:
        with suppress(BrokenPipeError):
            psql.stdin.write(b"BEGIN; DROP SCHEMA public CASCADE; CREATE SCHEMA public;\n")
            with client("pg_restore", "--no-owner", "--no-privileges", "--file=-", str(source)) as dump:
                copyfileobj(dump, psql.stdin)
            psql.stdin.write(b"\nCOMMIT;\n")
    finally:
        refused = psql.communicate()[1].decode(errors="replace").strip().splitlines()
    if psql.returncode:
        raise BackupError(
            f"The database did not accept {path}: {refused[-1] if refused else psql.returncode}. Restoring needs the role "
            "that owns the tables; nothing was changed."
        )
