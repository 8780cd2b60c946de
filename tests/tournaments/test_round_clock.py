"""The clock of a round: told by moments, so that no pause and no sleep makes it wrong."""

from datetime import UTC, datetime, timedelta

from tournaments.core.calendar import RoundClock

NOON = datetime(2025, 11, 21, 12, tzinfo=UTC)
HOUR = RoundClock(timedelta(hours=1))


def later(minutes: int) -> datetime:
    return NOON + timedelta(minutes=minutes)


def test_a_clock_that_stands_still_loses_nothing() -> None:
    assert HOUR.left(later(500)) == timedelta(hours=1)
    assert HOUR.ends_at() is None
    assert HOUR.paused(NOON) is HOUR


def test_pauses_are_no_part_of_the_round() -> None:
    clock = HOUR.started(NOON).paused(later(20)).started(later(90))
    assert clock.left(later(100)) == timedelta(minutes=30)
    assert clock.ends_at() == later(130)
    assert clock.started(later(110)) is clock


def test_a_table_has_its_extra_time_and_the_end_may_be_past() -> None:
    clock = HOUR.started(NOON)
    assert clock.left(later(62)) == timedelta(minutes=-2)
    assert clock.left(later(62), timedelta(minutes=5)) == timedelta(minutes=3)
    assert clock.ends_at(timedelta(minutes=5)) == later(65)


def test_a_clock_of_the_server_that_was_set_back_gives_no_time() -> None:
    assert HOUR.started(NOON).gone(later(-10)) == timedelta()
