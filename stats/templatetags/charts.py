"""Template tags for charts: positions as percentages, negated numbers, a player's charts."""

from collections.abc import Callable
from fractions import Fraction

from django import template

from league.core.numbers import rounded
from league.templatetags.tenbo.numbers import NOTHING, percent, points, ratio, signed
from stats.core.charts.scales import WIDTH
from stats.selectors.pictures import player_pictures

register = template.Library()

register.simple_tag(player_pictures, name="pictures_of")


@register.filter
def across(units: int) -> str:
    """Return a horizontal distance as a percentage of the picture's width: 12.3%."""
    whole, tenth = divmod(1000 * units // WIDTH, 10)
    return f"{whole}.{tenth}%"


@register.filter
def anchor(units: int) -> str:
    if units * 8 < WIDTH:
        return "start"
    return "end" if units * 8 > 7 * WIDTH else "middle"


@register.filter
def rank_of(turned: int) -> int:
    return -turned


@register.filter
def figure(value: int | None, kind: str) -> str:
    """Return a compared figure as text. `kind`: count, points, placement or rate; all but counts are in 1/1000."""
    return NOTHING if value is None else FIGURES[kind](value)


@register.filter
def figure_difference(value: int, kind: str) -> str:
    return DIFFERENCES[kind](value)


FIGURES: dict[str, Callable[[int], str]] = {
    "count": str,
    "points": points,
    "placement": lambda value: ratio(value, 1000, decimals=2),
    "rate": lambda value: percent(value, 1000),
}

DIFFERENCES: dict[str, Callable[[int], str]] = {
    "count": signed,
    "points": points,
    "placement": lambda value: points(10 * rounded(Fraction(value, 10)), 2),
    "rate": lambda value: points(100 * value),
}
