"""Background work as Celery sees it. Each task may run twice, or twice at once, without harm."""

from celery import shared_task

from league.core.periods import parse_period
from league.models import League
from league.services import boards, jobs


@shared_task(name="league.refresh_standings", acks_late=True)
def refresh_standings(league_id: int, period_key: str) -> None:
    """Bring one board up to date."""
    league = League.objects.get(pk=league_id)
    boards.refresh_board(league, parse_period(period_key, league.first_month))


@shared_task(name="league.sweep_stale_periods", acks_late=True)
def sweep_stale_periods() -> None:
    """Bring up to date what a crash or a lost message left stale, and pick up jobs that nobody runs."""
    boards.sweep()
    jobs.sweep()


@shared_task(name="league.run_job", acks_late=True)
def run_job(job_id: int) -> None:
    """Do a piece of long work that a person asked for."""
    jobs.run(job_id)
