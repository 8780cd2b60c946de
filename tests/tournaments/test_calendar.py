"""Days by a pattern: every Friday, all blocks on one day, everything at once."""

from datetime import date, time

import pytest

from tournaments.core.calendar import BlockDays, DayPattern, moments

FRIDAY = date(2026, 12, 4)
WANTED = [(1, "A"), (1, "B"), (2, "A"), (2, "B")]


def written(pattern: DayPattern, wanted: list[tuple[int, str]] = WANTED) -> list[str]:
    """Return the sessions as "1A 12-04 10:00"."""
    return [
        f"{each.number}{each.block} {each.day:%m-%d}" + (f" {each.start:%H:%M}" if each.start else "")
        for each in moments(pattern, wanted)
    ]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        pytest.param(
            DayPattern(FRIDAY), ["1A 12-04", "1B 12-11", "2A 12-18", "2B 12-25"], id="every Friday, block after block"
        ),
        pytest.param(
            DayPattern(FRIDAY, blocks=BlockDays.SAME_DAY, start=time(10)),
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
            DayPattern(FRIDAY, step=0, start=time(22)),
            ["1A 12-04 22:00", "1B 12-04 00:00", "2A 12-04 02:00", "2B 12-04 04:00"],
            id="after midnight still that evening",
        ),
    ],
)  # fmt: skip
def test_days_follow_the_pattern(pattern: DayPattern, expected: list[str]) -> None:
    assert written(pattern) == expected


def test_blocks_that_play_together_have_one_session_a_day() -> None:
    pattern = DayPattern(FRIDAY, blocks=BlockDays.TOGETHER)
    assert written(pattern, [(1, ""), (2, "")]) == ["1 12-04", "2 12-11"]


def test_season_of_seventy_five_sessions_is_planned_at_once() -> None:
    planned = list(moments(DayPattern(FRIDAY, step=7), [(number, "") for number in range(1, 76)]))
    assert len(planned) == 75
    assert {each.day.weekday() for each in planned} == {FRIDAY.weekday()}
    assert planned[-1].day == date(2028, 5, 5)
