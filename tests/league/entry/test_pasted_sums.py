"""Tables of sums as spreadsheets and papers have them."""

import pytest

from league.core.pasted_sums import FIGURES, read_sums


def rows(text: str) -> list[tuple[str, ...]]:
    return [(row.name, *(row.texts.get(figure, "") for figure in FIGURES)) for row in read_sums(text).rows]


WHOLE = [
    ("青木 一郎", "+107.4", "40", "12", "11", "9", "8"),
    ("石田", "▲4.5", "40", "10", "10", "10", "10"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "順位\t選手\tポイント\t半荘\t1着\t2着\t3着\t4着\n"
            "1\t青木 一郎\t+107.4\t40\t12\t11\t9\t8\n2\t石田\t▲4.5\t40\t10\t10\t10\t10\n",
            WHOLE,
            id="heads of a spreadsheet",
        ),
        pytest.param(
            "Name,4th,3rd,2nd,1st,Avg,Games,Points\n青木 一郎,8,9,11,12,2.33,40,+107.4\n石田,10,10,10,10,2.5,40,▲4.5\n",
            WHOLE,
            id="another order in English, with a column that is not asked for",
        ),
        pytest.param(
            "1位\t青木 一郎\t+107.4\t40\t12\t11\t9\t8\n2位\t石田\t▲4.5\t40\t10\t10\t10\t10\n",
            WHOLE,
            id="ranks, no heads",
        ),
        pytest.param("青木\t107.4\n石田\t-4.5", [("青木", "107.4", *[""] * 5), ("石田", "-4.5", *[""] * 5)], id="bare"),
        pytest.param(
            "選手\tポイント\t半荘\t1着\t2着\t3着\t4着\n青木\t12\t-\t―\t\t?\t不明\n合計\t12\n",
            [("青木", "12", *[""] * 5)],
            id="dashes where nobody knows, and a line of sums",
        ),
        pytest.param("", [], id="nothing"),
        pytest.param("いい日だった\n来月も\n", [], id="no table"),
    ],
)
def test_rows_of_a_pasted_table_are_read(text: str, expected: list[tuple[str, ...]]) -> None:
    assert rows(text) == expected


def test_lines_that_are_not_read_are_named() -> None:
    read = read_sums("選手\tポイント\n青木\t1\n\t5\n合計\t6\n石田\t\n")
    assert [row.name for row in read.rows] == ["青木"]
    assert read.ignored == (3, 4, 5)


def test_table_that_is_too_wide_is_no_table() -> None:
    assert read_sums("\t".join("x" * 501)).rows == ()
