"""Numbers as people type them, half width or full."""

import unicodedata

_MINUS = str.maketrans(dict.fromkeys("▲△▼−–—ー－‐", "-"))


def half_width(text: str) -> str:
    """Return a text with half-width digits and a plain minus for triangles, dashes and the long vowel mark."""
    # They are translated before NFKC so that none of them is lost on the way.
    return unicodedata.normalize("NFKC", text.translate(_MINUS)).translate(_MINUS)
