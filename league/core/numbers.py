"""Parsing and formatting of numbers: exact rounding, never floats."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")

_MINUS = str.maketrans(dict.fromkeys("▲△▼−–—ー－‐", "-"))


def half_width(text: str) -> str:
    """Convert a text to half-width; triangles, dashes and the long vowel mark become a plain minus."""
    # Translate before NFKC, which would otherwise turn some of them into other characters.
    return unicodedata.normalize("NFKC", text.translate(_MINUS)).translate(_MINUS)


THOUSANDS, DECIMAL, OPEN = "thousands", "decimal", "open"
"""Meanings of a comma followed by exactly three digits: thousands separator, decimal comma, undecided."""

_NUMBER = re.compile(r"\d[\d.,'’·・、_ ]*\d", re.ASCII)
_GROUPED = re.compile(r"(\d{1,3}(?:([,'_ ])\d{3})(?:\2\d{3})*)(?:\.(\d+))?", re.ASCII)
_POINT_GROUPED = re.compile(r"(\d{1,3}(?:([.'_ ])\d{3})(?:\2\d{3})*),(\d+)|(\d{1,3}(?:\.\d{3}){2,})", re.ASCII)
_COMMA = re.compile(r"(\d+),(\d+)", re.ASCII)
_EITHER = re.compile(r"[1-9]\d{0,2},\d{3}", re.ASCII)
_MARKS = str.maketrans({"’": "'", "、": ",", "·": ".", "・": "."})
_BESIDE = re.compile(r"(?<!\d)[\s'_]+|[\s'_]+(?!\d)", re.ASCII)
"""All patterns use re.ASCII, so that only half-width digits count, as in static/js/scores.js."""


def plain_number(text: str, comma: str = THOUSANDS) -> str:
    """Normalise a number: half-width digits, plain minus, decimal point, no thousands separators.

    A comma is a decimal comma unless exactly three digits follow; in that case `comma` decides. Invalid numbers keep
    their separators.
    """
    return _BESIDE.sub("", _NUMBER.sub(lambda found: _plain(found[0], comma), half_width(text)))


def _plain(number: str, comma: str) -> str:
    number = number.translate(_MARKS)
    if found := _POINT_GROUPED.fullmatch(number):
        whole, part = found[1] or found[4], found[3]
        return _digits(whole) + (f".{part}" if part else "")
    is_decimal = number.startswith("0,") or (comma == DECIMAL and _EITHER.fullmatch(number))
    if (found := _GROUPED.fullmatch(number)) and not is_decimal:
        return _digits(found[1]) + (f".{found[3]}" if found[3] else "")
    if found := _COMMA.fullmatch(number):
        return f"{found[1]}.{found[2]}"
    return number


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def comma_of(tables: Iterable[Sequence[str]]) -> str:
    """Return what a comma before three digits means in these tables: DECIMAL, THOUSANDS or OPEN; "" if there is none.

    Decided by the other separators in the numbers, or else by which reading makes the tables total 0.
    """
    told: set[str] = set()
    fitting = {THOUSANDS, DECIMAL}
    is_open = False
    for table in tables:
        numbers = [number for text in table for number in _numbers_in(text)]
        told |= {_told(number) for number in numbers} - {""}
        if any(map(_EITHER.fullmatch, numbers)):
            is_open = True
            level = {comma for comma in (THOUSANDS, DECIMAL) if _is_level(table, comma)}
            fitting &= level or fitting
    if not is_open:
        return ""
    found = told or fitting
    return found.pop() if len(found) == 1 else OPEN


@lru_cache(maxsize=8192)
def _numbers_in(text: str) -> tuple[str, ...]:
    return tuple(number.translate(_MARKS) for number in _NUMBER.findall(half_width(text)))


def _told(number: str) -> str:
    if "," not in number:
        return THOUSANDS if number.count(".") == 1 else ""
    if _EITHER.fullmatch(number):
        return ""
    return THOUSANDS if _GROUPED.fullmatch(number) and not number.startswith("0,") else DECIMAL


def _is_level(table: Sequence[str], comma: str) -> bool:
    typed = [text for text in table if text.strip()]
    try:
        return len(typed) > 1 and not sum(Decimal(plain_number(text, comma)) for text in typed)
    except InvalidOperation:
        return False


def small_number(text: str, otherwise: T, digits: int = 18) -> int | T:
    """Convert half-width digits to int; return `otherwise` for any other text.

    The default of 18 `digits` keeps the number within the range of a primary key.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else otherwise


def decimal_text(value: Fraction | int, digits: int) -> str:
    """Format a number with fixed decimals, halves rounded away from zero: 2.325 -> "2.33"."""
    scale: int = 10**digits
    scaled = rounded(Fraction(value) * scale)
    whole, part = divmod(abs(scaled), scale)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"


def rounded(value: Fraction) -> int:
    size = int(abs(value) + Fraction(1, 2))
    return -size if value < 0 else size


def divided(amount: int, by: int) -> int:
    """Divide and round to the nearest integer, halves up; `by` must be positive."""
    return (2 * amount + by) // (2 * by)


def thinned(count: int, limit: int) -> tuple[int, ...]:
    """Return at most `limit` evenly spaced indexes out of `count`, always including the first and the last."""
    if count <= limit:
        return tuple(range(count))
    return tuple(divided(number * (count - 1), limit - 1) for number in range(limit))
