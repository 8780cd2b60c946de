"""Background jobs started by users, with progress and cancellation."""

import time
from collections.abc import Callable
from typing import Any

from django.db.models import Q
from django.utils import timezone

from league import background
from league.core.periods import span_of
from league.models import Job
from league.selectors.progress import LOST_AFTER, SILENT_AFTER
from league.services.boards import OnProgress, Progress, StoppedError, rebuild_boards
from league.services.days import move_to_new_days
from league.services.history import Actor
from league.services.imports.running import import_job
from league.services.imports.steps import discard_old_drafts
from league.services.job_requests import RUN_TASK, UNDER_WAY
from league.services.previewing import preview_impact
from league.services.rescoring import rescore

REPORT_EVERY = 0.2
"""Minimum number of seconds between two updates of a job's progress."""


def cancel_job(job: Job) -> None:
    """Ask a job to stop at its next step; a waiting job is cancelled at once."""
    Job.objects.filter(pk=job.pk, state__in=UNDER_WAY).update(cancel_requested=True)
    Job.objects.filter(pk=job.pk, state=Job.State.WAITING).update(state=Job.State.CANCELLED, finished_at=timezone.now())


def run(job_id: int) -> None:
    """Run a job if it is still waiting."""
    now = timezone.now()
    waiting = Job.objects.filter(pk=job_id, state=Job.State.WAITING)
    begun = waiting.update(state=Job.State.RUNNING, started_at=now, moved_at=now)
    if not begun:
        return
    job = Job.objects.select_related("league", "created_by").get(pk=job_id)
    state, result, error = Job.State.DONE, None, ""
    try:
        result = WORK[Job.Kind(job.kind)](job, progress_writer(job))
    except StoppedError:
        state = Job.State.CANCELLED
    except Exception as failure:
        # Show any error on the page of the waiting user, then let the task log it.
        _finish(job, Job.State.FAILED, None, f"{type(failure).__name__}: {failure}"[:500])
        raise
    _finish(job, state, result, error)


def _finish(job: Job, state: Job.State, result: dict[str, Any] | None, error: str) -> None:
    now = timezone.now()
    Job.objects.filter(pk=job.pk).update(state=state, result=result, error=error, finished_at=now, moved_at=now)


def progress_writer(job: Job) -> OnProgress:
    """Return a callback that stores progress in the job's row and raises StoppedError if the job was cancelled."""
    # Monotonic: the wall clock may be set back.
    written = time.monotonic() - REPORT_EVERY

    def write_down(progress: Progress) -> None:
        nonlocal written
        if time.monotonic() - written < REPORT_EVERY and progress.done < progress.total:
            return
        written, now = time.monotonic(), timezone.now()
        done, total, last_item = progress.done, progress.total, progress.item
        Job.objects.filter(pk=job.pk).update(done=done, total=total, last_item=last_item, moved_at=now)
        if Job.objects.filter(pk=job.pk, cancel_requested=True).exists() and progress.done < progress.total:
            raise StoppedError

    return write_down


WORK: dict[Job.Kind, Callable[[Job, OnProgress], dict[str, Any]]] = {
    Job.Kind.REBUILD: lambda job, on_progress: {"changed": rebuild_boards(job.league, on_progress)},
    Job.Kind.IMPACT: lambda job, on_progress: preview_impact(
        job.league, job.parameters["version"], on_progress, span_of(job.parameters)
    ),
    Job.Kind.RESCORE: lambda job, on_progress: rescore(
        job.league, job.parameters["version"], Actor(job.created_by, "job"), on_progress, span_of(job.parameters)
    ),
    Job.Kind.IMPORT: import_job,
    Job.Kind.DAYS: lambda job, on_progress: {"changed": move_to_new_days(job.league, on_progress)},
}


def sweep() -> None:
    """Requeue lost jobs, mark jobs of dead workers as interrupted, and delete old unused uploads."""
    now = timezone.now()
    # The clock may have been set back.
    under_way = Job.objects.filter(state__in=UNDER_WAY)
    under_way.filter(sent_at__gt=now).update(sent_at=now)
    under_way.filter(moved_at__gt=now).update(moved_at=now)
    Job.objects.filter(state=Job.State.RUNNING, moved_at__lt=now - SILENT_AFTER).update(
        state=Job.State.INTERRUPTED, finished_at=now
    )
    lost = Job.objects.filter(Q(sent_at=None) | Q(sent_at__lt=now - LOST_AFTER), state=Job.State.WAITING)
    for job_id in list(lost.order_by("pk").values_list("pk", flat=True)):
        if lost.filter(pk=job_id).update(sent_at=now):
            background.send(RUN_TASK, job_id)
    discard_old_drafts(now)
