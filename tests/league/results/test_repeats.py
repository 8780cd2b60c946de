"""When a result looks like one that is there already."""

from datetime import timedelta

import pytest

from league.core.results import Likeness, likeness, likeness_in_time, most_like

ONE = {"青木": 31700, "石田": 31300, "上野": 25500, "江口": 11500}


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param(ONE, Likeness.EQUAL, id="the same"),
        pytest.param(ONE | {"青木": 34700, "江口": 8500}, Likeness.NEAR, id="one digit and the score filled in for it"),
        pytest.param(ONE | {"青木": 31300, "石田": 31700}, Likeness.NEAR, id="two names changed round"),
        pytest.param(ONE | {"青木": 30700}, Likeness.NEAR, id="a stick less"),
        pytest.param(ONE | {"青木": 41700, "石田": 22300, "上野": 24500}, None, id="three scores differ"),
        pytest.param(ONE | {"小川": 11500}, None, id="five people"),
        pytest.param({"青木": 31700, "石田": 31300, "上野": 25500, "小川": 11500}, None, id="somebody else"),
    ],
)
def test_results_are_compared_by_who_had_what(other: dict[str, int], expected: Likeness | None) -> None:
    assert likeness(ONE, other) == expected
    assert likeness(other, ONE) == expected


@pytest.mark.parametrize(
    ("other", "minutes", "expected"),
    [
        pytest.param(ONE, 11 * 60, Likeness.EQUAL, id="equal ones of an evening"),
        pytest.param(ONE, 13 * 60, None, id="equal ones of another day"),
        pytest.param(ONE | {"青木": 30700}, 24, Likeness.NEAR, id="similar ones within a hanchan"),
        pytest.param(ONE | {"青木": 30700}, 25, None, id="similar ones of two hanchan"),
        pytest.param({"青木": 31700}, 0, None, id="others"),
    ],
)
def test_time_tells_hanchan_apart(other: dict[str, int], minutes: int, expected: Likeness | None) -> None:
    assert likeness_in_time(ONE, other, timedelta(minutes=minutes)) == expected


def test_the_most_similar_one_counts() -> None:
    near = ONE | {"青木": 30700}
    assert most_like(ONE, [near, ONE]) == Likeness.EQUAL
    assert most_like(ONE, [{"青木": 0}, near]) == Likeness.NEAR
    assert most_like(ONE, []) is None
