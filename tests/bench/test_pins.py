"""Counts that miss their goal: pinned by name, nothing else is."""

from bench.pins import GROWTH, PINS, pinned
from bench.race import Row, count


def test_a_row_is_pinned_by_its_name_and_others_are_left_alone() -> None:
    [name, value] = next(iter(PINS.items())) if PINS else (f"{GROWTH}: nothing", None)
    rows = [count(name, 10**6, goal=0), count("another", 1, goal=0), Row("time", "", "", 9.0, 1.0)]
    assert [row.pin for row in pinned(rows)] == [value, None, None]
    assert [row.fails for row in pinned(rows)] == [True, True, False]
