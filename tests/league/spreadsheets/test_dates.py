"""Dates and time stamps as files have them."""

from contextlib import suppress
from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.spreadsheets.dates import (
    DateError,
    DateOrder,
    DateReading,
    clock_of,
    parse_date,
    parse_moment,
    parse_stamp,
)

TODAY = date(2025, 12, 1)
DAY = date(2025, 11, 21)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "2025/11/21",
            "2025-11-21",
            "2025.11.21",
            "20251121",
            "2025年11月21日",
            "２０２５／１１／２１",
            "2025/11/21(金)",
        ),
        *(
            "2025年11月21日（金）",
            "11月21日",
            "11/21",
            "令和7年11月21日",
            "R7.11.21",
            "r7/11/21",
            "令和７年１１月２１日金曜日",
        ),
        *(
            "45982",
            "45982.79",
            "2025/11/21 19:30",
            "2025-11-21T19:30:00+09:00",
            "2025-11-21 00:00:00",
            " 2025 / 11 / 21 ",
        ),
        *("11月21日 金曜", "Fri, 2025/11/21", "2025/11/21 19時"),
    ],
)
def test_day_is_understood(text: str) -> None:
    assert parse_date(text, DateReading(TODAY)) == DAY


@pytest.mark.parametrize(
    ("text", "day"),
    [
        pytest.param("令和元年5月1日", date(2019, 5, 1), id="first year of an era"),
        pytest.param("H31.4.30", date(2019, 4, 30), id="heisei"),
        pytest.param("昭和64年1月7日", date(1989, 1, 7), id="showa"),
        pytest.param("12/31", date(2024, 12, 31), id="not in the future"),
        pytest.param("2/29", date(2024, 2, 29), id="latest leap year"),
    ],
)
def test_era_and_missing_year(text: str, day: date) -> None:
    assert parse_date(text, DateReading(TODAY)) == day


def test_year_can_be_given_for_all() -> None:
    assert parse_date("12/31", DateReading(TODAY, year=2019)) == date(2019, 12, 31)


@pytest.mark.parametrize("text", ["11/21/2025", "21/11/2025", "11/12/2025", "25/11/21", "1-2-03"])
def test_other_orders_are_refused_unless_the_column_shows_which(text: str) -> None:
    with pytest.raises(DateError) as refusal:
        parse_date(text, DateReading(TODAY))
    assert refusal.value.code == "ambiguous"


@pytest.mark.parametrize(
    "text", ["", "青木", "2025/13/01", "2025/02/30", "13月1日", "2/30", "12345", "99999", "令和99999年1月1日"]
)
def test_what_is_no_day_is_refused(text: str) -> None:
    with pytest.raises(DateError) as refusal:
        parse_date(text, DateReading(TODAY))
    assert (refusal.value.code, refusal.value.text) == ("unreadable", text)


def test_day_of_a_year_that_does_not_have_it_is_refused() -> None:
    with pytest.raises(DateError):
        parse_date("13/31/2025", DateReading(TODAY, DateOrder.MONTH_FIRST))
    with pytest.raises(DateError):
        parse_date("2/29", DateReading(TODAY, year=2025))


@pytest.mark.parametrize("text", ["", "19:30", "2025-11-21T19:30:00", "0001-01-01T00:00:00+09:00"])
def test_moment_needs_an_offset(text: str) -> None:
    with pytest.raises(DateError):
        parse_moment(text)


@given(st.datetimes(datetime(1950, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)))
def test_moments_and_days_come_back(moment: datetime) -> None:
    assert parse_moment(moment.isoformat()) == moment
    assert parse_date(moment.isoformat(), DateReading(TODAY)) == moment.date()


@given(st.text(max_size=30))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    with suppress(DateError):
        parse_date(text, DateReading(TODAY, DateOrder.DAY_FIRST))


AT_HOME = DateReading(date(2026, 11, 22), stamps=DateOrder.MONTH_FIRST, boundary=time(6), zone="Asia/Tokyo")


@pytest.mark.parametrize(
    ("text", "day"),
    [
        pytest.param("6/13/2026 21:30:05", date(2026, 6, 13), id="in the evening"),
        pytest.param("6/14/2026 1:30:05", date(2026, 6, 13), id="after midnight"),
        pytest.param("2026/06/14 6:00", date(2026, 6, 14), id="at the boundary of the day"),
        pytest.param("2026/06/13 午後 11:30:05 GMT+9", date(2026, 6, 13), id="Japanese form"),
        pytest.param("2026/06/14 午前 12:30:05 GMT+9", date(2026, 6, 13), id="Japanese form after midnight"),
        pytest.param("2026-06-13T18:30:00+00:00", date(2026, 6, 13), id="elsewhere on earth"),
        pytest.param("2026-06-13", date(2026, 6, 13), id="no clock"),
        pytest.param("0001-01-01 00:00", date(1, 1, 1), id="no day before"),
    ],
)
def test_what_is_typed_after_midnight_belongs_to_the_evening_before(text: str, day: date) -> None:
    assert parse_stamp(text, AT_HOME) == day


@pytest.mark.parametrize(
    ("text", "clock"),
    [
        ("2026-06-13 1:30 PM", time(13, 30)),
        ("2026-06-13 12:30 a.m.", time(0, 30)),
        ("2026-06-13 12:30pm", time(12, 30)),
        ("2026-06-13T19:30:15Z", time(19, 30, 15)),
        ("2026/06/13 １９時", time(19)),
        ("2026-06-13 25:00", None),
        ("2026-06-13", None),
        ("", None),
    ],
)
def test_clocks_are_read(text: str, clock: time | None) -> None:
    assert clock_of(text) == clock


def test_moment_of_play_is_by_the_clock_of_the_league() -> None:
    assert parse_moment("2026/06/14 1:30", AT_HOME) == datetime(2026, 6, 13, 16, 30, tzinfo=UTC)
    for text in ("2026/06/14", "0001-01-01 00:00", "x 10:00"):
        with pytest.raises(DateError):
            parse_moment(text, AT_HOME)
