"""Which hanchan a table plays next."""

import pytest

from league.core.limits import MAX_ROUND
from league.core.seating import next_round


@pytest.mark.parametrize(
    ("played", "planned", "following"),
    [
        ((), (), 1),
        ((1, 2), (), 3),
        ((), (3, 4), 3),  # postponed in the middle of a stage
        ((3,), (3, 4), 4),
        ((1, 3), (1, 2, 3), 2),  # one was left out
        ((1, 3), (1, 2, 3, 4), 4),
        ((1, 2), (1, 2), 3),
        ((MAX_ROUND,), (), MAX_ROUND),
    ],
)
def test_a_table_goes_on_by_its_plan(played: tuple[int, ...], planned: tuple[int, ...], following: int) -> None:
    assert next_round(played, planned) == following
