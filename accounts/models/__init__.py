"""Invitations, claims, and what people chose for themselves."""

from accounts.models.calendars import CalendarAddress
from accounts.models.claims import Claim
from accounts.models.closing import ClosedAccount
from accounts.models.invitations import Invitation, InvitationUse
from accounts.models.notices import (
    PROMPT,
    MutedLeague,
    Notice,
    NoticeChoices,
    NoticeKind,
    NoticeMail,
)
from accounts.models.preferences import Preferences

__all__ = [
    "PROMPT",
    "CalendarAddress",
    "Claim",
    "ClosedAccount",
    "Invitation",
    "InvitationUse",
    "MutedLeague",
    "Notice",
    "NoticeChoices",
    "NoticeKind",
    "NoticeMail",
    "Preferences",
]
