"""Placements as boards store them."""

import pytest

from league.core.placements import recent_placements


@pytest.mark.parametrize(("stored", "expected"), [(0, ()), (4, (4,)), (21341, (2, 1, 3, 4, 1))])
def test_recent_placements_unpack(stored: int, expected: tuple[int, ...]) -> None:
    assert recent_placements(stored) == expected
