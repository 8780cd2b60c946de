"""Raw scores as written beside what their game began with: whether they add up, and what sticks would explain."""

from collections.abc import Sequence
from decimal import Decimal

from league.core.entry import check_sum
from league.core.spreadsheets.numbers import UNITS, NumberError, in_points
from scoring.core.hanchan import STICK


def adds_up(numbers: Sequence[Decimal], sticks: int, starts: Sequence[int]) -> bool:
    """Whether the scores and the sticks left make one of the `starts` (points at the beginning in all) in some unit."""
    total = sum(numbers)
    return any(total * unit + STICK * sticks in starts for unit in UNITS)


def sticks_missing(numbers: Sequence[Decimal], unit: int, sticks: int, starts: Sequence[int]) -> int:
    """Return how many more riichi sticks would make the scores add up; 0 where a slip explains it as well, or nothing."""
    try:
        raw = [in_points(number, unit) for number in numbers]
    except NumberError:
        return 0
    if adds_up(numbers, sticks, starts):
        return 0
    checks = (check_sum(raw, sticks, start // len(raw)) for start in starts if start % len(raw) == 0)
    return next((check.missing_sticks for check in checks if check.missing_sticks), 0)
