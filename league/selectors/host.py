"""State of the server for the host's page: queues, workers, backups, disk space, and versions."""

import platform
import shutil
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

import django
from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Min
from django.utils import timezone

from league.engine import engine_name, engine_version, size_in_bytes
from league.models import Job, SignOfLife, StalePeriod
from league.selectors.backups import daily_backups, failed_backup
from league.selectors.link_keys import old_key_needed_until
from league.selectors.progress import LOST_AFTER, SILENT_AFTER

LATE_AFTER = timedelta(minutes=5)
"""When a stale board or a silent worker counts as late. The beat process sends work every minute."""

BACKUP_LATE_AFTER = timedelta(hours=36)

LEAST_FREE = 0.1
"""Share of free disk space below which a warning is shown."""

WORKERS = tuple(settings.CELERY_TASK_QUEUES)


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk that the site writes to, in bytes."""

    free: int
    total: int

    @property
    def is_low(self) -> bool:
        return self.free < self.total * LEAST_FREE


@dataclass(frozen=True, slots=True)
class HostState:
    """The data of the host's page; times are None if there are none."""

    now: datetime
    stale_boards: int
    oldest_stale: datetime | None
    waiting: int
    oldest_waiting: datetime | None
    running: int
    stuck: int
    workers: Mapping[str, datetime | None]
    last_backup: datetime | None
    failed_backup: str
    disk: Disk
    database_bytes: int
    versions: Mapping[str, str]
    pending_migrations: int
    old_key_needed_until: datetime | None

    @property
    def boards_are_late(self) -> bool:
        return self._is_older(self.oldest_stale, LATE_AFTER)

    @property
    def jobs_are_late(self) -> bool:
        """Whether a job has waited too long for a worker, or a running job has stopped moving."""
        return bool(self.stuck) or self._is_older(self.oldest_waiting, LOST_AFTER + LATE_AFTER)

    @property
    def backup_is_late(self) -> bool:
        return self.last_backup is None or self._is_older(self.last_backup, BACKUP_LATE_AFTER)

    @property
    def silent_workers(self) -> list[str]:
        return [name for name, at in self.workers.items() if at is None or self._is_older(at, LATE_AFTER)]

    def _is_older(self, moment: datetime | None, than: timedelta) -> bool:
        # A time in the future was written before the clock was set back.
        return moment is not None and abs(self.now - moment) > than


def host_state() -> HostState:
    now = timezone.now()
    stale = StalePeriod.objects.order_by()
    waiting = Job.objects.filter(state=Job.State.WAITING).order_by()
    running = Job.objects.filter(state=Job.State.RUNNING).order_by()
    seen = dict(SignOfLife.objects.values_list("name", "seen_at"))
    backups = daily_backups()
    usage = shutil.disk_usage(settings.VAR_DIR if settings.VAR_DIR.is_dir() else settings.BASE_DIR)
    migrations = MigrationExecutor(connection)
    return HostState(
        now=now,
        stale_boards=stale.values("league", "period").distinct().count(),
        oldest_stale=stale.aggregate(at=Min("marked_at"))["at"],
        waiting=waiting.count(),
        oldest_waiting=waiting.aggregate(at=Min("created_at"))["at"],
        running=running.count(),
        stuck=running.filter(moved_at__lt=now - SILENT_AFTER).count(),
        workers={name: seen.get(name) for name in WORKERS},
        last_backup=backups[0].at if backups else None,
        failed_backup=failed_backup(),
        disk=Disk(usage.free, usage.total),
        database_bytes=size_in_bytes(),
        versions={
            "Tenbo": _own_version(),
            "Django": django.get_version(),
            "Python": platform.python_version(),
            engine_name(): engine_version(),
        },
        pending_migrations=len(migrations.migration_plan(migrations.loader.graph.leaf_nodes())),
        old_key_needed_until=old_key_needed_until(now),
    )


further_parts: dict[str, Callable[[], object]] = {}
"""Functions that return the context of a part of the host's page, by template. Other apps add theirs when loaded."""


@cache
def _own_version() -> str:
    project = tomllib.loads(Path(settings.BASE_DIR, "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])
