"""Mails of notices: plain text, in the language of whoever gets them, with a link for each line."""

from urllib.parse import urljoin, urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, override

from accounts.messages.evenings import one_line
from accounts.models import NoticeMail
from accounts.selectors.addressees import language_of, mail_address_of
from accounts.selectors.notices import NoticeLine, lines_of
from accounts.selectors.preferences import called, preferences_of
from accounts.services.notice_choices import stop_code

MOST_LINES = 30


def written_mail(mail: NoticeMail) -> EmailMessage | None:
    """Return a mail as it is sent now, None where nothing of it may be told any more."""
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
            # The same mail has the same number, however often it is written.
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
        what = ngettext("Your evening: %(count)s notice", "Your evening: %(count)s notices", len(lines))
    else:
        what = ngettext("%(count)s notice", "%(count)s notices", len(lines))
    return one_line(f"{where}: {what % {'count': len(lines)} if len(lines) > 1 else what}")
