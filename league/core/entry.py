"""What people type at the table: raw scores in any of the usual ways, and whether they add up."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from league.core.limits import MAX_CHIPS, MAX_RAW_SCORE
from league.core.numbers import half_width

STICK = 1000
"""A riichi stick, in points."""

_NOISE = re.compile(r"[\s,、'_]|点|pts?$", re.IGNORECASE)
_WHOLE = re.compile(rf"[+-]?[0-9]{{1,{len(str(MAX_CHIPS))}}}")
_SUM = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[+-]\d+(?:\.\d+)?)*", re.ASCII)
_TERM = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)
"""Only half-width digits: other scripts' are read neither here nor by static/js/scores.js."""

HUNDREDS_DIGITS = 4
"""Up to this many digits mean hundreds (317 → 31,700); more mean points (31700)."""


class RawScoreError(ValueError):
    """A text that is no raw score. `code` says why: "empty", "unreadable", "not_hundreds" or "too_large"."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text


def parse_raw_score(text: str) -> int:
    """Return the points that somebody meant by `317`, `31,700`, `31.7`, `３１７`, `▲15` or `250+80-39`.

    Up to four digits are hundreds, five and more are points, a decimal point means thousands. Raises RawScoreError.
    """
    plain = _plain(text)
    if not plain:
        raise RawScoreError("empty", text)
    if not _SUM.fullmatch(plain):
        raise RawScoreError("unreadable", text)
    points = sum(_term_in_points(term, text) for term in _TERM.findall(plain))
    if abs(points) > MAX_RAW_SCORE:
        raise RawScoreError("too_large", text)
    return points


def parse_whole(text: str) -> int:
    """Return a small whole number such as a count of chips: `３`, `▲2`, `+1`. Raises RawScoreError."""
    plain = _plain(text)
    if not plain:
        raise RawScoreError("empty", text)
    if not _WHOLE.fullmatch(plain):
        raise RawScoreError("unreadable", text)
    return int(plain)


def _plain(text: str) -> str:
    return _NOISE.sub("", half_width(text))


def _term_in_points(term: str, text: str) -> int:
    sign = -1 if term.startswith("-") else 1
    digits = term.lstrip("+-")
    whole, _, fraction = digits.partition(".")
    if len(whole) + len(fraction) > len(str(MAX_RAW_SCORE)):
        raise RawScoreError("too_large", text)
    if fraction:
        points = int(whole) * STICK + int(fraction.ljust(3, "0")[:3])
        exact = not fraction[3:].strip("0")
    else:
        points = int(whole) * (100 if len(whole) <= HUNDREDS_DIGITS else 1)
        exact = True
    if not exact or points % 100:
        raise RawScoreError("not_hundreds", text)
    return sign * points


@dataclass(frozen=True, slots=True)
class SumCheck:
    """Whether the scores and the sticks on the table make up what the game began with."""

    total: int
    expected: int

    @property
    def difference(self) -> int:
        """Points too many (positive) or missing (negative)."""
        return self.total - self.expected

    @property
    def adds_up(self) -> bool:
        """Whether nothing is missing and nothing too many."""
        return self.difference == 0

    @property
    def missing_sticks(self) -> int:
        """How many riichi sticks would explain what is missing; 0 if sticks cannot explain it."""
        missing = -self.difference
        return missing // STICK if missing > 0 and missing % STICK == 0 else 0


def check_sum(raw: Sequence[int], sticks_left: int, start_points: int) -> SumCheck:
    """Return the check of the raw scores of all seats, with the sticks still on the table counted in."""
    return SumCheck(sum(raw) + STICK * sticks_left, len(raw) * start_points)


def fill_last(raw: Sequence[int | None], sticks_left: int, start_points: int) -> tuple[int | None, ...]:
    """Return the scores with the only missing one filled in so that they add up; unchanged if several are missing.

    More sticks than everybody began with are a slip, such as 1000 for one: nothing is worked out from them.
    """
    missing = [seat for seat, score in enumerate(raw) if score is None]
    left = len(raw) * start_points - STICK * sticks_left
    if len(missing) != 1 or left < 0:
        return tuple(raw)
    rest = left - sum(score for score in raw if score is not None)
    return tuple(rest if score is None else score for score in raw)
