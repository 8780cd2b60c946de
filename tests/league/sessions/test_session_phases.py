"""What is planned, tonight's, under way, over and postponed is told apart."""

from datetime import UTC, date, datetime, timedelta

import pytest

from league.core.session_phases import SessionPhase, SessionSoFar, phase_of

TODAY = date(2025, 11, 21)
NOON = datetime(2025, 11, 21, 3, 0, tzinfo=UTC)
WEEK = timedelta(days=7)


@pytest.mark.parametrize(
    ("known", "phase"),
    [
        pytest.param(SessionSoFar(TODAY + WEEK), "planned", id="next week"),
        pytest.param(SessionSoFar(TODAY + WEEK, planned=8, missing=8), "planned", id="next week, with its tables"),
        pytest.param(SessionSoFar(TODAY + WEEK, is_postponed=True), "postponed", id="postponed to next week"),
        pytest.param(SessionSoFar(TODAY + WEEK, played=1), "running", id="a table was quicker than the day"),
        pytest.param(SessionSoFar(TODAY), "tonight", id="today, nothing played"),
        pytest.param(SessionSoFar(TODAY, begins=NOON + timedelta(minutes=1)), "tonight", id="before it starts"),
        pytest.param(SessionSoFar(TODAY, begins=NOON), "running", id="it starts"),
        pytest.param(SessionSoFar(TODAY, is_postponed=True), "tonight", id="the postponed table's day has come"),
        pytest.param(SessionSoFar(TODAY, played=1), "running", id="today, a result"),
        pytest.param(SessionSoFar(TODAY, played=2, planned=2), "running", id="the next hanchan may be planned later"),
        pytest.param(SessionSoFar(TODAY, played=2, planned=2, is_played_out=True), "over", id="all of it played"),
        pytest.param(SessionSoFar(TODAY, is_closed=True), "over", id="closed"),
        pytest.param(SessionSoFar(TODAY + WEEK, is_closed=True), "over", id="closed before its day"),
        pytest.param(SessionSoFar(TODAY - WEEK, played=3), "over", id="last week, left open"),
        pytest.param(SessionSoFar(TODAY - WEEK, played=3, planned=3), "over", id="last week, all results"),
        pytest.param(SessionSoFar(TODAY - WEEK, played=2, planned=3, missing=1), "awaited", id="a result is missing"),
        pytest.param(SessionSoFar(TODAY - WEEK), "awaited", id="last week, no result"),
        pytest.param(SessionSoFar(TODAY - WEEK, has_moved=True), "postponed", id="all its tables were moved"),
        pytest.param(SessionSoFar(TODAY, has_moved=True), "postponed", id="all of today's tables were moved"),
        pytest.param(SessionSoFar(TODAY, planned=1, missing=1, has_moved=True), "tonight", id="one table stays"),
        pytest.param(SessionSoFar(TODAY, played=4, is_withdrawn=True), "withdrawn", id="withdrawn"),
    ],
)
def test_session_is_as_far_as_its_day_and_its_results_say(known: SessionSoFar, phase: str) -> None:
    assert phase_of(known, today=TODAY, now=NOON) is SessionPhase(phase)
