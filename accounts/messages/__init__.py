"""Texts for invitations, claims, calendars and notices."""
