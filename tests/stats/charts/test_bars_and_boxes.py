"""Waterfalls and boxes, each on the width of its picture."""

import pytest

from stats.core.charts.bars import waterfall
from stats.core.charts.boxes import box_plot, five_numbers


def test_waterfall_leads_from_nothing_to_the_total() -> None:
    drawn = waterfall((20000, -30000, 15000))
    assert [(rise.before, rise.after, rise.points) for rise in drawn.rises] == [
        (0, 20000, 20000), (20000, -10000, -30000), (-10000, 5000, 15000),
    ]  # fmt: skip
    assert [(rise.left, rise.width, rise.end) for rise in drawn.rises] == [
        (333, 667, 1000), (0, 1000, 0), (0, 500, 500),
    ]  # fmt: skip
    assert [(rise.top, rise.foot) for rise in drawn.rises] == [(3, 19), (19, 35), (35, 51)]
    assert drawn.height == 48
    assert [rise.is_fall for rise in drawn.rises] == [False, True, False]
    assert (drawn.zero, drawn.total.left, drawn.total.width) == (333, 333, 167)
    assert [(tick.at, tick.value) for tick in drawn.ticks] == [(0, -10000), (333, 0), (667, 10000), (1000, 20000)]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param((7,), (7, 7, 7, 7, 7), id="one"),
        pytest.param((1, 2), (1, 1, 2, 2, 2), id="two, halves upwards"),
        pytest.param((3, 1, 2, 5, 4), (1, 2, 3, 4, 5), id="five in any order"),
        pytest.param((0, 1000, 2000, 3000), (0, 750, 1500, 2250, 3000), id="between two in proportion"),
    ],
)
def test_five_numbers(values: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert five_numbers(values).in_order == expected


def test_boxes_share_a_scale_with_zero_on_it() -> None:
    drawn = box_plot([(10000, 20000, 30000), (-10000,)])
    assert (drawn.boxes[0].least, drawn.boxes[0].median, drawn.boxes[0].most, drawn.boxes[0].width) == (
        500,
        750,
        1000,
        250,
    )
    assert (drawn.boxes[1].median, drawn.boxes[1].width, drawn.zero) == (0, 0, 250)
    assert [tick.value for tick in drawn.ticks] == [0, 20000]
    assert drawn.boxes[0].numbers.count == 3
