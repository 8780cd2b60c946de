"""Due notices as mails, each sent at most once.

A worker claims a mail, connects to the server, and records the hand-over before sending the first byte. If it is killed
before that, the mail is retried. If it is killed later, the mail may have been sent: it is not retried, the host sees
it, and its notices are still on the recipient's page. See docs/adr/0049.
"""

import smtplib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from email.utils import parseaddr
from urllib.parse import urljoin, urlsplit
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.auth.models import User
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend
from django.db import transaction
from django.db.models import Max
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from accounts.core.rhythm import GIVES_UP_AFTER, NEXT_EVENING, is_due_of_evening, is_due_soon, is_quiet, pause_after
from accounts.messages.evenings import one_line
from accounts.models import PROMPT, Notice, NoticeKind, NoticeMail
from accounts.selectors.notices import NoticeLine, lines_of
from accounts.selectors.preferences import called, language_of, mail_address_of, mails_are_on, preferences_of
from accounts.services.notices import brought_up_to_date, stop_code
from league.models import Session

MOST_WAITING = 5_000
"""Maximum number of notices per run; the rest follow in the next run, a minute later."""


@dataclass(frozen=True, slots=True)
class _Bundle:
    user: int
    is_digest: bool
    notices: Sequence[Notice]


def tell(now: datetime) -> None:
    """Bundle due notices into mails, or only list them for users without mail. Two queries in total."""
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
    keys = [each.pk for each in bundle.notices]
    waiting = Notice.objects.select_for_update(of=("self",)).filter(pk__in=keys, waits=True)
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


MOST_LINES = 30


def written_mail(mail: NoticeMail) -> EmailMessage | None:
    """Return the mail with its current content, or None if nothing in it may be sent any more."""
    with override(language_of(mail.user)):
        lines = lines_of(list(mail.notices.select_related("league").order_by("league", "session", "pk")), mail.user)
        return _written(mail, lines) if lines else None


def _written(mail: NoticeMail, lines: list[NoticeLine]) -> EmailMessage:
    preferences = preferences_of(mail.user)
    origin = preferences.origin or "http://localhost/"
    stop = urljoin(origin, reverse("accounts:notices_stop", args=[stop_code(mail.user)]))
    page = {
        "name": called(mail.user, preferences),
        "groups": _by_league(lines[:MOST_LINES], origin),
        "more": len(lines) - MOST_LINES,
        "notices_url": urljoin(origin, reverse("accounts:notices")),
        "stop_url": stop,
    }
    host = urlsplit(origin).hostname or "localhost"
    return EmailMessage(
        subject=_subject(mail, lines),
        body=render_to_string("accounts/mail/notices.txt", page).strip() + "\n",
        from_email=settings.DEFAULT_FROM_EMAIL,
        to=[mail_address_of(mail.user)],
        headers={
            # The Message-ID stays the same over retries.
            "Message-ID": f"<{mail.message_id}@{host}>",
            "List-Unsubscribe": f"<{stop}>",
            "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
            "Auto-Submitted": "auto-generated",
        },
    )


def _by_league(lines: list[NoticeLine], origin: str) -> list[tuple[str, list[tuple[str, str]]]]:
    groups: dict[str, list[tuple[str, str]]] = {}
    for line in lines:
        groups.setdefault(line.league, []).append((line.text, urljoin(origin, line.path)))
    return list(groups.items())


def _subject(mail: NoticeMail, lines: list[NoticeLine]) -> str:
    leagues = list(dict.fromkeys(line.league for line in lines))
    where = leagues[0] if len(leagues) == 1 else _("Your leagues")
    if len(lines) == 1:
        what = lines[0].text
    elif mail.is_digest:
        what = ngettext("Your session: %(count)s notice", "Your session: %(count)s notices", len(lines))
    else:
        what = ngettext("%(count)s notice", "%(count)s notices", len(lines))
    return one_line(f"{where}: {what % {'count': len(lines)} if len(lines) > 1 else what}")


AT_ONCE = 50
LOST_AFTER = timedelta(minutes=15)
"""A worker that has been silent for this long is considered dead."""

