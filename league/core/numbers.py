"""Numbers as people type them, as addresses carry them and as pages print them: rounded exactly, never floats."""

import unicodedata
from fractions import Fraction
from typing import TypeVar

T = TypeVar("T")

_MINUS = str.maketrans(dict.fromkeys("▲△▼−–—ー－‐", "-"))


def half_width(text: str) -> str:
    """Return a text with half-width digits and a plain minus for triangles, dashes and the long vowel mark."""
    # They are translated before NFKC so that none of them is lost on the way.
    return unicodedata.normalize("NFKC", text.translate(_MINUS)).translate(_MINUS)


def small_number(text: str, otherwise: T, digits: int = 18) -> int | T:
    """Return the number that a text of half-width digits means; `otherwise` for any other text.

    With more than 18 `digits` it would be more than a database takes for a primary key.
    """
    return int(text) if text.isascii() and text.isdigit() and len(text) <= digits else otherwise


def decimal_text(value: Fraction | int, digits: int) -> str:
    """Return a number with a fixed count of decimals, halves rounded away from zero: 2.325 -> "2.33"."""
    scale: int = 10**digits
    scaled = rounded(Fraction(value) * scale)
    whole, part = divmod(abs(scaled), scale)
    sign = "-" if scaled < 0 else ""
    return f"{sign}{whole}.{part:0{digits}d}" if digits else f"{sign}{whole}"


def rounded(value: Fraction) -> int:
    """Return the nearest whole number, halves away from zero."""
    size = int(abs(value) + Fraction(1, 2))
    return -size if value < 0 else size


def divided(amount: int, by: int) -> int:
    """Return the quotient rounded to the nearest whole number, halves up; `by` is positive."""
    return (2 * amount + by) // (2 * by)
