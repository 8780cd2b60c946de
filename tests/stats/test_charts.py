import itertools
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.core.charts.bars import box_plot, five_numbers, waterfall
from stats.core.charts.heat import calendar_months, level, rate_level
from stats.core.charts.lines import MAX_STEPS, MAX_STRIPS, Mark, line_plot, rank_plot, ranks_over_time
from stats.core.charts.scales import WIDTH, placed, scale_for, ticks


def test_waterfall_runs_from_zero_to_the_total() -> None:
    drawn = waterfall((20000, -30000, 15000))
    assert [(rise.before, rise.after, rise.points) for rise in drawn.rises] == [
        (0, 20000, 20000), (20000, -10000, -30000), (-10000, 5000, 15000),
    ]  # fmt: skip
    assert [(rise.left, rise.width, rise.end) for rise in drawn.rises] == [
        (333, 667, 1000), (0, 1000, 0), (0, 500, 500),
    ]  # fmt: skip
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
def test_box_plot_has_minimum_quartiles_and_maximum(values: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert five_numbers(values).in_order == expected


def test_box_plots_share_a_scale_with_zero() -> None:
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


@pytest.mark.parametrize(("count", "expected"), [(0, 0), (1, 1), (25, 1), (26, 2), (50, 2), (75, 3), (76, 4), (100, 4)])
def test_cell_shade_follows_the_share(count: int, expected: int) -> None:
    assert level(count, 100) == expected


@pytest.mark.parametrize(
    ("above", "expected"), [(0, 0), (29, 0), (30, 1), (45, 2), (54, 2), (55, 3), (70, 4), (100, 4)]
)
def test_cell_shade_follows_the_rate(above: int, expected: int) -> None:
    assert rate_level(above, 100) == expected


def test_calendar_lists_the_latest_month_first_in_weeks_from_monday() -> None:
    november, october = calendar_months({date(2025, 11, 21): 4, date(2025, 10, 31): 1}, date(2025, 11, 30), 2)
    assert [november.first, october.first] == [date(2025, 11, 1), date(2025, 10, 1)]
    assert [cell and cell.day.day for cell in november.weeks[0]] == [None] * 5 + [1, 2]
    friday = november.weeks[3][4]
    assert friday
    assert (friday.day, friday.count, friday.level) == (date(2025, 11, 21), 4, 4)
    assert [day.weekday() for day in november.week_days] == list(range(7))
    assert [(month.hanchan, month.evenings) for month in (november, october)] == [(4, 1), (1, 1)]
    assert [cell.level for week in october.weeks for cell in week if cell and cell.count] == [1]


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
def test_overlapping_labels_are_moved_apart(wanted: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert placed(wanted, 20, 10, 190) == expected


@given(st.lists(st.integers(0, 200), max_size=9))
def test_labels_keep_distance_and_order_inside_the_edges(wanted: list[int]) -> None:
    found = placed(wanted, 20, 10, 190)
    in_order = [height for _, height in sorted(zip(wanted, found, strict=True))]
    assert sorted(found) == in_order
    assert all(later - earlier >= 20 for earlier, later in itertools.pairwise(in_order))
    assert all(10 <= height <= 190 for height in found)


def test_surplus_labels_are_stacked() -> None:
    assert placed((30, 20, 10), 20, 10, 40) == (50, 30, 10)


def test_line_of_one_hanchan_starts_at_zero() -> None:
    drawn = line_plot([(0, 21700)], scale_for((21700,), 100, 10), (0, 20000))
    (line,) = drawn.lines
    assert line.path == "M250 90L750 10"
    assert line.last == Mark(750, 10, 1, 21700)
    assert [(strip.left, strip.width, strip.first, strip.last) for strip in drawn.strips] == [(500, 500, 1, 1)]
    assert (drawn.zero, [(tick.at, tick.label_y, tick.value) for tick in drawn.ticks]) == (
        90,
        [(90, 86, 0), (16, 12, 20000)],
    )
    assert drawn.label_steps(3) == ((1, 750),)


def test_line_has_no_marks_before_its_first_value() -> None:
    drawn = line_plot([(1, 2, 3), (None, None, 3), (None, None, None)], scale_for((3,), 100), (), has_start=False)
    assert [len(line.marks) for line in drawn.lines] == [3, 1, 0]
    assert drawn.lines[2].last is None
    assert [line.path for line in drawn.lines[1:]] == ["M833 0", ""]


@given(st.integers(2, 5000), st.booleans())
def test_tap_strips_cover_all_steps(steps: int, has_start: bool) -> None:
    drawn = line_plot([tuple(range(steps))], scale_for((steps,), 200), (), has_start=has_start)
    strips = drawn.strips
    assert len(strips) <= MAX_STRIPS
    assert strips[-1].left + strips[-1].width == WIDTH
    assert all(one.left + one.width == other.left for one, other in itertools.pairwise(strips))
    assert [strips[0].first, strips[-1].last] == [int(has_start), steps - 1]
    assert all(one.last + 1 == other.first for one, other in itertools.pairwise(strips))
    assert drawn.lines[0].path.count("L") < MAX_STEPS + MAX_STRIPS
    for strip, mark in zip(strips, drawn.lines[0].marks, strict=True):
        assert strip.left <= mark.x <= strip.left + strip.width
    # A unit is a third of a pixel on a phone; the minimum tap target is 24 pixels.
    assert min(strip.width for strip in strips) * 328 >= 24 * WIDTH


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        pytest.param({1: (5, 7), 2: (6, 6)}, {1: (2, 1), 2: (1, 2)}, id="one passes the other"),
        pytest.param({1: (5,), 2: (5,), 3: (4,)}, {1: (1,), 2: (1,), 3: (3,)}, id="equal ones share the better rank"),
        pytest.param({1: (5, 5), 2: (None, 9)}, {1: (1, 2), 2: (None, 1)}, id="no rank before the first points"),
    ],
)
def test_rank_history_has_a_rank_per_step(
    series: dict[int, tuple[int | None, ...]], expected: dict[int, tuple[int | None, ...]]
) -> None:
    assert ranks_over_time(series) == expected


