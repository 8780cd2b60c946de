"""Background work as Celery sees it. Each task may run twice, or twice at once, without harm."""

from celery import shared_task
from django.db import OperationalError

from league.services import boards, jobs, sent_forms, session_totals

AWAY = (OperationalError,)
"""What says that the database is away: one line in the log, since the sweep finds what was left."""


@shared_task(name="league.refresh_standings", acks_late=True, throws=AWAY)
def refresh_standings(league_id: int) -> None:
    """Bring whatever is stale in a league up to date."""
    boards.refresh_league(league_id)
    session_totals.add_up_sessions(league_id)


@shared_task(name="league.sweep_stale_periods", acks_late=True, throws=AWAY)
def sweep_stale_periods() -> None:
    """Have others do what a crash or a lost message left: stale boards, and jobs that nobody runs; forget old forms."""
    boards.sweep()
    jobs.sweep()
    sent_forms.forget_sent_forms()


@shared_task(name="league.run_job", acks_late=True, throws=AWAY)
def run_job(job_id: int) -> None:
    """Do a piece of long work that a person asked for."""
    jobs.run(job_id)
