from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core import periods

SIX = time(6, 0)


@pytest.mark.parametrize(
    ("local", "day"),
    [
        pytest.param(datetime(2025, 11, 21, 21, 30), date(2025, 11, 21), id="in the evening"),
        pytest.param(datetime(2025, 11, 22, 1, 30), date(2025, 11, 21), id="after midnight, still the evening"),
        pytest.param(datetime(2025, 11, 22, 5, 59), date(2025, 11, 21), id="just before the boundary"),
        pytest.param(datetime(2025, 11, 22, 6, 0), date(2025, 11, 22), id="at the boundary"),
        pytest.param(datetime(2025, 12, 1, 2, 0), date(2025, 11, 30), id="over the end of a month"),
        pytest.param(datetime(2024, 3, 1, 0, 10), date(2024, 2, 29), id="a leap day"),
    ],
)
def test_league_day_begins_at_the_boundary(local: datetime, day: date) -> None:
    assert periods.league_day(local.replace(tzinfo=ZoneInfo("Asia/Tokyo")).astimezone(UTC), "Asia/Tokyo", SIX) == day


def test_league_day_follows_local_time_when_clocks_change() -> None:
    # In Berlin 02:00 becomes 03:00 on 2025-03-30; 06:10 is still ten minutes past the start of the league day.
    moment = datetime(2025, 3, 30, 6, 10, tzinfo=ZoneInfo("Europe/Berlin"))
    assert periods.league_day(moment, "Europe/Berlin", SIX) == date(2025, 3, 30)
    assert periods.league_day(moment - timedelta(minutes=20), "Europe/Berlin", SIX) == date(2025, 3, 29)


@given(
    st.dates(date(2000, 1, 2), date(2099, 12, 30)),
    st.times().map(lambda clock: clock.replace(second=0, microsecond=0)),
    st.sampled_from(["Asia/Tokyo", "UTC", "America/New_York", "Pacific/Auckland"]),
)
def test_moment_on_a_day_falls_on_that_day(day: date, clock: time, zone: str) -> None:
    local = periods.moment_on(day, clock, zone, SIX)
    # A local time that the clock change skips may land an hour later, but on another league day only at its boundary.
    assert abs((periods.league_day(local, zone, SIX) - day).days) <= (0 if zone in {"Asia/Tokyo", "UTC"} else 1)


@pytest.mark.parametrize(
    ("clock", "text"), [(time(19, 0), "19:00"), (time(0, 0), "00:00"), (time(19, 0, 30), "19:00:30"), (None, "")]
)
def test_time_of_day_is_written_without_zero_seconds(clock: time | None, text: str) -> None:
    assert periods.written_time(clock) == text


@pytest.mark.parametrize(
    ("text", "first", "last", "kind"),
    [
        pytest.param("2025-11", date(2025, 11, 1), date(2025, 11, 30), periods.PeriodKind.MONTH, id="month"),
        pytest.param("2024-02", date(2024, 2, 1), date(2024, 2, 29), periods.PeriodKind.MONTH, id="leap month"),
        pytest.param("2025-12", date(2025, 12, 1), date(2025, 12, 31), periods.PeriodKind.MONTH, id="December"),
        pytest.param("2025", date(2025, 1, 1), date(2025, 12, 31), periods.PeriodKind.YEAR, id="year"),
        pytest.param(
            "2025-11-03..2025-11-21", date(2025, 11, 3), date(2025, 11, 21), periods.PeriodKind.RANGE, id="range"
        ),
        pytest.param(
            "2025-11-03..2025-11-03", date(2025, 11, 3), date(2025, 11, 3), periods.PeriodKind.RANGE, id="one day"
        ),
    ],
)
def test_period_is_parsed_from_its_key(text: str, first: date, last: date, kind: periods.PeriodKind) -> None:
    period = periods.parse_period(text)
    assert (period.start, period.last, period.kind, period.key) == (first, last, kind, text)
    assert first in period
    assert last in period
    assert last + timedelta(days=1) not in period
    assert period.is_stored == (kind is not periods.PeriodKind.RANGE)


def test_year_may_begin_in_april() -> None:
    assert periods.parse_period("2025", 4).start == date(2025, 4, 1)
    assert periods.year_of(date(2026, 3, 31), 4).key == "2025"
    assert periods.year_of(date(2026, 4, 1), 4).key == "2026"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2025-13",
        "2025-00",
        "0000",
        "9999",
        "9999-12",
        "2025-11-21..2025-11-03",
        "2025-02-30..2025-03-01",
        "x",
        "２０２５",
        "2025-11-01..9999-12-31",
    ],
)
def test_nonexistent_period_is_refused(text: str) -> None:
    with pytest.raises(periods.PeriodError):
        periods.parse_period(text)


def test_day_belongs_to_a_month_a_year_and_all_time() -> None:
    assert [period.key for period in periods.periods_of(date(2025, 11, 21))] == ["2025-11", "2025", "all"]
    assert periods.parse_period("all") is periods.ALL_TIME


def test_neighbours_are_the_periods_before_and_after() -> None:
    before, after = periods.neighbours(periods.month_of(date(2025, 12, 5)))
    assert (before and before.key, after and after.key) == ("2025-11", "2026-01")
    before, after = periods.neighbours(periods.year_of(date(2025, 5, 1), 4))
    assert (before and before.start, after and after.start) == (date(2024, 4, 1), date(2026, 4, 1))
    assert periods.neighbours(periods.ALL_TIME) == (None, None)


@given(st.dates(date(1901, 1, 1), date(2999, 12, 31)), st.integers(1, 12))
def test_every_day_is_in_its_own_month_and_year(day: date, first_month: int) -> None:
    month, year, _ = periods.periods_of(day, first_month)
    assert day in month
    assert day in year
    for period in (month, year):
        before, after = periods.neighbours(period)
        assert isinstance(before, periods.Period)
        assert isinstance(after, periods.Period)
        assert before.end == period.start
        assert after.start == period.end
        assert periods.parse_period(period.key, first_month) == period


def test_period_up_to_a_day_includes_that_day() -> None:
    month = periods.parse_period("2025-11")
    assert periods.up_to(month, date(2025, 11, 21)) == periods.range_of(date(2025, 11, 1), date(2025, 11, 21))
    with pytest.raises(periods.PeriodError):
        periods.up_to(month, date(2025, 10, 31))


MAY, JUNE = date(2026, 5, 1), date(2026, 6, 5)


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (periods.ALL_DAYS, ""),
        (periods.DaySpan(MAY), "2026-05-01 –"),
        (periods.DaySpan(None, MAY), "– 2026-05-01"),
        (periods.DaySpan(MAY, JUNE), "2026-05-01 – 2026-06-05"),
    ],
)
def test_day_span_is_displayed_and_read_back(span: periods.DaySpan, text: str) -> None:
    assert str(span) == text
    assert periods.span_of(span.parameters) == span


def test_day_span_with_an_invalid_day_is_refused() -> None:
    with pytest.raises(ValueError, match="yesterday"):
        periods.span_of({"first": "yesterday"})
