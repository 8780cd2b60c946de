"""Parsing of raw scores, sticks and chips as typed at the table; fills in the missing score."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from league.core.limits import MAX_CHIPS, MAX_RAW_SCORE
from league.core.numbers import plain_number
from scoring.core.hanchan import MOST_STICKS_OFFERED, STICK

_UNIT = re.compile(r"点(?!\d)|pts?$", re.IGNORECASE)
_SUM = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[+-]\d+(?:\.\d+)?)*", re.ASCII)
_TERM = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)

HUNDREDS_DIGITS = 4
"""Numbers with up to this many digits are hundreds (317 → 31,700); longer ones are points (31700)."""


class RawScoreError(ValueError):
    """A score that cannot be read. `code`: "empty", "unreadable", "not_hundreds", "too_large" or "out_of_range"."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text


@dataclass(frozen=True, slots=True)
class ScoreText:
    """A typed score and its possible readings.

    `points`: the usual reading. `in_points`: the reading as plain points, if different: `1000` is 100,000, but 1,000
    next to scores typed in points. `is_points`: the number can only be in points.
    """

    points: int
    in_points: int | None = None
    is_points: bool = False


def read_score_text(text: str) -> ScoreText:
    """Parse `317`, `31,700`, `31.7`, `３１７`, `▲15` or `250+80-39`.

    Up to four digits are hundreds, five or more are points, decimals are thousands. Raise RawScoreError.
    """
    number = plain(text)
    if not number:
        raise RawScoreError("empty", text)
    if not _SUM.fullmatch(number):
        raise RawScoreError("unreadable", text)
    terms = _TERM.findall(number)
    points = sum(_term_in_points(term, text) for term in terms)
    if abs(points) > MAX_RAW_SCORE:
        raise RawScoreError("too_large", text)
    is_points = any("." not in term and len(term.lstrip("+-")) > HUNDREDS_DIGITS for term in terms)
    in_points = sum(int(term) for term in terms) if "." not in number and not is_points else points
    return ScoreText(points, None if in_points == points or in_points % 100 else in_points, is_points)


def scores_together(texts: Sequence[ScoreText | None], expected: int) -> tuple[int | None, ...]:
    """Choose the reading of each score so that the total is `expected`; sticks are not counted.

    If no combination fits, short numbers are read as points if they stand next to scores typed in points or exceed the
    table's total.
    """
    if fitting := _fitting(texts, expected):
        return fitting
    writes_points = any(text is not None and text.is_points for text in texts)
    return tuple(text if text is None else _by_itself(text, expected, writes_points=writes_points) for text in texts)


def _fitting(texts: Sequence[ScoreText | None], expected: int) -> tuple[int, ...] | None:
    """Return the combination that adds up: all usual, all in points, or with as few in points as possible."""
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        return None
    usual = tuple(text.points for text in known)
    in_points = tuple(text.points if text.in_points is None else text.in_points for text in known)
    choices = product(*zip(usual, in_points, strict=True))
    mixed = sorted(choices, key=lambda raw: sum(one != other for one, other in zip(raw, usual, strict=True)))
    return next((raw for raw in (usual, in_points, *mixed) if sum(raw) == expected), None)


def _by_itself(text: ScoreText, expected: int, *, writes_points: bool) -> int:
    if text.in_points is None:
        return text.points
    return text.in_points if writes_points or 0 < expected <= abs(text.points) else text.points


def plain(text: str) -> str:
    """Normalise a typed number: no unit, half-width digits, decimal point."""
    return _UNIT.sub("", plain_number(text))


def _term_in_points(term: str, text: str) -> int:
    sign = -1 if term.startswith("-") else 1
    whole, _, fraction = term.lstrip("+-").partition(".")
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


_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")


def parse_whole(text: str) -> int:
    """Parse a small integer such as a number of chips: `３`, `▲2`, `+1`. Raise RawScoreError."""
    number = plain(text)
    if not number:
        raise RawScoreError("empty", text)
    if not _WHOLE.fullmatch(number) or abs(int(number)) > MAX_CHIPS:
        raise RawScoreError("unreadable", text)
    return int(number)


@dataclass(frozen=True, slots=True)
class SumCheck:
    """Whether scores and sticks add up.

    `missing_sticks`: leftover riichi sticks that would explain the difference; 0 if a typing error is as likely.
    """

    total: int
    expected: int
    missing_sticks: int = 0

    @property
    def difference(self) -> int:
        return self.total - self.expected

    @property
    def adds_up(self) -> bool:
        return self.difference == 0


