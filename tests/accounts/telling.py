"""Fixtures for notices: a league whose four players want mails, and the sweep that runs each minute."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime, timedelta
from typing import Any
from unittest.mock import patch

import time_machine
from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone

from accounts.models import Notice, NoticeKind
from accounts.services.notices import choose_notices
from accounts.tasks import sweep_notices
from league.models import League, Player
from tests.accounts.mail_server import MailServer, mail_server
from tests.league.factories import make_league, make_players, make_user

EVENING = datetime.fromisoformat("2026-06-05T20:00:00+09:00")
TONIGHT = date(2026, 6, 5)
AT_ONCE = timedelta(days=-3650)

NAMES = ("aoki", "ishida", "ueno", "eguchi")


def make_members(slug: str = "camarade", **settings: Any) -> tuple[League, list[Player]]:
    league = make_league(slug, **settings)
    players = make_players(league, 4)
    for name, player in zip(NAMES, players, strict=True):
        player.user = User.objects.filter(username=name).first() or make_user(name)
        player.save()
        league.members.create(user=player.user, role="player")
    return league, players


def want_mails(user: User | None, *unwanted: NoticeKind, muted: tuple[League, ...] = (), language: str = "ja") -> None:
    assert user is not None
    EmailAddress.objects.get_or_create(user=user, email=user.email, verified=True, primary=True)
    choose_notices(
        user=user,
        by_mail=True,
        kinds=[kind for kind in NoticeKind.values if kind not in unwanted],
        muted=muted,
        told=("https://tenbo.example/", language),
    )


@contextmanager
def mails_to(server: MailServer) -> Iterator[None]:
    before = {name: getattr(settings, name) for name in ("EMAIL_HOST", "EMAIL_PORT", "EMAIL_USE_TLS")}
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_USE_TLS = "127.0.0.1", server.port, False
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(settings, name, value)


@contextmanager
def post() -> Iterator[MailServer]:
    with mail_server() as server, mails_to(server):
        yield server


def sweep(at: datetime | None = None) -> None:
    with patch("accounts.services.notices.SETTLES", AT_ONCE), time_machine.travel(at or timezone.now(), tick=False):
        sweep_notices()


def minutes_after(moment: datetime, minutes: int) -> datetime:
    return moment + timedelta(minutes=minutes)


def told(user: User | None) -> list[tuple[str, bool]]:
    """Return (kind, is pending) of each of the user's notices, oldest first."""
    return [(each.kind, each.waits) for each in Notice.objects.filter(user=user).order_by("pk")]


def sweep_at(*minutes: int) -> None:
    for each in minutes:
        sweep(minutes_after(EVENING, each))
