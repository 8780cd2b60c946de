"""Invitations, claims, and what people chose for themselves."""

from accounts.models.claims import Claim
from accounts.models.invitations import Invitation, InvitationUse
from accounts.models.preferences import Preferences

__all__ = ["Claim", "Invitation", "InvitationUse", "Preferences"]
