"""Numbers as people type them and as addresses carry them."""

import unicodedata
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
