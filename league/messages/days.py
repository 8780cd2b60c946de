"""Days and moments as people read them, in the language of the page."""

from datetime import date, datetime
from functools import lru_cache

from django.template.defaultfilters import date as date_format
from django.utils import timezone
from django.utils.translation import get_language, pgettext


def full_day_text(value: date) -> str:
    """Return a date: 2025/11/21(金), Fri 21 Nov 2025."""
    return _day_in(get_language(), value.year, value.month, value.day)


@lru_cache(maxsize=4096)
def _day_in(_language: str | None, year: int, month: int, day_of_month: int) -> str:
    return date_format(date(year, month, day_of_month), pgettext("date format", "D j M Y"))


def moment_text(value: datetime) -> str:
    """Return date and time in the current time zone: 2025/11/21(金) 21:34."""
    local = timezone.localtime(value)
    return f"{full_day_text(local)} {local:%H:%M}"
