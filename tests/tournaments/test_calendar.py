from datetime import UTC, date, datetime, time, timedelta

import pytest

from tournaments.core.calendar import BlockDays, DayPattern, Phase, RoundClock, moments, phase_of

FRIDAY = date(2026, 12, 4)
WANTED = [(1, "A"), (1, "B"), (2, "A"), (2, "B")]


def written(pattern: DayPattern, wanted: list[tuple[int, str]] = WANTED) -> list[str]:
    """Return the sessions as "1A 12-04 10:00"."""
    return [
        f"{each.number}{each.block} {each.date:%m-%d}" + (f" {each.start_time:%H:%M}" if each.start_time else "")
        for each in moments(pattern, wanted)
    ]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        pytest.param(
            DayPattern(FRIDAY), ["1A 12-04", "1B 12-11", "2A 12-18", "2B 12-25"], id="every Friday, block after block"
        ),
        pytest.param(
            DayPattern(FRIDAY, blocks=BlockDays.SAME_DAY, start=time(10), minutes=120),
            ["1A 12-04 10:00", "1B 12-04 12:00", "2A 12-11 10:00", "2B 12-11 12:00"],
            id="all blocks on one day, two hours apart",
        ),
        pytest.param(
            DayPattern(FRIDAY, step=0, start=time(9, 30), minutes=90),
            ["1A 12-04 09:30", "1B 12-04 11:00", "2A 12-04 12:30", "2B 12-04 14:00"],
            id="everything on one day",
        ),
        pytest.param(DayPattern(FRIDAY, step=14, start=time(19)), ["1A 12-04 19:00", "1B 12-18 19:00", "2A 01-01 19:00",
                     "2B 01-15 19:00"], id="every two weeks, into the new year"),
        pytest.param(
            DayPattern(FRIDAY, step=0, start=time(22), minutes=120),
            ["1A 12-04 22:00", "1B 12-04 00:00", "2A 12-04 02:00", "2B 12-04 04:00"],
            id="after midnight still that evening",
        ),
    ],
)  # fmt: skip
def test_session_days_follow_the_pattern(pattern: DayPattern, expected: list[str]) -> None:
    assert written(pattern) == expected


def test_blocks_playing_together_share_a_session() -> None:
    assert written(DayPattern(FRIDAY, blocks=BlockDays.TOGETHER), [(1, ""), (2, "")]) == ["1 12-04", "2 12-11"]


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
def test_phase_follows_opening_and_closing_times(begins: datetime | None, ends: datetime | None, phase: Phase) -> None:
    assert phase_of(begins, ends, NOON) is phase


BEGIN = datetime(2025, 11, 21, 12, tzinfo=UTC)
ROUND = RoundClock(timedelta(hours=1))


def later(minutes: int) -> datetime:
    return BEGIN + timedelta(minutes=minutes)


def test_stopped_timer_keeps_its_time() -> None:
    assert ROUND.left(later(500)) == timedelta(hours=1)
    assert ROUND.ends_at() is None
    assert ROUND.paused(BEGIN) is ROUND


def test_timer_excludes_pauses() -> None:
    clock = ROUND.started(BEGIN).paused(later(20)).started(later(90))
    assert clock.left(later(100)) == timedelta(minutes=30)
    assert clock.ends_at() == later(130)
    assert clock.started(later(110)) is clock
    assert clock.left(later(132)) == timedelta(minutes=-2)


def test_timer_ignores_a_server_clock_set_back() -> None:
    assert ROUND.started(BEGIN).gone(later(-10)) == timedelta()
