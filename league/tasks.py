"""Celery tasks. Each is safe to run twice, even concurrently."""

from pathlib import Path

from celery import shared_task
from django.conf import settings
from django.db import OperationalError
from django.utils import timezone

from league import background
from league.models import SignOfLife
from league.models.editions import gather_editions
from league.services import attempts, backups, boards, ending, jobs, photo_moves, sent_forms
from league.services.erasing.history import sweep_late_names

AWAY = (OperationalError,)
"""Exceptions logged in one line without a traceback: the database is down, and the next sweep retries."""


@shared_task(name="league.refresh_standings", throws=AWAY)
def refresh_standings(league_id: int) -> None:
    refreshed = boards.refresh_in_turn(league_id)
    above: tuple[str, ...] = settings.REFRESHED_ABOVE
    for task in above if refreshed else ():
        background.send(task, league_id)


@shared_task(name="league.sweep_stale_periods", throws=AWAY)
def sweep_stale_periods() -> None:
    """Requeue stale boards and lost jobs, and do regular maintenance."""
    boards.sweep()
    jobs.sweep()
    sweep_late_names(timezone.now())
    sent_forms.forget_sent_forms()
    attempts.forget_ended_attempts()
    gather_editions()
    ending.sweep_endings()
    if backups.is_due():
        background.send(backups.BACKUP_TASK)
    photo_moves.ask_for_moves()
    SignOfLife.note("boards")


@shared_task(name="league.note_jobs_worker", throws=AWAY)
def note_jobs_worker() -> None:
    """Record a heartbeat of the jobs worker; runs every minute."""
    SignOfLife.note("jobs")


@shared_task(name="league.run_job", throws=AWAY)
def run_job(job_id: int) -> None:
    jobs.run(job_id)


@shared_task(name=ending.END_TASK, throws=AWAY)
def end_league(league_id: int) -> None:
    ending.end_league(league_id)


@shared_task(name=backups.BACKUP_TASK, throws=AWAY)
def back_up() -> None:
    if backups.is_due():
        backups.back_up_into(Path(settings.BACKUP_DIR))


@shared_task(name=photo_moves.MOVE_TASK, throws=AWAY)
def move_photos() -> None:
    photo_moves.move_some()


@shared_task(name=photo_moves.REMOVE_TASK, throws=AWAY)
def remove_pictures(keys: list[str]) -> None:
    photo_moves.remove_some(keys)


@shared_task(name=photo_moves.SWEEP_TASK, throws=AWAY)
def sweep_pictures(after: str) -> None:
    photo_moves.sweep_some(after)
