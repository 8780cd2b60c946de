"""Invitations, claims, and what people chose for themselves."""

from accounts.models.calendars import CalendarAddress
from accounts.models.notices import (
    PROMPT,
    MutedLeague,
    Notice,
    NoticeChoices,
    NoticeKind,
    NoticeMail,
    NoticeMark,
)

__all__ = [
    "PROMPT",
    "CalendarAddress",
    "MutedLeague",
    "Notice",
    "NoticeChoices",
    "NoticeKind",
    "NoticeMail",
    "NoticeMark",
]
