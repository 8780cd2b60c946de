"""Invitations, claims, and what people chose for themselves."""

from accounts.models.claims import Claim
from accounts.models.closing import ClosedAccount
from accounts.models.invitations import Invitation
from accounts.models.notices import (
    PROMPT,
    Notice,
    NoticeKind,
    NoticeMail,
)
from accounts.models.preferences import Preferences

__all__ = [
    "PROMPT",
    "Claim",
    "ClosedAccount",
    "Invitation",
    "Notice",
    "NoticeKind",
    "NoticeMail",
    "Preferences",
]
