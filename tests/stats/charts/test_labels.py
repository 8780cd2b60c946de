"""Labels at the ends of lines never cover each other."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.core.charts.labels import placed


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        pytest.param((), (), id="nobody"),
        pytest.param((50, 100), (50, 100), id="room enough"),
        pytest.param((50, 50), (40, 60), id="two at the same height part"),
        pytest.param((60, 50, 55), (75, 35, 55), id="three push each other apart and keep their order"),
        pytest.param((0, 0), (10, 30), id="at the upper edge they go down"),
        pytest.param((200, 200, 195), (170, 190, 150), id="at the lower edge they go up"),
        pytest.param((90, 100, 10), (85, 105, 10), id="who is far away stays"),
        pytest.param((40, 60, 60), (33, 53, 73), id="a stack moves the one above it"),
    ],
)
def test_labels_are_placed(wanted: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert placed(wanted, 20, 10, 190) == expected


@given(st.lists(st.integers(0, 200), max_size=9))
def test_labels_keep_their_distance_their_order_and_the_edges(wanted: list[int]) -> None:
    found = placed(wanted, 20, 10, 190)
    in_order = [height for _, height in sorted(zip(wanted, found, strict=True))]
    assert sorted(found) == in_order
    assert all(later - earlier >= 20 for earlier, later in itertools.pairwise(in_order))
    assert all(10 <= height <= 190 for height in found)


def test_too_many_labels_stand_below_each_other() -> None:
    assert placed((30, 20, 10), 20, 10, 40) == (50, 30, 10)
