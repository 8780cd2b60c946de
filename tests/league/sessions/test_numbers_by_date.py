"""Which numbers follow from the order of sessions, and from those that somebody typed."""

import pytest

from league.core.session_numbers import numbers_by_date


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ([None, None, None], [1, 2, 3]),
        ([None, 12, None], [1, 12, 13]),
        ([None, None, 2], [1, 3, 2]),
        ([3, 1, None], [3, 1, 4]),
        ([], []),
    ],
)
def test_numbers_go_on_from_what_was_typed_and_pass_over_it(typed: list[int | None], numbers: list[int]) -> None:
    assert numbers_by_date(typed) == numbers
