"""Leagues: people, sessions, hanchan, standings."""
