"""Lines over shared steps: paths, what can be tapped, and the ends."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.core.charts.lines import MAX_STEPS, MAX_STRIPS, Mark, line_plot, path
from stats.core.charts.ranks import rank_plot, ranks_over_time
from stats.core.charts.scales import WIDTH, scale_for


def test_path_goes_up_when_points_go_up() -> None:
    scale = scale_for((0, 20000, -10000), length=100, margin=10)
    assert path([(0, 0), (500, 20000), (1000, -10000)], scale) == "M0 63L500 10L1000 90"


def test_path_has_a_gap_where_there_is_no_value() -> None:
    assert path([(0, None), (1, 0), (2, 0), (3, None), (4, 0)], scale_for((), 10)) == "M1 10L2 10M4 10"


def test_one_hanchan_leads_from_the_start_to_its_points() -> None:
    drawn = line_plot([(0, 21700)], scale_for((21700,), 100, 10), (0, 20000))
    (line,) = drawn.lines
    assert line.path == "M250 90L750 10"
    assert line.last == Mark(750, 10, 1, 21700)
    assert [(strip.left, strip.width, strip.first, strip.last) for strip in drawn.strips] == [(500, 500, 1, 1)]
    assert (drawn.zero, [(tick.at, tick.value) for tick in drawn.ticks]) == (90, [(90, 0), (16, 20000)])
    assert drawn.label_steps(3) == ((1, 750),)


def test_every_step_of_a_few_is_tapped_in_a_column_of_its_own() -> None:
    drawn = line_plot([(0, 1000, 2000, 1500)], scale_for((2000,), 100), ())
    assert [(strip.left, strip.width) for strip in drawn.strips] == [(250, 250), (500, 250), (750, 250)]
    assert [mark.x for mark in drawn.lines[0].marks] == [375, 625, 875]


def test_a_line_that_begins_later_has_no_marks_before() -> None:
    drawn = line_plot([(1, 2, 3), (None, None, 3), (None, None, None)], scale_for((3,), 100), (), has_start=False)
    assert [len(line.marks) for line in drawn.lines] == [3, 1, 0]
    assert drawn.lines[2].last is None
    assert drawn.lines[2].path == ""


def test_zero_is_drawn_only_where_it_is_on_the_scale() -> None:
    assert rank_plot([(1,), (2,)], 100, 10).zero is None


@given(st.integers(2, 5000), st.booleans())
def test_strips_divide_the_picture_and_every_step_is_in_one(steps: int, has_start: bool) -> None:
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
    # A unit is a third of a pixel on a phone; 24 pixels can be tapped.
    assert min(strip.width for strip in strips) * 328 >= 24 * WIDTH


@pytest.mark.parametrize(
    ("series", "expected"),
    [
        pytest.param({1: (5, 7), 2: (6, 6)}, {1: (2, 1), 2: (1, 2)}, id="one passes the other"),
        pytest.param({1: (5,), 2: (5,), 3: (4,)}, {1: (1,), 2: (1,), 3: (3,)}, id="equal ones share the better rank"),
        pytest.param({1: (5, 5), 2: (None, 9)}, {1: (1, 2), 2: (None, 1)}, id="no rank before the first points"),
    ],
)
def test_ranks(series: dict[int, tuple[int | None, ...]], expected: dict[int, tuple[int | None, ...]]) -> None:
    assert ranks_over_time(series) == expected


def test_first_rank_is_on_top() -> None:
    drawn = rank_plot([(2, 1), (1, 2)], 100, 10)
    assert [line.path for line in drawn.lines] == ["M250 90L750 10", "M250 10L750 90"]
    assert [(tick.at, tick.value) for tick in drawn.ticks] == [(90, -2), (10, -1)]


def test_many_ranks_have_few_lines() -> None:
    marked = [tick.value for tick in rank_plot([(1, 180)], 300, 10).ticks]
    assert marked == [-150, -100, -50, -1]
