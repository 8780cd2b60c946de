"""The switch between periods on pages about a league's numbers."""

from datetime import date, timedelta

from django.utils.translation import gettext, pgettext

from league.core.periods import ALL_TIME, Period, month_of, year_of
from league.messages import period_title
from league.models import League
from stats.tables.profile import Preset


def period_presets(league: League, period: Period, today: date) -> list[Preset]:
    """Return the usual periods, and the one that is shown where it is none of them."""
    month, year = month_of(today), year_of(today, league.first_month)
    usual = [
        (ALL_TIME, pgettext("period", "All time")),
        (year, gettext("This year")),
        (year_of(year.start - timedelta(days=1), league.first_month), gettext("Last year")),
        (month, gettext("This month")),
        (month_of(month.start - timedelta(days=1)), gettext("Last month")),
    ]
    if period.key not in {each.key for each, _ in usual}:
        usual.append((period, period_title(period)))
    return [Preset(f"?period={each.key}", label, each.key == period.key) for each, label in usual]
