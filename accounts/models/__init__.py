"""Invitations, claims, and what people chose for themselves."""

from accounts.models.preferences import Preferences

__all__ = ["Preferences"]
