"""Text that fits into its place on a picture."""

from collections.abc import Callable
from unicodedata import combining

Measure = Callable[[str, int], int]
"""How wide a text is in a size, both in pixels, rounded up."""

ELLIPSIS = "…"


def clipped(text: str, size: int, width: int, measure: Measure) -> str:
    """Return the text, or as much of its beginning as fits with … behind it; nothing where not even that fits."""
    if measure(text, size) <= width:
        return text
    fits, too_long = 0, len(text)
    while too_long - fits > 1:
        middle = (fits + too_long) // 2
        if measure(_cut(text, middle), size) <= width:
            fits = middle
        else:
            too_long = middle
    shown = _cut(text, fits)
    return shown if measure(shown, size) <= width else ""


def _cut(text: str, length: int) -> str:
    """Return so many letters with … behind them; no accent stays without its letter, and no blank before the dots."""
    while 0 < length < len(text) and combining(text[length]):
        length -= 1
    return text[:length].rstrip() + ELLIPSIS
