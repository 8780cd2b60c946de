"""Share pictures: what stands on one, and how it is laid out as an SVG. Nothing here draws or measures letters."""

from stats.core.cards.card import CardFigure, CardRow, ShareCard
from stats.core.cards.clipping import Measure, clipped
from stats.core.cards.layout import HEIGHT, WIDTH, card_svg
from stats.core.cards.text import card_text

__all__ = ["HEIGHT", "WIDTH", "CardFigure", "CardRow", "Measure", "ShareCard", "card_svg", "card_text", "clipped"]
