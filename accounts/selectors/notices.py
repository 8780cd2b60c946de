from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.utils import timezone
from django.utils.translation import get_language

from accounts.messages.evenings import league_words
from accounts.messages.notices import notice_words
from accounts.models import Notice, NoticeKind
from league.messages import moment_text
from league.models import Hanchan, League, Revision, Session

LISTED_FOR = timedelta(days=30)
MOST_LISTED = 30

AHEAD = {NoticeKind.ANNOUNCED, NoticeKind.SEAT}
"""Notices of what is to come."""


@dataclass(frozen=True, slots=True)
class NoticeLine:
    text: str
    league: str
    path: str
    at: str


def leagues_of(user: User) -> list[League]:
    mine = League.objects.filter(members__user=user)
    return list(League.objects.visible_to(user).filter(pk__in=mine.values("pk")).order_by("name", "pk"))


def lines_of(notices: Sequence[Notice], user: User) -> list[NoticeLine]:
    """Return notices as text, without leagues that the user may no longer read. At most three queries.

    Sessions may have been renumbered since; what was to come in one that is over and settled disputes are left out.
    """
    leagues = League.objects.visible_to(user).filter(pk__in={each.league_id for each in notices})
    may = set(leagues.values_list("pk", flat=True))
    sessions = Session.objects.in_bulk({each.session_id for each in notices if each.session_id})
    told = {each.session_id for each in notices if each.kind == NoticeKind.DISPUTED}
    open_ones = Hanchan.objects.filter(session__in=told, state=Hanchan.State.DISPUTED)
    disputed = {*open_ones.values_list("session", "round", "table")}
    return [
        NoticeLine(
            notice_words(each.kind, each.facts | {"number": session and session.number}),
            league_words(each.league),
            in_language(each.path),
            _on_clock_of(each.league, each.at),
        )
        for each in notices
        for session in [sessions.get(each.session_id or 0)]
        if each.league_id in may and not (each.kind in AHEAD and session and _is_past(session, each))
        if each.kind != NoticeKind.DISPUTED or (each.session_id, *map(each.facts.get, ("round", "table"))) in disputed
    ]


def _is_past(session: Session, notice: Notice) -> bool:
    is_cancelled = session.state == Session.State.WITHDRAWN and not notice.facts.get("off")
    return is_cancelled or session.state == Session.State.CLOSED


def _on_clock_of(league: League, moment: datetime) -> str:
    with timezone.override(league.time_zone):
        return moment_text(moment)


def in_language(path: str) -> str:
    language = get_language() or settings.LANGUAGE_CODE
    return path if language == settings.LANGUAGE_CODE else f"/{language}{path}"


def listed_notices(user: User, now: datetime) -> list[NoticeLine]:
    """Return recent notices, latest first. Two queries."""
    recent = Notice.objects.filter(user=user, at__gt=now - LISTED_FOR).select_related("league")
    return lines_of(list(recent[:MOST_LISTED]), user)


@dataclass(frozen=True, slots=True)
class News:
    """Something to notify a user of now.

    `facts`: plain values, without names of others; `path`: without language prefix.
    """

    user: int
    subject: int
    facts: dict[str, Any]
    path: str
    session: int | None = None


@dataclass(frozen=True, slots=True)
class NoticeSource:
    """A kind of notice. `subject`: model of its revisions; `is_touched`: whether a revision may cause notices.

    `present` returns the notices for the current facts of the given subjects.
    """

    kind: NoticeKind
    subject: str
    is_touched: Callable[[Revision], bool]
    present: Callable[[League, Collection[int], datetime], Iterable[News]]


sources: dict[NoticeKind, NoticeSource] = {}
"""Apps add theirs when they are loaded."""
