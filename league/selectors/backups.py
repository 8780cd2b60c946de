"""When the site was last backed up, for whoever looks after it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from league.models import Backup


@dataclass(frozen=True, slots=True)
class BackupFacts:
    """A backup, or an attempt at one: when it began, its file, its size in bytes, whether it is whole, else why not."""

    at: datetime
    file: str
    size: int
    ok: bool
    error: str = ""

    @property
    def age(self) -> timedelta:
        """How long ago it was."""
        return timezone.now() - self.at


@dataclass(frozen=True, slots=True)
class BackupState:
    """How the site stands: the last whole backup, and the last attempt if that failed."""

    last: BackupFacts | None
    failed: BackupFacts | None


def recent_backups(count: int) -> list[BackupFacts]:
    """Return the last attempts, the newest first. One query."""
    return [_facts(row) for row in Backup.objects.order_by("-pk")[:count]]


def last_backup() -> BackupFacts | None:
    """Return the last backup that is whole. One query."""
    whole = Backup.objects.filter(finished_at__isnull=False, error="")
    row = whole.order_by("-pk").first()
    return None if row is None else _facts(row)


def backup_state() -> BackupState:
    """Return how the site stands. Two queries."""
    last = last_backup()
    newest = next(iter(recent_backups(1)), None)
    return BackupState(last, newest if newest is not None and newest.error else None)


def _facts(row: Backup) -> BackupFacts:
    return BackupFacts(row.begun_at, row.file, row.size, row.finished_at is not None and not row.error, row.error)
