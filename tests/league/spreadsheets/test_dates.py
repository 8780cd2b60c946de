from contextlib import suppress
from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.spreadsheets.dates import (
    DateError,
    DateOrder,
    DateReading,
    ambiguous,
    guess_order,
    in_order,
    parse_date,
    parse_stamp,
)

TODAY = date(2025, 12, 1)
DAY = date(2025, 11, 21)


@pytest.mark.parametrize(
    "text",
    [
        *("2025/11/21", "2025.11.21", "20251121", "2025年11月21日", "２０２５／１１／２１", "2025/11/21(金)"),
        *("11月21日", "11/21", "令和7年11月21日", "R7.11.21", "令和７年１１月２１日金曜日"),
        *("45982", "45982.79", "2025/11/21 19:30", "2025-11-21T19:30:00+09:00", " 2025 / 11 / 21 "),
        *("11月21日 金曜", "Fri, 2025/11/21", "2025/11/21 19時"),
        *("21 Nov 2025", "21-Nov-25", "Fri, 21st November", "Nov 21, 2025", "November 21", "NOV. 21 2025 19:30"),
    ],
)
def test_day_is_understood(text: str) -> None:
    assert parse_date(text, DateReading(TODAY)) == DAY


@pytest.mark.parametrize(
    ("text", "year", "day"),
    [
        pytest.param("令和元年5月1日", 0, date(2019, 5, 1), id="first year of an era"),
        pytest.param("H31.4.30", 0, date(2019, 4, 30), id="heisei"),
        pytest.param("昭和64年1月7日", 0, date(1989, 1, 7), id="showa"),
        pytest.param("12/31", 0, date(2024, 12, 31), id="not in the future"),
        pytest.param("2/29", 0, date(2024, 2, 29), id="latest leap year"),
        pytest.param("12/31", 2019, date(2019, 12, 31), id="year given for all"),
    ],
)
def test_era_and_missing_year(text: str, year: int, day: date) -> None:
    assert parse_date(text, DateReading(TODAY, year=year)) == day


NO_DAYS = ("", "青木", "2025/13/01", "2025/02/30", "13月1日", "2/30", "12345", "99999", "令和99999年1月1日")
IN_OTHER_ORDERS = ("11/21/2025", "21/11/2025", "11/12/2025", "25/11/21", "1-2-03")


@pytest.mark.parametrize(
    ("text", "code"), [*((text, "unreadable") for text in NO_DAYS), *((text, "ambiguous") for text in IN_OTHER_ORDERS)]
)
def test_invalid_or_ambiguous_day_is_refused(text: str, code: str) -> None:
    with pytest.raises(DateError) as refusal:
        parse_date(text, DateReading(TODAY))
    assert str(refusal.value) == f"{code}: {text}"


@given(st.text(max_size=30))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    with suppress(DateError):
        parse_date(text, DateReading(TODAY, DateOrder.DAY_FIRST))


AT_HOME = DateReading(date(2026, 11, 22), DateOrder.MONTH_FIRST, boundary=time(6), zone="Asia/Tokyo")


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
        pytest.param("2026-06-13 25:00", date(2026, 6, 13), id="no such time"),
        pytest.param("0001-01-01 00:00", date(1, 1, 1), id="no day before"),
    ],
)
def test_entry_after_midnight_belongs_to_the_previous_evening(text: str, day: date) -> None:
    assert parse_stamp(text, AT_HOME) == day


NOW = date(2026, 11, 22)
YMD, MDY, DMY, NONE = DateOrder.YEAR_FIRST, DateOrder.MONTH_FIRST, DateOrder.DAY_FIRST, DateOrder.UNKNOWN


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("26-06-13", YMD, date(2026, 6, 13)),
        ("13/06/26", DMY, date(2026, 6, 13)),
        ("06/13/2026", MDY, date(2026, 6, 13)),
        ("６／１３／２６", MDY, date(2026, 6, 13)),
        ("13.6.99", DMY, date(1999, 6, 13)),
        ("13.6.27", DMY, date(2027, 6, 13)),
        ("13.6.28", DMY, date(1928, 6, 13)),
        ("26-06-13 01:30", YMD, date(2026, 6, 13)),
        ("3/4", DMY, date(2026, 4, 3)),
    ],
)
def test_order_that_was_said_reads_a_date(text: str, order: DateOrder, day: date) -> None:
    assert parse_date(text, DateReading(NOW, order)) == day


def test_numbers_in_another_order_are_not_a_day() -> None:
    assert ambiguous("2026-06-13") is None
    assert in_order((13, 6, 2026), YMD, NOW) is None
    assert in_order((13, 6, 2026), MDY, NOW) is None
    assert in_order((13, 6, 2026), NONE, NOW) is None


@pytest.mark.parametrize(
    ("texts", "order", "is_sure"),
    [
        pytest.param([], NONE, False, id="no dates"),
        pytest.param(["2026-06-13", "6月13日", "x"], NONE, False, id="dates that need no order"),
        pytest.param(["06/05/2026", "06/13/2026"], MDY, True, id="one row settles it for months"),
        pytest.param(["05/06/2026", "13/06/2026"], DMY, True, id="one row settles it for days"),
        pytest.param(["05/12/2026", "12/05/2026"], DMY, False, id="one is in the future either way"),
        pytest.param(["01/12/2026", "02/03/2026", "01/02/2026"], MDY, True, id="a day that has not come"),
        pytest.param(["05/06/2026", "06/06/2026"], DMY, False, id="closer together"),
        pytest.param(["26-05-10", "26-05-03", "26-05-17"], YMD, True, id="years apart otherwise"),
        pytest.param(["11/21/2025", "21/11/2025"], NONE, False, id="both ways"),
        pytest.param(["31/12/25", "30/12/25"], DMY, True, id="no other calendar"),
        pytest.param(["3/4", "17/4"], DMY, True, id="a month there is not"),
        pytest.param(["3.4.", "1.5."], DMY, True, id="full stops of days"),
        pytest.param(["3/4", "4/17"], NONE, False, id="months first without a year"),
    ],
)
def test_file_shows_the_order_of_its_dates(texts: list[str], order: DateOrder, is_sure: bool) -> None:
    found = guess_order(texts, NOW)
    assert (found.order, found.is_sure) == (order, is_sure)


@given(
    st.lists(st.dates(date(2025, 11, 22), NOW), min_size=1, max_size=30),
    st.sampled_from(["%y-%m-%d", "%d/%m/%y", "%m/%d/%Y"]),
)
def test_days_are_read_as_written_or_the_file_is_not_sure(days: list[date], written: str) -> None:
    days = sorted(days)
    found = guess_order([day.strftime(written) for day in days], NOW)
    if found.is_sure:
        assert found.order is {"%y-%m-%d": YMD, "%d/%m/%y": DMY, "%m/%d/%Y": MDY}[written]
