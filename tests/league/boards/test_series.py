"""Series of numbers: added up as they go along, thinned to what can be seen."""

from hypothesis import given
from hypothesis import strategies as st

from league.core.numbers import running, thinned


@given(st.integers(0, 400), st.integers(2, 50))
def test_thinned_steps_keep_both_ends(count: int, limit: int) -> None:
    kept = thinned(count, limit)
    assert len(kept) == len(set(kept)) == min(count, limit)
    if count:
        assert (kept[0], kept[-1]) == (0, count - 1)


def test_running_sums() -> None:
    assert running((1, -3, 5)) == (1, -2, 3)
