"""Progress of jobs: speed and remaining time."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from league.models import Job

SETTLED = timedelta(seconds=1)
"""Before this, the speed is too uncertain to show."""

LOST_AFTER = timedelta(minutes=3)
"""A job that has waited longer than this may have lost its message, so it is sent again."""

SILENT_AFTER = timedelta(minutes=10)
"""A running job without progress for this long has lost its worker."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Speed in tenths of an item per second, and remaining seconds; None if unknown."""

    tenths: int | None
    left: int | None

    @property
    def rate(self) -> str:
        return "" if self.tenths is None else f"{self.tenths // 10}.{self.tenths % 10}"


def pace_of(job: Job) -> Pace:
    spent = _spent(job.started_at, job.moved_at)
    if spent < SETTLED or not job.done:
        return Pace(None, None)
    milliseconds = spent // timedelta(milliseconds=1)
    tenths = 10_000 * job.done // milliseconds
    left = -(-(job.total - job.done) * milliseconds // (job.done * 1000))
    return Pace(tenths, max(0, left))


def seconds_spent(job: Job) -> int | None:
    """Return the duration of a finished job in seconds, or None if it never ran."""
    if job.started_at is None or job.finished_at is None:
        return None
    return _spent(job.started_at, job.finished_at) // timedelta(seconds=1)


def _spent(first: datetime | None, last: datetime | None) -> timedelta:
    return last - first if first and last else timedelta()
