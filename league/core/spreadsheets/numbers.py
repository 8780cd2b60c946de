"""Parsing of numbers in spreadsheet cells."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache

from league.core.numbers import plain_number
from scoring.core import parse_points
from scoring.core.hanchan import STICK

UNITS = (1, 100, 1000)
"""Possible units of raw scores: points (31700), hundreds (317), thousands (31.7)."""

MAX_NUMBER_LENGTH = 40

_NOISE = re.compile(r"¥|(?:点|枚|本|pts?|ポイント)(?!\d)", re.IGNORECASE)
_STICKS = re.compile(r"供託|リーチ棒|リー棒|riichi|sticks?", re.IGNORECASE)
_BRACKETED = re.compile(r"\((.+)\)")
_NUMBER = re.compile(r"[+-]?(?:\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})", re.ASCII)


class NumberError(ValueError):
    pass


def parse_number(text: str) -> Decimal | None:
    """Parse `31,700`, `▲4.5`, `(1500)` or `＋２１.7pt`; None if empty or a dash. Raise NumberError."""
    if len(text) > MAX_NUMBER_LENGTH:
        raise NumberError(text)
    return _parsed(text)


@lru_cache(maxsize=8192)
def _parsed(text: str) -> Decimal | None:
    # Spreadsheets also use the horizontal bar.
    plain = _NOISE.sub("", plain_number(text.replace("―", "-")))
    if found := _BRACKETED.fullmatch(plain):
        plain = f"-{found[1]}"
    if not plain.strip("-+"):
        return None
    if not _NUMBER.fullmatch(plain):
        raise NumberError(text)
    return Decimal(plain)


def parse_count(text: str) -> int | None:
    """Parse an integer; None if empty. Raise NumberError."""
    number = parse_number(text)
    if number is None:
        return None
    if number != int(number):
        raise NumberError(text)
    return int(number)


def parse_sticks(text: str) -> int | None:
    """Parse riichi sticks given as a number or in points: 2, 2000, `供託2000点`; None if empty.

    Raise NumberError.
    """
    number = parse_count(_STICKS.sub("", text))
    return number // STICK if number is not None and number >= STICK and number % STICK == 0 else number


def parse_exact_points(text: str) -> int | None:
    """Parse points in 1/1000 pt; None if empty. Raise NumberError."""
    number = parse_number(text)
    if number is None:
        return None
    try:
        return parse_points(number)
    except ValueError as error:
        raise NumberError(text) from error


def in_points(number: Decimal, unit: int) -> int:
    """Convert a raw score to points. Raise NumberError if the result is not an integer."""
    points = number * unit
    if points != int(points):
        raise NumberError(str(number))
    return int(points)


def guess_unit(tables: Iterable[Sequence[Decimal]], starts: Sequence[int]) -> int:
    """Return the unit in which most tables total one of `starts` (starting points of a table).

    Leftover sticks may be missing from the total. Decided for the whole file, as a single cell is ambiguous.
    """
    fits = dict.fromkeys(UNITS, 0)
    for numbers in tables:
        total = sum(numbers)
        for unit in UNITS:
            fits[unit] += any(0 <= start - total * unit <= start // 10 for start in starts)
    return max(UNITS, key=lambda unit: (fits[unit], unit == 1))
