"""A checked file becomes a league: one transaction, the same derivation as entry at the table."""

from league.interchange.storing.league import store_league

__all__ = ["store_league"]
