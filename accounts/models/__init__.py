"""Invitations, claims, and what people chose for themselves."""

from accounts.models.claims import Claim
from accounts.models.invitations import Invitation, InvitationUse

__all__ = ["Claim", "Invitation", "InvitationUse"]
