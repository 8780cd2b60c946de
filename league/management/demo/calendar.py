from collections.abc import Iterator
from datetime import date, timedelta

FRIDAY, WEDNESDAY, SUNDAY = 4, 2, 6


def months_back(today: date, count: int) -> Iterator[date]:
    """Yield the first day of the current month and of the `count` months before it, oldest first."""
    number = today.year * 12 + today.month - 1
    for month in range(number - count, number + 1):
        yield date(month // 12, month % 12 + 1, 1)


def weekdays_of(month: date, weekday: int) -> list[date]:
    """Return a month's four or five days on this weekday (0 is Monday)."""
    first = month + timedelta(days=(weekday - month.weekday()) % 7)
    days = [first + timedelta(days=7 * week) for week in range(5)]
    return [day for day in days if day.month == month.month]


def meeting_days(today: date, months: int, weekday: int, weeks: tuple[int, ...]) -> list[date]:
    """Return the days before today on which a league met: `weeks` are indexes of the weekday in each month."""
    days = [weekdays_of(month, weekday)[week] for month in months_back(today, months) for week in weeks]
    return [day for day in days if day < today]
