"""A backup is brought back whole or not at all: looked through first, then stored in one transaction."""

# ruff: noqa: S608 - the statements are put together from the names of tables; no value goes into them

from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.db import Error, connection, transaction
from django.utils import timezone

from league.models.triggers import count_anew
from league.services.backups.archive import ArchiveReader, BackupError, Manifest, opened_archive
from league.services.backups.patience import take_your_time
from league.services.backups.rows import number_on, store_rows
from league.services.backups.tables import applied_migrations, known_migrations, last_migrations, tables_at
from league.services.backups.triggers import triggers_set_aside
from league.services.boards import OnProgress, Progress
from league.services.editions import raise_every_edition

STAYS = frozenset({"league_backup"})
"""Tables that a restored backup leaves as they are."""

FILLED = {"league_league": "leagues", "auth_user": "accounts"}
"""Tables that have rows wherever anybody has done anything."""


def check_backup(path: Path) -> Manifest:
    """Return what is in a backup that this Tenbo can bring back, reading every byte of it. Raises BackupError."""
    with opened_archive(path) as archive:
        _refuse_unknown(path, archive.manifest)
        for table in archive.manifest.tables:
            for _ in archive.lines(table):
                pass
        return archive.manifest


def restore_backup(path: Path, on_progress: OnProgress, *, replaces: bool = False) -> Manifest:
    """Store a backup in a database without leagues and accounts; `replaces` whatever is there. Raises BackupError.

    A backup of earlier migrations goes into the tables as they were then, which are then brought forward.
    """
    with opened_archive(path) as archive:
        manifest = archive.manifest
        _refuse_unknown(path, manifest)
        filled = _filled()
        if filled and not replaces:
            raise BackupError(
                f"The database is not empty, it has {filled}. Restore into a new one, or say --replace to throw away "
                "what is there; nothing was changed."
            )
        if applied_migrations() != manifest.migrations:
            if filled:
                raise BackupError(
                    f"{path} was made before the last migrations ({_missing(manifest)}), so it can be restored into an "
                    "empty database only: make a new one, restore, and everything is brought forward there; nothing "
                    "was changed."
                )
            _migrate_to(manifest.migrations)
        try:
            _store(path, archive, on_progress)
        finally:
            ContentType.objects.clear_cache()
            if applied_migrations() != known_migrations():
                call_command("migrate", verbosity=0, interactive=False)
    return manifest


def _refuse_unknown(path: Path, manifest: Manifest) -> None:
    known = known_migrations()
    unknown = sorted(
        f"{app} {name}" for app, names in manifest.migrations.items() for name in set(names) - {*known.get(app, ())}
    )
    if unknown:
        raise BackupError(
            f"{path} was made by a newer Tenbo ({manifest.tenbo}), with migrations that this one does not know "
            f"({', '.join(unknown)}). Update Tenbo, then restore; nothing was changed."
        )


def _missing(manifest: Manifest) -> str:
    applied = applied_migrations()
    names = (
        f"{app} {name}" for app in applied for name in sorted(set(applied[app]) - {*manifest.migrations.get(app, ())})
    )
    return ", ".join(names)


def _filled() -> str:
    """Return what the database holds, in words; empty where there is nothing."""
    there = {*connection.introspection.table_names()} & FILLED.keys()
    with connection.cursor() as cursor:
        counts = {}
        for table in sorted(there):
            cursor.execute(f"SELECT count(*) FROM {table}")
            [counts[table]] = cursor.fetchone()
    return ", ".join(f"{count} {FILLED[table]}" for table, count in counts.items() if count)


def _migrate_to(migrations: Mapping[str, Iterable[str]]) -> None:
    """Bring an empty database to where the one of the backup was."""
    wanted = {app: set(names) for app, names in migrations.items()}
    for app, last in last_migrations({app: [*names] for app, names in migrations.items()}).items():
        if {*applied_migrations().get(app, ())} != wanted[app]:
            call_command("migrate", app, last, verbosity=0, interactive=False)


def _store(path: Path, archive: ArchiveReader, on_progress: OnProgress) -> None:
    try:
        with transaction.atomic():
            take_your_time()
            with triggers_set_aside():
                clear_tables()
                _load(archive, on_progress)
                _interrupt_jobs()
                _let_leagues_stand()
            count_anew(connection)
            raise_every_edition()
    except Error as error:
        raise BackupError(
            f"The database did not take {path}: {str(error).strip().splitlines()[0]}. Whoever restores must own the "
            "tables, as whoever migrates does; nothing was changed."
        ) from error


def clear_tables(leaving_out: frozenset[str] = STAYS) -> None:
    """Throw away every row but those of the tables that are left out, within the present transaction."""
    tables = [each.name for each in tables_at(applied_migrations(), leaving_out=leaving_out)]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"TRUNCATE {', '.join(tables)}")
            return
        for table in tables:
            cursor.execute(f"DELETE FROM {table}")


def _load(archive: ArchiveReader, on_progress: OnProgress) -> None:
    done, total = 0, archive.manifest.rows
    for table in archive.manifest.tables:
        with closing(archive.lines(table)) as lines:
            for stored in store_rows(table, lines):
                on_progress(Progress(min(done + stored, total - 1), total, table.name))
        done += table.rows
        number_on(table)
    on_progress(Progress(total, total, "stored"))


def _let_leagues_stand() -> None:
    """Let no league be deleted because of a moment that was told before the backup: whoever still wants it asks again."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE league_league SET ends_at = NULL WHERE ends_at IS NOT NULL")


def _interrupt_jobs() -> None:
    """Leave the work that was under way to whoever asked for it: what it has done so far is in the backup, too."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE league_job SET state = 'interrupted', finished_at = %s WHERE state IN ('waiting', 'running')",
            [connection.ops.adapt_datetimefield_value(timezone.now())],
        )
