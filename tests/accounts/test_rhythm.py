from datetime import UTC, datetime, time, timedelta

import pytest

from accounts.core.rhythm import is_due_of_evening, is_due_soon, is_quiet, pause_after

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def ago(**past: int) -> datetime:
    return NOON - timedelta(**past)


@pytest.mark.parametrize(
    ("clock", "quiet"), [(time(22, 59), False), (time(23), True), (time(6, 59), True), (time(7), False)]
)
def test_nights_are_quiet(clock: time, quiet: bool) -> None:
    assert is_quiet(clock) is quiet


@pytest.mark.parametrize(
    ("oldest", "newest", "last", "due"),
    [
        pytest.param(ago(minutes=5), ago(minutes=5), None, False, id="something may still change"),
        pytest.param(ago(minutes=10), ago(minutes=10), None, True, id="nothing changed for ten minutes"),
        pytest.param(ago(minutes=60), ago(minutes=1), None, True, id="whoever changes things all the time delays no longer"),
        pytest.param(ago(minutes=30), ago(minutes=30), ago(minutes=59), False, id="something was told in this hour"),
        pytest.param(ago(minutes=30), ago(minutes=30), ago(minutes=60), True, id="an hour later"),
        pytest.param(ago(minutes=30), ago(minutes=30), NOON + timedelta(days=1), True, id="the clock was put back"),
    ],
)  # fmt: skip
def test_urgent_notice_is_sent_soon(oldest: datetime, newest: datetime, last: datetime | None, due: bool) -> None:
    assert is_due_soon(NOON, oldest, newest, last) is due


@pytest.mark.parametrize(
    ("newest", "last", "over", "due"),
    [
        pytest.param(ago(minutes=30), None, False, False, id="they may still play"),
        pytest.param(ago(minutes=30), None, True, True, id="somebody has closed the evening"),
        pytest.param(ago(hours=2), None, False, True, id="nobody entered anything for two hours"),
        pytest.param(ago(hours=2), ago(hours=11), True, False, id="the evening was told already"),
        pytest.param(ago(hours=2), ago(hours=12), True, True, id="the next evening"),
    ],
)
def test_session_is_announced_once(newest: datetime, last: datetime | None, over: bool, due: bool) -> None:
    assert is_due_of_evening(NOON, newest, last, is_over=over) is due


def test_a_mail_that_fails_is_tried_ever_less_often() -> None:
    pauses = [pause_after(tries) for tries in range(1, 12)]
    assert pauses[:3] == [timedelta(minutes=5), timedelta(minutes=15), timedelta(minutes=45)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == timedelta(hours=12)
