"""Raw scores as people write them. What a text means by itself, and what those of one table mean together."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from league.core.limits import MAX_RAW_SCORE
from league.core.numbers import plain_number
from scoring.core.hanchan import STICK

_UNIT = re.compile(r"点(?!\d)|pts?$", re.IGNORECASE)
_SUM = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[+-]\d+(?:\.\d+)?)*", re.ASCII)
_TERM = re.compile(r"[+-]?\d+(?:\.\d+)?", re.ASCII)

HUNDREDS_DIGITS = 4
"""Up to this many digits mean hundreds (317 → 31,700); more mean points (31700)."""


class RawScoreError(ValueError):
    """A text that is no raw score. `code` says why: "empty", "unreadable", "not_hundreds" or "too_large"."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code}: {text}")
        self.code = code
        self.text = text


@dataclass(frozen=True, slots=True)
class ScoreText:
    """What a text means: the `points` of its usual unit; `in_points` where whole points can be meant as well.

    `1000` is 100,000 by itself, and 1,000 beside others that are written in points. `is_points`: one of those others.
    """

    points: int
    in_points: int | None = None
    is_points: bool = False


def read_score_text(text: str) -> ScoreText:
    """Return everything that somebody can mean by `317`, `31,700`, `31.7`, `３１７`, `▲15` or `250+80-39`.

    By itself up to four digits are hundreds, five and more are points, a decimal point means thousands. Raises
    RawScoreError.
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
    """Return what the scores of a table mean: that by which they make up what is `expected`, sticks left aside.

    Where nothing does, or a score is missing, a short number is in points beside others that are, and where its
    hundreds would be all there is at the table.
    """
    if fitting := _fitting(texts, expected):
        return fitting
    writes_points = any(text is not None and text.is_points for text in texts)
    return tuple(text if text is None else _by_itself(text, expected, writes_points=writes_points) for text in texts)


def _fitting(texts: Sequence[ScoreText | None], expected: int) -> tuple[int, ...] | None:
    """Return the reading that adds up: all as usual, all in points, then with as few in points as possible."""
    known = [text for text in texts if text is not None]
    if len(known) < len(texts):
        return None
    usual = tuple(text.points for text in known)
    in_points = tuple(text.points if text.in_points is None else text.in_points for text in known)
    mixed = sorted(product(*zip(usual, in_points, strict=True)), key=lambda raw: _unlike(raw, usual))
    return next((raw for raw in (usual, in_points, *mixed) if sum(raw) == expected), None)


def _unlike(raw: Sequence[int], usual: Sequence[int]) -> int:
    return sum(one != other for one, other in zip(raw, usual, strict=True))


def _by_itself(text: ScoreText, expected: int, *, writes_points: bool) -> int:
    if text.in_points is None:
        return text.points
    return text.in_points if writes_points or 0 < expected <= abs(text.points) else text.points


def in_hundreds(points: int) -> str:
    """Return the digits of a score in hundreds, without its sign."""
    return str(abs(points) // 100)


def plain(text: str) -> str:
    """Return a number as typed without its unit, in half-width digits with a point for decimals."""
    return _UNIT.sub("", plain_number(text))


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
