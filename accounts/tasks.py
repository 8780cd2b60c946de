"""Celery tasks. All are idempotent and may run concurrently."""

from celery import shared_task
from django.utils import timezone

from accounts.services import deletion
from accounts.services.notice_mails import forget_old_mails, send_ready, tell
from accounts.services.notices import forget_old_notices, look_for_news
from league.tasks import AWAY


@shared_task(name="accounts.sweep_notices", throws=AWAY)
def sweep_notices() -> None:
    look_for_news()
    tell(timezone.now())
    send_ready()
    forget_old_notices(timezone.now())
    forget_old_mails(timezone.now())


@shared_task(name="accounts.sweep_closed_accounts", throws=AWAY)
def sweep_closed_accounts() -> None:
    """Queue the removal of closed accounts that a crash or lost message left unfinished."""
    deletion.sweep_closed_accounts()


@shared_task(name=deletion.END_TASK, throws=AWAY)
def end_account(pk: int) -> None:
    deletion.end_account(pk)
