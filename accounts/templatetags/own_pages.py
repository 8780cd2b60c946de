"""What people's own pages need to print the gaps between places."""

from django import template

from league.models import League
from league.tables.board import gap_text

register = template.Library()


@register.filter
def distance(league: League, scores: int) -> str:
    """Return a distance between two scores in the unit that the league's boards are ordered by, without a sign."""
    return gap_text(league, abs(scores))
