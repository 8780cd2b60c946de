"""A sheet that is too large for one page."""

import pytest

from league.selectors.grid import parts


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], [range(0)]),
        ([{1, 2}], [range(1)]),
        ([{1, 2}, {3, 4}, {1, 3}], [range(3)]),
        ([{1, 2}, {3, 4}, {5, 1}, {5, 2}], [range(2), range(2, 4)]),
        ([{1}, {1}, {1}, {1}], [range(3), range(3, 4)]),
        ([{1, 2, 3, 4, 5}, {1}], [range(1), range(1, 2)]),
    ],
)
def test_parts_hold_all_rows_in_order(rows: list[set[int]], expected: list[range]) -> None:
    assert parts(rows, 3, 4) == expected
