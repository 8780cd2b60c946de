"""When registration and check-in are open, and whether those who are there can be drawn: no database is needed."""

from datetime import UTC, datetime, timedelta

import pytest

from tournaments.core.calendar import Phase, fit_of, phase_of
from tournaments.core.format import Sizes

NOON = datetime(2026, 12, 4, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("begins", "ends", "phase"),
    [
        pytest.param(None, None, Phase.OPEN, id="neither"),
        pytest.param(NOON, None, Phase.OPEN, id="begins now"),
        pytest.param(NOON + HOUR, None, Phase.SOON, id="begins later"),
        pytest.param(None, NOON, Phase.OVER, id="ends now"),
        pytest.param(NOON - HOUR, NOON + HOUR, Phase.OPEN, id="in between"),
        pytest.param(NOON + HOUR, NOON - HOUR, Phase.OVER, id="closed by hand before it began"),
    ],
)
def test_phase_follows_the_two_moments(begins: datetime | None, ends: datetime | None, phase: Phase) -> None:
    assert phase_of(begins, ends, NOON) is phase


@pytest.mark.parametrize(
    ("number", "sizes", "missing", "to_fill", "left_over"),
    [
        pytest.param(14, Sizes(16, 16), 2, 2, 2, id="two short of sixteen"),
        pytest.param(16, Sizes(16, 16), 0, 0, 0, id="just sixteen"),
        pytest.param(18, Sizes(8, 1000), 0, 2, 2, id="two at no table"),
        pytest.param(0, Sizes(8, 1000), 8, 0, 0, id="nobody"),
    ],
)
def test_fit_says_what_is_missing(number: int, sizes: Sizes, missing: int, to_fill: int, left_over: int) -> None:
    fit = fit_of(number, sizes, 4)
    assert (fit.number, fit.missing, fit.to_fill, fit.left_over) == (number, missing, to_fill, left_over)
