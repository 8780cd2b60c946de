"""Backups into a folder of the host: once a day, written aside and renamed, old ones taken away."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from glob import escape
from pathlib import Path
from secrets import token_hex
from zipfile import BadZipFile

from django.conf import settings
from django.db import Error, connection
from django.utils import timezone

from league import background
from league.models import Backup
from league.services.backups.archive import BackupError, check_seal
from league.services.backups.making import write_backup
from league.services.boards import OnProgress, unwatched

BACKUP_TASK = "league.back_up"

EVERY = timedelta(hours=24)
TRIED_AGAIN_AFTER = timedelta(hours=1)
"""So long after an attempt that failed, or is still under way, another one is made."""

MOMENT = f"{'[0-9]' * 8}-{'[0-9]' * 6}"
"""How the names of backups end; whatever else lies in their folder is somebody's own."""

LEFT_BEHIND = 24 * 3600
"""Seconds after which an unfinished file is one that a crash left."""


def ask_if_due() -> None:
    """Have a backup made if the last one is a day old."""
    if settings.BACKUP_DIR and is_due():
        background.send(BACKUP_TASK)


def is_due() -> bool:
    """Return whether the last backup is a day old, and nobody has tried lately. One query."""
    now = timezone.now()
    # What is far ahead was begun before the clock was put back: nobody waits for it to come round.
    begun = Backup.objects.filter(begun_at__lt=now + TRIED_AGAIN_AFTER)
    lately = begun.filter(begun_at__gt=now - EVERY, finished_at__isnull=False, error="")
    return not (lately | begun.filter(begun_at__gt=now - TRIED_AGAIN_AFTER)).exists()


def back_up_if_due() -> None:
    """Make the backup of the day, unless somebody has. Raises BackupError."""
    if settings.BACKUP_DIR and is_due():
        back_up_into(Path(settings.BACKUP_DIR), unwatched)


def back_up_into(folder: Path, on_progress: OnProgress) -> Backup:
    """Write a backup into a folder under a name that tells its moment; keep the newest alone."""
    made = back_up_to(folder / f"tenbo-{timezone.now():%Y%m%d-%H%M%S}.zip", on_progress)
    _prune(folder, made)
    return made


def back_up_to(path: Path, on_progress: OnProgress) -> Backup:
    """Write a backup into a file, which is there whole or not at all, and note it. Raises BackupError.

    A database that is older than the code has no place for the note, and is backed up all the same.
    """
    with _noted(path) as noted:
        _take_away_left(path.parent, escape(path.stem))
        # The number of a process says nothing: in a container it is the same every time.
        part = path.with_name(f".{path.stem}-{token_hex(8)}.part")
        try:
            with part.open("xb") as stream:
                write_backup(stream, on_progress)
                stream.flush()
                os.fsync(stream.fileno())
            # What the disk has is what was written, as far as reading it tells.
            noted.digest, noted.size = check_seal(part), part.stat().st_size
            part.replace(path)
            _keep_name(path.parent)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    return noted


@contextmanager
def _noted(path: Path) -> Iterator[Backup]:
    """Note an attempt; it is finished if nothing at all goes wrong. Raises BackupError for what is to be expected."""
    noted = Backup(file=str(path.absolute())[:500])
    is_noted = Backup._meta.db_table in connection.introspection.table_names()
    if is_noted:
        noted.save()
    try:
        yield noted
        noted.finished_at = timezone.now()
    except BaseException as error:
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        noted.error = f"{path} cannot be written: {why}."[:500]
        if isinstance(error, OSError | Error | BadZipFile | BackupError):
            raise BackupError(noted.error) from error
        raise
    finally:
        if is_noted:
            with suppress(Error):
                noted.save()


def _keep_name(folder: Path) -> None:
    """Have the name of a new file outlive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _prune(folder: Path, made: Backup) -> None:
    """Keep the newest backups, by the moment in their names, and the one that was just made."""
    # What is called later was made before the clock was put back, and goes first.
    names = f"tenbo-{MOMENT}"
    found = sorted(folder.glob(f"{names}.zip"), key=lambda path: (str(path) <= made.file, path))
    for old in found[: -settings.BACKUP_KEEP]:
        old.unlink(missing_ok=True)
    _take_away_left(folder, names)


def _take_away_left(folder: Path, stems: str) -> None:
    """Take away the unfinished files of backups so called, where whoever wrote them is long gone."""
    for left in folder.glob(f".{stems}-*.part"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > LEFT_BEHIND:
                left.unlink()
