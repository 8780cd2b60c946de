"""How the mails of notices go, for whoever runs the site."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count
from django.utils import timezone

from accounts.models import NoticeMail
from accounts.selectors.addressees import mails_are_on
from league.selectors.host import register_part

SHOWN_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class MailState:
    """Mails of the last week by how far they are, and what went wrong last. `is_on`: the site sends mails at all."""

    is_on: bool
    counts: Mapping[str, int]
    error: str
    error_at: datetime | None

    @property
    def waiting(self) -> int:
        return sum(self.counts.get(state, 0) for state in ("ready", "claimed", "handed"))


def mail_state() -> MailState:
    """Return how the mails of the last week went. Two queries."""
    recent = NoticeMail.objects.filter(made_at__gt=timezone.now() - SHOWN_FOR)
    counted = recent.order_by().values("state").annotate(count=Count("pk"))
    counts = {row["state"]: row["count"] for row in counted}
    failed = recent.exclude(error="").order_by("-moved_at").first()
    return MailState(mails_are_on(), counts, failed.error if failed else "", failed.moved_at if failed else None)


def register() -> None:
    register_part("accounts/host_mails.html", mail_state)
