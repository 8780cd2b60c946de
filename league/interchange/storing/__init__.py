"""Storing of a validated file as a new league.

Everything happens in one transaction; columns are derived just as for results entered at the table.
"""

from league.interchange.storing.league import store_league

__all__ = ["store_league"]
