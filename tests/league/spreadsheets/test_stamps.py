"""When a form was filled in: the day of play, as far as that can be told."""

from datetime import UTC, date, datetime, time

import pytest

from league.core.spreadsheets.dates import DateError, DateOrder, DateReading, clock_of, parse_moment, parse_stamp

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
