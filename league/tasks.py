"""Background work as Celery sees it. Each task may run twice, or twice at once, without harm."""

from celery import shared_task
from django.conf import settings

from league import background
from league.services import boards, jobs, sent_forms, session_totals


@shared_task(name="league.refresh_standings", acks_late=True)
def refresh_standings(league_id: int) -> None:
    """Bring whatever is stale in a league up to date."""
    boards.refresh_league(league_id)
    session_totals.add_up_sessions(league_id)


@shared_task(name="league.sweep_stale_periods", acks_late=True)
def sweep_stale_periods() -> None:
    """Have others do what a crash or a lost message left: stale boards, and jobs that nobody runs; forget old forms."""
    boards.sweep()
    jobs.sweep()
    sent_forms.forget_sent_forms()
    for task in settings.SWEPT_ABOVE:
        background.send(task)


@shared_task(name="league.run_job", acks_late=True)
def run_job(job_id: int) -> None:
    """Do a piece of long work that a person asked for."""
    jobs.run(job_id)
