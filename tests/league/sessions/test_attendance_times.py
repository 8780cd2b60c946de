"""How many tables those who come give, and until when a session can be answered."""

from datetime import UTC, date, datetime, time, timedelta

import pytest

from league.core.attendance import TablesOfThose, answers_end, day_ends, tables_of


@pytest.mark.parametrize(
    ("coming", "size", "planned", "full", "short", "over"),
    [
        pytest.param(0, 4, 2, 0, 8, 0, id="nobody"),
        pytest.param(10, 4, 3, 2, 2, 0, id="two short of three tables"),
        pytest.param(12, 4, 3, 3, 0, 0, id="just enough"),
        pytest.param(14, 4, 3, 3, 0, 2, id="two take turns"),
        pytest.param(17, 4, 3, 4, 0, 1, id="a table more"),
        pytest.param(7, 3, 2, 2, 0, 1, id="tables of three"),
    ],
)
def test_those_who_come_give_tables(coming: int, size: int, planned: int, full: int, short: int, over: int) -> None:
    assert tables_of(coming, size, planned) == TablesOfThose(full, short, over)


def test_a_day_ends_where_the_league_says() -> None:
    ends = day_ends(date(2026, 3, 7), "Asia/Tokyo", time(6, 0))
    assert ends == datetime(2026, 3, 7, 21, 0, tzinfo=UTC)


def test_answers_end_at_the_start_or_before() -> None:
    ends = datetime(2026, 3, 7, 21, 0, tzinfo=UTC)
    begins, noon = ends - timedelta(hours=9), ends - timedelta(hours=20)
    assert answers_end(ends, None, None) == ends
    assert answers_end(ends, begins, None) == begins
    assert answers_end(ends, begins, noon) == noon
    assert answers_end(ends, begins, ends) == begins
