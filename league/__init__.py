"""Leagues: people, sessions, hanchan, leaderboards."""
