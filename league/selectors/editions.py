"""Editions: what changes with every change of anything in a league."""

from decimal import Decimal

from league.models.editions import MARKS

EDITION = "coalesce((SELECT sum(mark) FROM league_edition WHERE league_id = {league}), 0)"
"""The edition of a league, as a column of a statement."""


def edition_text(marks: int | Decimal) -> str:
    """Return an edition as pages carry it; two that are equal show the same facts."""
    return str(int(marks) % MARKS)
