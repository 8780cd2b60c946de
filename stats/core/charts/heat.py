"""Heat maps: shades by share, and calendar months."""

from calendar import Calendar
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

LEVELS = 5
"""Number of shades that can be told apart, also in print; 0 is none."""


def level(count: int, whole: int) -> int:
    """Return the shade of a share: 0 if it is zero, 1 up to a quarter, 4 above three quarters."""
    return -(-(LEVELS - 1) * count // whole) if whole else 0


def rate_level(above: int, games: int) -> int:
    """Return the shade of a win rate: 0 below 30 %, one more at each of RATES."""
    return sum(100 * above >= percent * games for percent in RATES)


RATES = (30, 45, 55, 70)
"""Percentages at which the shade changes; 50 is in the middle shade."""


@dataclass(frozen=True, slots=True)
class DayCell:
    day: date
    count: int
    level: int


@dataclass(frozen=True, slots=True)
class CalendarMonth:
    """A month as weeks of seven days, Monday first; None for days of other months."""

    first: date
    weeks: tuple[tuple[DayCell | None, ...], ...]
    hanchan: int
    evenings: int

    @property
    def week_days(self) -> tuple[date, ...]:
        monday = self.first - timedelta(days=self.first.weekday())
        return tuple(monday + timedelta(days=number) for number in range(7))


def calendar_months(counts: Mapping[date, int], last: date, months: int) -> tuple[CalendarMonth, ...]:
    """Return `months` months ending with that of `last`, latest first.

    Shades are relative to the busiest day of all.
    """
    busiest = max(counts.values(), default=0)
    firsts = [last.replace(day=1)]
    while len(firsts) < months:
        firsts.append((firsts[-1] - timedelta(days=1)).replace(day=1))
    return tuple(_month(first, counts, busiest) for first in firsts)


def _month(first: date, counts: Mapping[date, int], busiest: int) -> CalendarMonth:
    weeks = Calendar().monthdatescalendar(first.year, first.month)
    cells = tuple(tuple(_cell(day, first, counts, busiest) for day in week) for week in weeks)
    played = [cell.count for week in cells for cell in week if cell and cell.count]
    return CalendarMonth(first, cells, sum(played), len(played))


def _cell(day: date, first: date, counts: Mapping[date, int], busiest: int) -> DayCell | None:
    count = counts.get(day, 0)
    return DayCell(day, count, level(count, busiest)) if day.month == first.month else None
