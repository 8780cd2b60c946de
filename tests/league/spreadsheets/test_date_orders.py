"""In which order the dates of a file stand, as all of them together show it."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.spreadsheets.date_orders import OrderGuess, guess_order, hint_of
from league.core.spreadsheets.dates import DateOrder, DateReading, ambiguous, in_order, parse_date

TODAY = date(2026, 11, 22)
YEAR, MONTH, DAY, NONE = DateOrder.YEAR_FIRST, DateOrder.MONTH_FIRST, DateOrder.DAY_FIRST, DateOrder.UNKNOWN


@pytest.mark.parametrize(
    ("text", "order", "day"),
    [
        ("26-06-13", YEAR, date(2026, 6, 13)),
        ("13/06/26", DAY, date(2026, 6, 13)),
        ("06/13/2026", MONTH, date(2026, 6, 13)),
        ("６／１３／２６", MONTH, date(2026, 6, 13)),
        ("13.6.99", DAY, date(1999, 6, 13)),
        ("13.6.27", DAY, date(2027, 6, 13)),
        ("13.6.28", DAY, date(1928, 6, 13)),
        ("26-06-13 01:30", YEAR, date(2026, 6, 13)),
    ],
)
def test_order_that_was_said_reads_a_date(text: str, order: DateOrder, day: date) -> None:
    assert parse_date(text, DateReading(TODAY, order)) == day


def test_three_numbers_are_no_day_in_an_order_that_is_not_theirs() -> None:
    assert ambiguous("2026-06-13") is None
    assert in_order((13, 6, 2026), YEAR, TODAY) is None
    assert in_order((13, 6, 2026), MONTH, TODAY) is None
    assert in_order((13, 6, 2026), NONE, TODAY) is None


@pytest.mark.parametrize(
    ("texts", "order", "reason"),
    [
        pytest.param([], NONE, "", id="no dates"),
        pytest.param(["2026-06-13", "6月13日", "x"], NONE, "", id="dates that need no order"),
        pytest.param(["06/05/2026", "06/13/2026"], MONTH, "only", id="one row settles it for months"),
        pytest.param(["05/06/2026", "13/06/2026"], DAY, "only", id="one row settles it for days"),
        pytest.param(["26-06-13", "26-06-31", "26-05-31"], NONE, "", id="a slip settles nothing"),
        pytest.param(["05/12/2026", "12/05/2026", "01/10/2026"], NONE, "", id="months that are days too"),
        pytest.param(["01/12/2026", "02/03/2026", "01/02/2026"], MONTH, "only", id="a day that has not come"),
        pytest.param(["05/06/2026", "05/07/2026", "01/08/2026"], DAY, "sequence", id="one after the other"),
        pytest.param(["01/08/2026", "05/07/2026", "05/06/2026"], DAY, "sequence", id="the latest first"),
        pytest.param(["26-05-10", "26-05-03", "26-05-17"], YEAR, "span", id="years apart otherwise"),
        pytest.param(["26-05-10"], YEAR, "recent", id="years ago otherwise"),
        pytest.param(["11/21/2025", "21/11/2025"], NONE, "", id="both ways"),
        pytest.param(["31/12/25", "30/12/25"], DAY, "only", id="no other calendar"),
    ],
)
def test_file_shows_the_order_of_its_dates(texts: list[str], order: DateOrder, reason: str) -> None:
    found = guess_order(texts, TODAY)
    assert (found.order, found.reason) == (order, reason)
    assert found.is_sure == (reason in {"only", "sequence", "span"})


def test_date_that_settles_the_order_is_named() -> None:
    assert guess_order(["06/05/2026", "06/13/2026", "07/01/2026"], TODAY).shown_by == "06/13/2026"
    assert guess_order(["06/05/2026", "06/13/2026", "06/05/2026"], TODAY).dates == 2


def test_where_the_league_is_decides_last_and_only_as_a_guess() -> None:
    assert guess_order(["05/06/2026"], TODAY, DAY) == OrderGuess(DAY, "place", dates=1)
    assert guess_order(["05/06/2026"], TODAY, YEAR) == OrderGuess(dates=1)
    assert guess_order(["05/13/2026"], TODAY, DAY).order is MONTH


def test_one_slip_in_a_long_file_does_not_hide_the_order() -> None:
    days = [date(2026, 1, 1) + timedelta(days=3 * number) for number in range(100)]
    texts = [f"{day:%d/%m/%Y}" for day in days]
    texts[40] = "02/30/2026"
    assert guess_order(texts, TODAY).order is DAY


@pytest.mark.parametrize(
    ("zone", "order"), [("Asia/Tokyo", YEAR), ("America/New_York", MONTH), ("Europe/Berlin", DAY), ("Oceania/X", DAY)]
)
def test_people_write_dates_as_their_neighbours_do(zone: str, order: DateOrder) -> None:
    assert hint_of(zone) is order


@given(
    st.lists(st.dates(date(2000, 1, 1), TODAY), min_size=1, max_size=30),
    st.sampled_from(["%y-%m-%d", "%d/%m/%y", "%m/%d/%Y"]),
)
def test_days_are_read_as_written_or_the_file_is_not_sure(days: list[date], written: str) -> None:
    days = sorted(days)
    found = guess_order([day.strftime(written) for day in days], TODAY)
    if found.reason == "only":
        order = {"%y-%m-%d": YEAR, "%d/%m/%y": DAY, "%m/%d/%Y": MONTH}[written]
        assert found.order is order
