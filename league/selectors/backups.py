"""When the site was last backed up, for whoever looks after it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from league.databases import HOME, all_databases
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
    """How the site stands.

    `last`: the last whole backup of whichever database was backed up longest ago, None where one
    never was. `failed`: the last attempt of one where that went wrong.
    """

    last: BackupFacts | None
    failed: BackupFacts | None


def recent_backups(count: int) -> list[BackupFacts]:
    """Return the last attempts, the newest first. One query."""
    return [_facts(row) for row in Backup.objects.order_by("-pk")[:count]]


def last_backup(database: str = HOME) -> BackupFacts | None:
    """Return the last backup of a database that is whole. One query."""
    whole = Backup.objects.filter(database=database, finished_at__isnull=False, error="")
    row = whole.order_by("-pk").first()
    return None if row is None else _facts(row)


def backup_state() -> BackupState:
    """Return how the site stands. Two queries a database."""
    last = [last_backup(database) for database in all_databases()]
    newest = [Backup.objects.filter(database=database).order_by("-pk").first() for database in all_databases()]
    failed = [_facts(row) for row in newest if row is not None and row.error]
    whole = [each for each in last if each is not None]
    oldest = min(whole, key=lambda each: each.at) if len(whole) == len(last) else None
    return BackupState(oldest, failed[0] if failed else None)


def _facts(row: Backup) -> BackupFacts:
    return BackupFacts(row.begun_at, row.file, row.size, row.finished_at is not None and not row.error, row.error)