def check_sum(raw: Sequence[int], sticks_left: int, start_points: int) -> SumCheck:
    total, expected = sum(raw) + STICK * sticks_left, len(raw) * start_points
    return SumCheck(total, expected, _missing_sticks(raw, sticks_left, expected - total))


def _missing_sticks(raw: Sequence[int], sticks_left: int, missing: int) -> int:
    sticks, rest = divmod(missing, STICK)
    if rest or not 0 < sticks <= MOST_STICKS_OFFERED - sticks_left:
        return 0
    return 0 if any(_lacks_digit(score, missing) for score in raw) else sticks


def _lacks_digit(score: int, missing: int) -> bool:
    """Return whether a missing or extra digit would explain the difference: 5 for 15, ▲15 for ▲5.

    A wrong digit is not considered: 317 and 327 differ by exactly one stick.
    """
    meant = score + missing
    if (score < 0) != (meant < 0):
        return False
    short, long = sorted((str(abs(points) // 100) for points in (score, meant)), key=len)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


def mistaken_unit(raw: Sequence[int], expected: int) -> str:
    """Return the unit a row was probably typed in if it does not total `expected`.

    "points": a total near zero with negative values. "units": at least twice or at most half of `expected`. Otherwise
    "", e.g. if leftover sticks or a digit may explain it.
    """
    total = sum(raw)
    if abs(total) * 20 <= expected and min(raw) < 0:
        return "points"
    return "units" if total * 2 < expected or total > expected * 2 else ""


def fill_last(raw: Sequence[int | None], sticks_left: int, start_points: int) -> tuple[int | None, ...]:
    """Fill in the missing score if only one is missing.

    Nothing is filled in if the sticks exceed the table's total, e.g. 1000 typed for one stick.
    """
    missing = [seat for seat, score in enumerate(raw) if score is None]
    left = len(raw) * start_points - STICK * sticks_left
    if len(missing) != 1 or left < 0:
        return tuple(raw)
    rest = left - sum(score for score in raw if score is not None)
    return tuple(rest if score is None else score for score in raw)


@dataclass(frozen=True, slots=True)
class TypedScores:
    """Raw scores by seat, None if empty or invalid. `filled`: the seat whose score was filled in."""

    raw: tuple[int | None, ...]
    errors: Mapping[int, RawScoreError]
    filled: int | None
    check: SumCheck | None

    @property
    def missing(self) -> tuple[int, ...]:
        return tuple(seat for seat, score in enumerate(self.raw) if score is None and seat not in self.errors)

    @property
    def scores(self) -> tuple[int, ...] | None:
        known = tuple(score for score in self.raw if score is not None)
        return known if len(known) == len(self.raw) else None


def read_scores(texts: Sequence[str], sticks_left: int, start_points: int, *, fills: bool) -> TypedScores:
    """Parse the scores of a table; with `fills`, fill in the score if only one is empty."""
    read: list[ScoreText | None] = []
    errors = {}
    for seat, text in enumerate(texts):
        score = None
        try:
            score = read_score_text(text)
        except RawScoreError as error:
            if error.code != "empty":
                errors[seat] = error
        read.append(score)
    typed = scores_together(read, len(texts) * start_points - STICK * sticks_left)
    scores = fill_last(typed, sticks_left, start_points) if fills and not errors else typed
    filled = next((seat for seat, score in enumerate(scores) if score != typed[seat]), None)
    known = [score for score in scores if score is not None]
    check = check_sum(known, sticks_left, start_points) if len(known) == len(scores) else None
    return TypedScores(scores, errors, filled, check)


def read_chips(texts: Sequence[str]) -> tuple[int, ...]:
    """Return the chips by seat. If one field is empty it is filled in; if several are, they count as 0.

    Raise RawScoreError.
    """
    chips = [parse_whole(text) if text.strip() else None for text in texts]
    if all(count is None for count in chips):
        return ()
    known = sum(count for count in chips if count is not None)
    rest = -known if chips.count(None) == 1 else 0
    return tuple(rest if count is None else count for count in chips)


def read_counts(texts: Sequence[str], most: int) -> tuple[int, ...]:
    """Return a count by seat, or () if all are 0. Raise RawScoreError."""
    counts = tuple(read_count(text, most) for text in texts)
    return counts if any(counts) else ()


def read_count(text: str, most: int) -> int:
    if not text.strip():
        return 0
    count = parse_whole(text)
    if not 0 <= count <= most:
        raise RawScoreError("out_of_range", text)
    return count
