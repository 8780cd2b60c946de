"""Mails of notices are handed to the mail server here, none of them twice.

A mail is claimed, then the server is asked whether it takes it, and only then, before the first byte of it is handed over, is that
written down. Who is killed before that point has sent nothing: it is tried again. Who is killed after it may have sent it: nobody
tries again, the host sees it, and people read the notices on their own page. docs/adr/0049 has the reasons.
"""

import smtplib
from contextlib import suppress
from datetime import datetime, timedelta
from email.utils import parseaddr

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.smtp import EmailBackend
from django.utils import timezone

from accounts.core.rhythm import GIVES_UP_AFTER, pause_after
from accounts.models import NoticeMail
from accounts.selectors.addressees import mails_are_on
from accounts.services.notice_mails import wants_mail
from accounts.services.written_mails import written_mail

AT_ONCE = 50
LOST_AFTER = timedelta(minutes=15)
"""Whoever has said nothing of a mail for so long is not there any more."""

State = NoticeMail.State
ACCEPTED = range(200, 300)
REFUSED_FOR_GOOD = range(500, 600)


class RefusedError(Exception):
    """The server has said that it does not take the mail; `for_good`: and never will."""

    def __init__(self, answer: str, *, for_good: bool = False) -> None:
        super().__init__(answer)
        self.for_good = for_good


def send_ready() -> None:
    """Send the mails whose time has come, so many at most; a server that does not answer is left alone for this time."""
    if not mails_are_on():
        return
    now = timezone.now()
    _find_lost(now)
    ready = NoticeMail.objects.filter(state=State.READY, next_try_at__lte=now).order_by("next_try_at", "pk")
    for mail in ready.select_related("user")[:AT_ONCE]:
        if not _send(mail):
            break


def _find_lost(now: datetime) -> None:
    lost = NoticeMail.objects.filter(moved_at__lt=now - LOST_AFTER)
    lost.filter(state=State.CLAIMED).update(state=State.READY, moved_at=now)
    lost.filter(state=State.HANDED_OVER).update(
        state=State.UNKNOWN, moved_at=now, error="Interrupted after the mail was handed over."
    )


def _moved(mail: NoticeMail, before: State, after: State, **more: object) -> bool:
    """Move a mail from one state to the next; return whether it was still in that state, and claimed by us."""
    now = timezone.now()
    mine = NoticeMail.objects.filter(pk=mail.pk, state=before, tries=mail.tries, moved_at=mail.moved_at)
    if not mine.update(state=after, moved_at=now, **more):
        return False
    mail.state, mail.moved_at = after, now
    return True


def _send(mail: NoticeMail) -> bool:
    """Send a mail; return whether the server answers."""
    if not _moved(mail, State.READY, State.CLAIMED):
        return True
    message = written_mail(mail) if wants_mail(mail.user) else None
    if message is None:
        _moved(mail, State.CLAIMED, State.DROPPED)
        return True
    backend = EmailBackend()
    try:
        _hand_over(mail, message, backend)
    except RefusedError as refused:
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
    """Hand a mail to the server. Raises RefusedError where the server says no, else what says that it does not answer."""
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
            # It did not even want to see the mail.
            raise RefusedError(_short(error)) from error
        _moved(mail, State.HANDED_OVER, State.SENT, error="")


def _expect(answer: tuple[int, bytes], *, may_be_for_good: bool = False) -> None:
    code, text = answer
    if code not in ACCEPTED:
        raise RefusedError(
            f"{code} {text.decode(errors='replace')}"[:300], for_good=may_be_for_good and code in REFUSED_FOR_GOOD
        )


def _note_failure(mail: NoticeMail, error: str, *, for_good: bool = False) -> None:
    tries, now = mail.tries + 1, timezone.now()
    gives_up = for_good or now - mail.made_at > GIVES_UP_AFTER
    after = State.GIVEN_UP if gives_up else State.READY
    _moved(mail, State(mail.state), after, tries=tries, error=error[:300], next_try_at=now + pause_after(tries))


def _short(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]
