"""Open-ended spans of days: displayed, stored with a job and read again."""

from datetime import date

import pytest

from league.core.periods import ALL_DAYS, DaySpan, span_of

MAY, JUNE = date(2026, 5, 1), date(2026, 6, 5)


@pytest.mark.parametrize(
    ("span", "said"),
    [
        (ALL_DAYS, ""),
        (DaySpan(MAY), "2026-05-01 –"),
        (DaySpan(None, MAY), "– 2026-05-01"),
        (DaySpan(MAY, JUNE), "2026-05-01 – 2026-06-05"),
    ],
)
def test_spans_are_said_and_read_again(span: DaySpan, said: str) -> None:
    assert str(span) == said
    assert span_of(span.parameters) == span


def test_invalid_day_is_not_a_range() -> None:
    with pytest.raises(ValueError, match="yesterday"):
        span_of({"first": "yesterday"})