def test_first_rank_is_on_top_and_grid_lines_are_few() -> None:
    drawn = rank_plot([(2, 1), (1, 2)], 100, 10)
    assert [line.path for line in drawn.lines] == ["M250 90L750 10", "M250 10L750 90"]
    assert [(tick.at, tick.value) for tick in drawn.ticks] == [(90, -2), (10, -1)]
    assert rank_plot([(1,), (2,)], 100, 10).zero is None, "zero is drawn only where it is on the scale"
    assert [tick.value for tick in rank_plot([(1, 180)], 300, 10).ticks] == [-150, -100, -50, -1]


def test_scale_holds_all_values_and_zero() -> None:
    scale = scale_for((20000, -10000), length=100, margin=10)
    assert [scale.y(value) for value in (20000, 0, -10000)] == [10, 63, 90]
    assert [scale.x(value) for value in (-10000, 0, 20000)] == [10, 37, 90]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        pytest.param((0, 40000), (0, 10000, 20000, 30000, 40000), id="points above zero"),
        pytest.param((-126100, 31000), (-100000, -50000, 0), id="points on both sides"),
        pytest.param((0, 1), (0,), id="nothing to speak of"),
    ],
)
def test_axis_ticks_are_round_numbers(values: tuple[int, ...], expected: tuple[int, ...]) -> None:
    assert ticks(scale_for(values, length=200)) == expected


@given(st.lists(st.integers(-(10**9), 10**9), max_size=6))
def test_axis_ticks_are_on_the_scale_and_include_zero(values: list[int]) -> None:
    scale = scale_for(values, length=200)
    marks = ticks(scale)
    assert 0 in marks
    assert len(marks) <= 5
    assert all(0 <= scale.y(value) <= 200 for value in marks)
