"""Placements as boards store them."""

import pytest

from league.core.placements import halves_of, recent_placements


@pytest.mark.parametrize(("stored", "expected"), [(0, ()), (4, (4,)), (21341, (2, 1, 3, 4, 1))])
def test_recent_placements_unpack(stored: int, expected: tuple[int, ...]) -> None:
    assert recent_placements(stored) == expected


@pytest.mark.parametrize(("placement", "sharing", "expected"), [(1, 1, 2), (4, 1, 8), (2, 2, 5), (1, 4, 5)])
def test_a_shared_placement_lies_in_the_middle_of_its_places(placement: int, sharing: int, expected: int) -> None:
    assert halves_of(placement, sharing) == expected
