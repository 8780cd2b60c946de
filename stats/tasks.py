"""Celery tasks. All are idempotent and may run concurrently."""

from celery import shared_task

from league.tasks import AWAY
from stats.services import following


@shared_task(name="stats.sweep", throws=AWAY)
def sweep() -> None:
    following.sweep()


@shared_task(name=following.FOLLOW_TASK, throws=AWAY)
def follow(league_id: int) -> None:
    following.follow(league_id)
