"""Pictures drawn with the one font that comes along: a machine without fonts draws the same bytes."""

from functools import cache
from math import ceil
from pathlib import Path

from django.conf import settings
from fontTools.ttLib import TTFont
from resvg_py import svg_to_bytes

from stats.core.cards import FAMILY, ShareCard, card_svg

FONT = Path(settings.BASE_DIR) / "static" / "vendor" / "fonts" / "NotoSansJP_500Medium.ttf"

UNKNOWN = ".notdef"


@cache
def _widths() -> tuple[dict[int, int], int, int]:
    """Return how wide each letter of the font is, how wide the box is for those it lacks, and how many make its height.

    Read once by each process that draws, in about a third of a second.
    """
    with TTFont(FONT, lazy=True) as font:
        metrics = font["hmtx"].metrics
        widths = {letter: metrics[glyph][0] for letter, glyph in font.getBestCmap().items()}
        return widths, metrics[UNKNOWN][0], font["head"].unitsPerEm


def measure(text: str, size: int) -> int:
    """Return how wide a text is in a size, in pixels, rounded up; letters are not moved together."""
    widths, unknown, units = _widths()
    return ceil(sum(widths.get(ord(letter), unknown) for letter in text) * size / units)


def card_png(card: ShareCard) -> bytes:
    return bytes(
        svg_to_bytes(
            svg_string=card_svg(card, measure),
            font_files=[str(FONT)],
            skip_system_fonts=True,
            font_family=FAMILY,
        )
    )