State = NoticeMail.State
ACCEPTED = range(200, 300)
REFUSED_FOR_GOOD = range(500, 600)


class MailRefusedError(Exception):
    """The mail server rejected the message. `for_good`: whether the rejection is permanent."""

    def __init__(self, answer: str, *, for_good: bool = False) -> None:
        super().__init__(answer)
        self.for_good = for_good


def send_ready() -> None:
    """Send due mails, up to a limit. The run ends early if the server does not respond."""
    if not mails_are_on():
        return
    now = timezone.now()
    lost = NoticeMail.objects.filter(moved_at__lt=now - LOST_AFTER)
    lost.filter(state=State.CLAIMED).update(state=State.READY, moved_at=now)
    lost.filter(state=State.HANDED_OVER).update(
        state=State.UNKNOWN, moved_at=now, error="Interrupted after the mail was handed over."
    )
    ready = NoticeMail.objects.filter(state=State.READY, next_try_at__lte=now).order_by("next_try_at", "pk")
    for mail in ready.select_related("user")[:AT_ONCE]:
        if not _send(mail):
            break


def _moved(mail: NoticeMail, before: State, after: State, **more: object) -> bool:
    """Move a mail from one state to the next; return False if it was no longer in that state and claimed by us."""
    now = timezone.now()
    mine = NoticeMail.objects.filter(pk=mail.pk, state=before, tries=mail.tries, moved_at=mail.moved_at)
    if not mine.update(state=after, moved_at=now, **more):
        return False
    mail.state, mail.moved_at = after, now
    return True


def _send(mail: NoticeMail) -> bool:
    """Send a mail; return whether the server responded."""
    if not _moved(mail, State.READY, State.CLAIMED):
        return True
    message = written_mail(mail) if wants_mail(mail.user) else None
    if message is None:
        _moved(mail, State.CLAIMED, State.DROPPED)
        return True
    backend = EmailBackend()
    try:
        _hand_over(mail, message, backend)
    except MailRefusedError as refused:
        _note_failure(mail, str(refused), for_good=refused.for_good)
    except (OSError, smtplib.SMTPException, ValueError) as error:
        if mail.state == State.HANDED_OVER:
            _moved(mail, State.HANDED_OVER, State.UNKNOWN, error=_short(error))
        else:
            _note_failure(mail, _short(error))
        return False
    finally:
        with suppress(OSError, smtplib.SMTPException):
            backend.close()
    return True


def _hand_over(mail: NoticeMail, message: EmailMessage, backend: EmailBackend) -> None:
    """Hand a mail to the server.

    Raise MailRefusedError if the server refuses it, or the connection's error if it does not respond.
    """
    backend.open()
    server: smtplib.SMTP = backend.connection  # type: ignore[assignment]
    server.ehlo_or_helo_if_needed()
    body = message.message().as_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
    _expect(server.mail(parseaddr(settings.DEFAULT_FROM_EMAIL)[1]))
    _expect(server.rcpt(message.to[0]), may_be_for_good=True)
    if _moved(mail, State.CLAIMED, State.HANDED_OVER):
        try:
            _expect(server.data(body), may_be_for_good=True)
        except smtplib.SMTPDataError as error:
            # Refused before the content was sent.
            raise MailRefusedError(_short(error)) from error
        _moved(mail, State.HANDED_OVER, State.SENT, error="")


def _expect(answer: tuple[int, bytes], *, may_be_for_good: bool = False) -> None:
    code, text = answer
    if code not in ACCEPTED:
        raise MailRefusedError(
            f"{code} {text.decode(errors='replace')}"[:300], for_good=may_be_for_good and code in REFUSED_FOR_GOOD
        )


def _note_failure(mail: NoticeMail, error: str, *, for_good: bool = False) -> None:
    tries, now = mail.tries + 1, timezone.now()
    after = State.GIVEN_UP if for_good or now - mail.made_at > GIVES_UP_AFTER else State.READY
    _moved(mail, State(mail.state), after, tries=tries, error=error[:300], next_try_at=now + pause_after(tries))


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]
