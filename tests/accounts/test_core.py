from datetime import UTC, datetime, time, timedelta

import pytest

from accounts.core.browsers import browser_of
from accounts.core.rhythm import is_due_of_evening, is_due_soon, is_quiet, pause_after

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def ago(**past: int) -> datetime:
    return NOON - timedelta(**past)


@pytest.mark.parametrize(
    ("clock", "quiet"), [(time(22, 59), False), (time(23), True), (time(6, 59), True), (time(7), False)]
)
def test_no_mail_is_sent_at_night(clock: time, quiet: bool) -> None:
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
def test_urgent_notice_is_due_in_an_hour(oldest: datetime, newest: datetime, last: datetime | None, due: bool) -> None:
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
def test_notice_of_a_session_is_due_once_over(newest: datetime, last: datetime | None, over: bool, due: bool) -> None:
    assert is_due_of_evening(NOON, newest, last, is_over=over) is due


def test_failed_mail_is_retried_with_growing_pauses() -> None:
    pauses = [pause_after(tries) for tries in range(1, 12)]
    assert pauses[:3] == [timedelta(minutes=5), timedelta(minutes=15), timedelta(minutes=45)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == timedelta(hours=12)


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) AppleWebKit Mobile Safari/604.1", "iPhone · Safari"),
        ("Mozilla/5.0 (Linux; Android 16) Chrome/150 Mobile Safari/537.36 Line/15.1", "Android · LINE"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/150 Safari/537.36 Edg/150", "Windows · Edge"),
        ("Mozilla/5.0 (Macintosh; Intel) Chrome/150 Safari/537.36", "Mac · Chrome"),
        ("Mozilla/5.0 (X11; Linux x86_64) Firefox/150", "Linux · Firefox"),
        ("curl/8.0", ""),
    ],
)
def test_device_is_named_after_its_system_and_browser(user_agent: str, name: str) -> None:
    assert browser_of(user_agent) == name
