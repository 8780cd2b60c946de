"""Months, years and date ranges of a league.

Every period is a range of league days. A league day begins at the league's day boundary, so a hanchan that ends at
01:30 belongs to the previous evening.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Any
from zoneinfo import ZoneInfo

FIRST_DAY = date(1900, 1, 1)
LAST_DAY = date(9999, 12, 31)

_MONTH = re.compile(r"(\d{4})-(\d{2})", re.ASCII)
_YEAR = re.compile(r"\d{4}", re.ASCII)
_RANGE = re.compile(r"(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})", re.ASCII)


class PeriodKind(StrEnum):
    MONTH = "month"
    YEAR = "year"
    ALL = "all"
    RANGE = "range"


class PeriodError(ValueError):
    """The text does not name a period."""


@dataclass(frozen=True, slots=True)
class Period:
    """A range of league days, including `start` but not `end`."""

    kind: PeriodKind
    key: str
    start: date
    end: date

    def __contains__(self, day: date) -> bool:
        return self.start <= day < self.end

    @property
    def last(self) -> date:
        return self.end - timedelta(days=1)

    @property
    def is_stored(self) -> bool:
        return self.kind is not PeriodKind.RANGE


ALL_TIME = Period(PeriodKind.ALL, "all", FIRST_DAY, LAST_DAY)


def league_day(moment: datetime, zone: str, boundary: time) -> date:
    local = moment.astimezone(ZoneInfo(zone))
    # Wall-clock arithmetic on purpose: the boundary is in local time, even across DST changes.
    return (local.replace(tzinfo=None) - timedelta(hours=boundary.hour, minutes=boundary.minute)).date()


def moment_on(day: date, clock: time, zone: str, boundary: time) -> datetime:
    """Return the UTC time at which the clock shows `clock` on a league day."""
    calendar_day = day if clock >= boundary else day + timedelta(days=1)
    return datetime.combine(calendar_day, clock, ZoneInfo(zone)).astimezone(UTC)


def written_time(clock: time | None) -> str:
    """Return "19:00", with seconds only if not zero; "" for None."""
    return clock.isoformat().removesuffix(":00") if clock is not None else ""


def month_of(day: date) -> Period:
    start = day.replace(day=1)
    end = date(start.year + start.month // 12, start.month % 12 + 1, 1)
    return Period(PeriodKind.MONTH, f"{start:%Y-%m}", start, end)


def year_of(day: date, first_month: int = 1) -> Period:
    """Return the league year that contains a day, named after the calendar year in which it begins."""
    year = day.year if day.month >= first_month else day.year - 1
    return Period(PeriodKind.YEAR, f"{year:04d}", date(year, first_month, 1), date(year + 1, first_month, 1))


def periods_of(day: date, first_month: int = 1) -> tuple[Period, Period, Period]:
    return month_of(day), year_of(day, first_month), ALL_TIME


def parse_period(text: str, first_month: int = 1) -> Period:
    """Parse `2025-11`, `2025`, `all` or `2025-11-01..2025-11-21`; ranges include both ends. Raise PeriodError."""
    if text == ALL_TIME.key:
        return ALL_TIME
    try:
        if match := _MONTH.fullmatch(text):
            return month_of(date(int(match[1]), int(match[2]), 1))
        if _YEAR.fullmatch(text):
            return year_of(date(int(text), first_month, 1), first_month)
        if match := _RANGE.fullmatch(text):
            return range_of(date.fromisoformat(match[1]), date.fromisoformat(match[2]))
    except (ValueError, OverflowError) as error:
        raise PeriodError(text) from error
    raise PeriodError(text)


def range_of(first: date, last: date) -> Period:
    """Return a date range including both ends. Raise PeriodError if it is reversed."""
    if first > last or last >= LAST_DAY:
        raise PeriodError(f"{first}..{last}")
    return Period(PeriodKind.RANGE, f"{first}..{last}", first, last + timedelta(days=1))


def up_to(period: Period, day: date) -> Period:
    """Return the part of a period up to and including a day. Raise PeriodError if the day is before the period."""
    return range_of(period.start, day)


def neighbours(period: Period) -> tuple[Period | None, Period | None]:
    """Return the previous and next month or year; (None, None) for all time and date ranges."""
    match period.kind:
        case PeriodKind.MONTH:
            return month_of(period.start - timedelta(days=1)), month_of(period.end)
        case PeriodKind.YEAR:
            first_month = period.start.month
            return year_of(period.start - timedelta(days=1), first_month), year_of(period.end, first_month)
    return None, None


@dataclass(frozen=True, slots=True)
class DaySpan:
    """Days from `first` to `last`, inclusive; None if open-ended."""

    first: date | None = None
    last: date | None = None

    def __str__(self) -> str:
        """Format the span independently of language: 2026-05-01 – 2026-05-31; "" for all days."""
        if self == ALL_DAYS:
            return ""
        first, last = (day.isoformat() if day else "" for day in (self.first, self.last))
        return f"{first} – {last}".strip()

    @property
    def parameters(self) -> dict[str, str]:
        ends = {"first": self.first, "last": self.last}
        return {name: day.isoformat() for name, day in ends.items() if day is not None}


ALL_DAYS = DaySpan()


def span_of(parameters: Mapping[str, Any]) -> DaySpan:
    """Parse the span in query parameters, by default all days. Raise ValueError."""
    first, last = (parameters.get(name) for name in ("first", "last"))
    return DaySpan(first and date.fromisoformat(first), last and date.fromisoformat(last))
