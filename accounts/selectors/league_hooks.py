"""Registers accounts with pages of leagues and of the host: former members, claims, history, demo, mails."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from accounts.models import Claim, ClosedAccount, Invitation, NoticeMail
from accounts.selectors.preferences import mails_are_on
from league.messages import plain_name
from league.models import League, Membership
from league.permissions import let_in
from league.selectors.demo_accounts import demo_accounts
from league.selectors.former import former_accounts
from league.selectors.history import register_subject, subject_for
from league.selectors.host import further_parts
from league.selectors.inbox import WaitingLine, WaitingLines, further_waiting


def closed_accounts() -> dict[int, tuple[str, ...]]:
    """Return the former names of closed accounts by primary key. One query."""
    rows = ClosedAccount.objects.order_by().values_list("user", "name", "former_names")
    return {number: (name, *(each for each, _until in former)) for number, name, former in rows}


def waiting_claims(league: League, most: int) -> WaitingLines[WaitingLine]:
    """Return the oldest open claims and their total number. At most two queries."""
    waiting = league.claims.filter(state=Claim.State.WAITING)
    count = waiting.count()
    found = waiting.select_related("player", "user", "league").order_by("pk")[:most] if count else ()
    return WaitingLines(tuple(line_of(claim) for claim in found), count)


def line_of(claim: Claim) -> WaitingLine:
    """Return the question that a claim asks the organisers."""
    text = gettext("Is the user %(user)s the player %(name)s?")
    names = {"user": claim.user.get_username(), "name": plain_name(claim.player)}
    return WaitingLine(text % names, claim.note, reverse("accounts:claim_answer", args=[claim.league.slug, claim.pk]))


@dataclass(frozen=True, slots=True)
class DemoState:
    """Names of remaining demo accounts, whether they can log in, and whether an empty site can be set up here."""

    names: Sequence[str]
    is_on: bool
    can_begin: bool


def demo_state() -> DemoState:
    return DemoState(list(demo_accounts().values_list("username", flat=True)), settings.DEMO, can_begin_here())


def can_begin_here() -> bool:
    """Return whether the site runs in one process, so that it can be set up in the browser."""
    return bool(settings.EMBEDDED)


def waits_for_first_account() -> bool:
    """Return whether no account can log in yet. At most one query."""
    return can_begin_here() and not let_in().exists()


SHOWN_FOR = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class MailState:
    """Number of mails of the last week by state, and the latest error. `is_on`: the site sends mails at all."""

    is_on: bool
    counts: Mapping[str, int]
    error: str
    error_at: datetime | None

    @property
    def waiting(self) -> int:
        return sum(self.counts.get(state, 0) for state in ("ready", "claimed", "handed"))


def mail_state() -> MailState:
    """Return the state of the last week's mails. Two queries."""
    recent = NoticeMail.objects.filter(made_at__gt=timezone.now() - SHOWN_FOR)
    counted = recent.order_by().values("state").annotate(count=Count("pk"))
    counts = {row["state"]: row["count"] for row in counted}
    failed = recent.exclude(error="").order_by("-moved_at").first()
    return MailState(mails_are_on(), counts, failed.error if failed else "", failed.moved_at if failed else None)


def register() -> None:
    former_accounts.append(closed_accounts)
    further_waiting.append(waiting_claims)
    register_subject(
        subject_for(
            Invitation,
            lambda league, _pk: reverse("accounts:invitations", args=[league.slug]),
            values={"role": dict(Membership.Role.choices)},
            silent=frozenset({"player", "name"}),
        )
    )
    register_subject(subject_for(Claim, silent=frozenset({"player", "user"})))
    further_parts["accounts/host_demo.html"] = demo_state
    further_parts["accounts/host_mails.html"] = mail_state
