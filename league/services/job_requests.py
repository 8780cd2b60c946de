from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from league import background
from league.models import Job, League
from league.services.history import Actor

RUN_TASK = "league.run_job"

UNDER_WAY = (Job.State.WAITING, Job.State.RUNNING)


class JobRunningError(Exception):
    """The league already has a job of this kind that is waiting or running."""

    def __init__(self, job: Job) -> None:
        super().__init__(str(job))
        self.job = job


def start_job(*, league: League, kind: Job.Kind, by: Actor, parameters: dict[str, Any] | None = None) -> Job:
    """Store a job and queue it. Raise JobRunningError if one of its kind is waiting or running."""
    try:
        with transaction.atomic():
            job = Job.objects.create(
                league=league, kind=kind, parameters=parameters or {}, created_by=by.user, sent_at=timezone.now()
            )
    except IntegrityError as error:
        running = job_under_way(league, kind)
        if running is None:
            raise
        raise JobRunningError(running) from error
    background.send(RUN_TASK, job.pk)
    return job


def job_under_way(league: League, kind: Job.Kind) -> Job | None:
    return Job.objects.filter(league=league, kind=kind, state__in=UNDER_WAY).first()
