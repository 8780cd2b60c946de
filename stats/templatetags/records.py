"""What stands out in a period, for pages of the league."""

from django import template

from league.core.periods import Period
from league.models import League
from league.permissions import Person, hide_names
from stats.selectors.records import MonthRecords, month_records

register = template.Library()


@register.simple_tag
def month_records_for(user: Person, league: League, period: Period) -> MonthRecords | None:
    """Return the records of a period with the names that this reader may read; None when nothing was played."""
    found = month_records(league, period)
    if found:
        hide_names(user, league, found.players)
    return found
