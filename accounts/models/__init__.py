"""Invitations, claims, and what people chose for themselves."""
