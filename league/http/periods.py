"""Which period an address names."""

from django.http import Http404

from league.core.periods import ALL_TIME, Period, PeriodError, parse_period
from league.models import League

YEARS = range(1900, 2201)
"""Boards outside these years do not exist."""


def scope_period(league: League, scope: str) -> Period:
    """Return the period that an address names. Raises Http404."""
    try:
        period = parse_period(scope, league.first_month)
    except PeriodError as error:
        raise Http404 from error
    if period != ALL_TIME and (period.start.year not in YEARS or period.last.year not in YEARS):
        raise Http404
    return period
