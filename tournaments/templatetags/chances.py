"""How chances are written."""

from django import template

from tournaments.messages.chances import band_text, calibration_text, percent, surprise_sentences
from tournaments.selectors.chances import how_it_was_drawn
from tournaments.selectors.hindsight import Surprise
from tournaments.selectors.names import reader_name

register = template.Library()

register.filter("in_percent", percent)
register.filter("how_it_was_drawn", how_it_was_drawn)
register.filter("calibration_sentence", calibration_text)
register.filter("band_label", band_text)


@register.filter
def surprise_sentence(surprise: Surprise) -> str:
    return surprise_sentences(reader_name(surprise.entry.player), surprise.looks, is_title=surprise.is_title)


@register.filter
def hundredth(likely: float) -> str:
    """Return how wide a bar of 100 is for a chance."""
    return f"{100 * likely:.1f}"
