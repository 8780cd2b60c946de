"""Notices whose time has come are put into mails here: one for what is urgent, one for an evening."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max
from django.utils.crypto import get_random_string

from accounts.core.rhythm import NEXT_EVENING, is_due_of_evening, is_due_soon, is_quiet
from accounts.models import PROMPT, Notice, NoticeKind, NoticeMail
from accounts.selectors.addressees import mail_address_of, mails_are_on
from accounts.selectors.preferences import preferences_of
from accounts.services.notices import brought_up_to_date
from league.models import Session

MOST_WAITING = 5_000
"""Notices that are looked at in one go; the others a minute later."""


@dataclass(frozen=True, slots=True)
class _Bundle:
    """What waits for one person and is told together."""

    user: int
    is_digest: bool
    notices: Sequence[Notice]


def tell(now: datetime) -> None:
    """Put what is due into mails, or leave it on people's own pages alone where they want none. Two queries for all that waits."""
    for bundle in list(_due(now)):
        _tell(bundle, now)


def _due(now: datetime) -> Iterator[_Bundle]:
    waiting = Notice.objects.filter(waits=True).select_related("league", "session")
    bundles: dict[tuple[int, bool], list[Notice]] = defaultdict(list)
    for notice in waiting.order_by("at", "pk")[:MOST_WAITING]:
        bundles[notice.user_id, notice.kind not in PROMPT].append(notice)
    last = _last_mails(now, {user for user, _ in bundles}) if bundles else {}
    for (user, is_digest), notices in bundles.items():
        if _is_due(notices, now, last.get((user, is_digest)), is_digest=is_digest):
            yield _Bundle(user, is_digest, notices)


def _last_mails(now: datetime, users: set[int]) -> dict[tuple[int, bool], datetime]:
    recent = NoticeMail.objects.filter(user__in=users, made_at__gt=now - 2 * NEXT_EVENING).order_by()
    rows = recent.values_list("user", "is_digest").annotate(last=Max("made_at"))
    return {(user, is_digest): at for user, is_digest, at in rows}


def _is_due(notices: Sequence[Notice], now: datetime, last: datetime | None, *, is_digest: bool) -> bool:
    oldest, newest = notices[0].at, max(each.changed_at for each in notices)
    is_urgent = any(each.kind == NoticeKind.SEAT for each in notices)
    if is_quiet(now.astimezone(ZoneInfo(notices[0].league.time_zone)).time()) and not is_urgent:
        return False
    if is_digest:
        is_over = all(each.session is None or each.session.state != Session.State.OPEN for each in notices)
        return is_due_of_evening(now, newest, last, is_over=is_over)
    return is_due_soon(now, oldest, newest, last)


@transaction.atomic
def _tell(bundle: _Bundle, now: datetime) -> None:
    waiting = Notice.objects.select_for_update(of=("self",)).filter(
        pk__in=[each.pk for each in bundle.notices], waits=True
    )
    notices = brought_up_to_date(list(waiting.select_related("league").order_by("pk")), now)
    if notices:
        user = User.objects.get(pk=bundle.user)
        mail = _new_mail(user, now, is_digest=bundle.is_digest) if wants_mail(user) else None
        Notice.objects.filter(pk__in=[each.pk for each in notices]).update(waits=False, mail=mail, at=now)


def wants_mail(user: User) -> bool:
    return mails_are_on() and user.is_active and preferences_of(user).by_mail and bool(mail_address_of(user))


def _new_mail(user: User, now: datetime, *, is_digest: bool) -> NoticeMail:
    return NoticeMail.objects.create(
        user=user,
        is_digest=is_digest,
        message_id=get_random_string(32).lower(),
        made_at=now,
        next_try_at=now,
        moved_at=now,
    )


def forget_old_mails(now: datetime) -> None:
    NoticeMail.objects.filter(made_at__lt=now - timedelta(days=60)).delete()
