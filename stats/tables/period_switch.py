"""The switch between periods on pages that compare people; who is compared stays."""

from collections.abc import Sequence
from datetime import date, timedelta
from urllib.parse import urlencode

from django.utils.translation import gettext, pgettext

from league.core.periods import ALL_TIME, Period, month_of, year_of
from league.messages import period_title
from league.models import League
from stats.tables.profile import Preset


def address_of(period: str, people: Sequence[int] = (), **more: str) -> str:
    """Return the query of a page that compares people in a period."""
    return "?" + urlencode([*(("p", player) for player in people), ("period", period), *more.items()])


def period_switch(league: League, period: Period, today: date, people: Sequence[int] = ()) -> list[Preset]:
    """Return the usual periods, and the one that is shown where it is not among them."""
    month, year = month_of(today), year_of(today, league.first_month)
    choices = {
        ALL_TIME.key: pgettext("period", "All time"),
        year.key: gettext("This year"),
        year_of(year.start - timedelta(days=1), league.first_month).key: gettext("Last year"),
        month.key: gettext("This month"),
        month_of(month.start - timedelta(days=1)).key: gettext("Last month"),
    }
    choices.setdefault(period.key, period_title(period))
    return [Preset(address_of(key, people), label, key == period.key) for key, label in choices.items()]
