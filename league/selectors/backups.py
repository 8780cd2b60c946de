"""The backups in BACKUP_DIR."""

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings

MOMENT = f"{'[0-9]' * 8}-{'[0-9]' * 6}"
"""Glob pattern of the timestamp in the file names of daily backups; other files are ignored."""

FAILED = "tenbo-failed.txt"
"""File with the error of the last failed backup; the next successful backup deletes it."""


@dataclass(frozen=True, slots=True)
class BackupFile:
    file: Path
    at: datetime
    size: int


def daily_backups() -> list[BackupFile]:
    if not settings.BACKUP_DIR:
        return []
    found = ((path, path.stat()) for path in Path(settings.BACKUP_DIR).glob(f"tenbo-{MOMENT}.*"))
    files = [BackupFile(path, datetime.fromtimestamp(stat.st_mtime, UTC), stat.st_size) for path, stat in found]
    return sorted(files, key=lambda each: each.at, reverse=True)


def failed_backup() -> str:
    """Return the error of the last backup, or ""."""
    if not settings.BACKUP_DIR:
        return ""
    if not os.access(settings.BACKUP_DIR, os.W_OK):
        return f"{settings.BACKUP_DIR} cannot be written."
    with suppress(OSError):
        return Path(settings.BACKUP_DIR, FAILED).read_text("utf-8")
    return ""
