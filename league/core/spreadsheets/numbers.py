"""Numbers as spreadsheets and people write them."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache

from league.core.numbers import comma_of, plain_number
from scoring.core import parse_points
from scoring.core.hanchan import STICK

UNITS = (1, 100, 1000)
"""Raw scores are written in points (31700), hundreds (317) or thousands (31.7)."""

MAX_NUMBER_LENGTH = 40

_NOISE = re.compile(r"¥|(?:点|枚|本|pts?|ポイント)(?!\d)", re.IGNORECASE)
_STICKS = re.compile(r"供託|リーチ棒|リー棒|riichi|sticks?", re.IGNORECASE)
_BRACKETED = re.compile(r"\((.+)\)")
_NUMBER = re.compile(r"[+-]?(?:\d{1,12}(?:\.\d{0,12})?|\.\d{1,12})", re.ASCII)


class NumberError(ValueError):
    pass


def parse_number(text: str) -> Decimal | None:
    """Return the number of a cell such as `31,700`, `▲4.5`, `(1500)`, `＋２１.7pt`; None for an empty one or a dash.

    Raises NumberError.
    """
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
    """Return a whole number; None for an empty cell. Raises NumberError."""
    number = parse_number(text)
    if number is None:
        return None
    if number != int(number):
        raise NumberError(text)
    return int(number)


def parse_sticks(text: str) -> int | None:
    """Return how many riichi sticks a cell means, as their number or as their points: 2, 2000, `供託2000点`.

    None for an empty cell. Raises NumberError.
    """
    number = parse_count(_STICKS.sub("", text))
    return number // STICK if number is not None and number >= STICK and number % STICK == 0 else number


def parse_exact_points(text: str) -> int | None:
    """Return points in 1/1000 pt; None for an empty cell. Raises NumberError."""
    number = parse_number(text)
    if number is None:
        return None
    try:
        return parse_points(number)
    except ValueError as error:
        raise NumberError(text) from error


def parse_clear_points(text: str) -> int | None:
    """Return the same where no comma can be two things. Raises NumberError."""
    if comma_of([[text]]):
        raise NumberError(text)
    return parse_exact_points(text)


def in_points(number: Decimal, unit: int) -> int:
    """Return a raw score in points. Raises NumberError for a fraction of a point."""
    points = number * unit
    if points != int(points):
        raise NumberError(str(number))
    return int(points)


def guess_unit(tables: Iterable[Sequence[Decimal]], starts: Sequence[int]) -> int:
    """Return the unit in which the most tables have the sum of one of the `starts` (points at the beginning in all).

    Sticks left may be missing. Decided for the whole file: a cell alone cannot tell 317 from 317.
    """
    fits = dict.fromkeys(UNITS, 0)
    for numbers in tables:
        total = sum(numbers)
        for unit in UNITS:
            fits[unit] += any(0 <= start - total * unit <= start // 10 for start in starts)
    return max(UNITS, key=lambda unit: (fits[unit], unit == 1))
