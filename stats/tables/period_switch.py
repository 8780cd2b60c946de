"""The period switch of statistics pages, which keeps the compared players."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from urllib.parse import urlencode

from django.utils.translation import gettext, pgettext

from league.core.periods import ALL_TIME, Period, month_of, year_of
from league.messages import period_title
from league.models import League


@dataclass(frozen=True, slots=True)
class Preset:
    url: str
    label: str
    current: bool


def address_of(period: str, people: Sequence[int] = (), **more: str) -> str:
    return "?" + urlencode([*(("p", player) for player in people), ("period", period), *more.items()])


def usual_periods(league: League, today: date) -> dict[str, str]:
    month, year = month_of(today), year_of(today, league.first_month)
    return {
        ALL_TIME.key: pgettext("period", "All time"),
        year.key: gettext("This year"),
        year_of(year.start - timedelta(days=1), league.first_month).key: gettext("Last year"),
        month.key: gettext("This month"),
        month_of(month.start - timedelta(days=1)).key: gettext("Last month"),
    }


def period_switch(league: League, period: Period, today: date, people: Sequence[int] = ()) -> list[Preset]:
    choices = usual_periods(league, today)
    choices.setdefault(period.key, period_title(period))
    return [Preset(address_of(key, people), label, key == period.key) for key, label in choices.items()]
