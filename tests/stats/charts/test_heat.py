"""Shades of cells, and months of days."""

from datetime import date

import pytest

from stats.core.charts.heat import calendar_months, level, rate_level


@pytest.mark.parametrize(("count", "expected"), [(0, 0), (1, 1), (25, 1), (26, 2), (50, 2), (75, 3), (76, 4), (100, 4)])
def test_shade_of_a_share(count: int, expected: int) -> None:
    assert level(count, 100) == expected


def test_shade_of_nothing() -> None:
    assert level(0, 0) == 0


@pytest.mark.parametrize(
    ("above", "expected"), [(0, 0), (29, 0), (30, 1), (45, 2), (54, 2), (55, 3), (70, 4), (100, 4)]
)
def test_shade_of_a_rate_is_in_the_middle_where_both_are_even(above: int, expected: int) -> None:
    assert rate_level(above, 100) == expected


def test_calendar_has_weeks_from_monday_and_the_latest_month_first() -> None:
    november, october = calendar_months({date(2025, 11, 21): 4, date(2025, 10, 31): 1}, date(2025, 11, 30), 2)
    assert [november.first, october.first] == [date(2025, 11, 1), date(2025, 10, 1)]
    first_week = november.weeks[0]
    assert [cell and cell.day.day for cell in first_week] == [None] * 5 + [1, 2]
    friday = november.weeks[3][4]
    assert friday
    assert (friday.day, friday.count, friday.level) == (date(2025, 11, 21), 4, 4)
    assert [day.weekday() for day in november.week_days] == list(range(7))
    assert [(month.hanchan, month.evenings) for month in (november, october)] == [(4, 1), (1, 1)]
    assert [cell.level for week in october.weeks for cell in week if cell and cell.count] == [1]


def test_calendar_goes_over_the_turn_of_the_year() -> None:
    assert [month.first for month in calendar_months({}, date(2026, 1, 5), 2)] == [date(2026, 1, 1), date(2025, 12, 1)]
