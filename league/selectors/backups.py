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
        return timezone.now() - self.at


@dataclass(frozen=True, slots=True)
class BackupState:
    """How the site stands.

    `last`: the last whole backup, None where there never was one. `failed`: the last attempt where that went wrong.
    """

    last: BackupFacts | None
    failed: BackupFacts | None


def recent_backups(count: int) -> list[BackupFacts]:
    """Return the last attempts, the newest first. One query."""
    return [_facts(row) for row in Backup.objects.order_by("-pk")[:count]]


def backup_state() -> BackupState:
    """Return how the site stands. Two queries."""
    newest = Backup.objects.order_by("-pk")
    whole, last = newest.filter(finished_at__isnull=False, error="").first(), newest.first()
    return BackupState(_facts(whole) if whole else None, _facts(last) if last is not None and last.error else None)


def _facts(row: Backup) -> BackupFacts:
    return BackupFacts(row.begun_at, row.file, row.size, row.finished_at is not None and not row.error, row.error)
