"""Ratings in templates: the part of a player's page, and the numbers."""

from dataclasses import dataclass

from django import template
from django.utils.safestring import SafeString

from league.models import Player
from league.templatetags.tenbo.numbers import points
from stats.core.ratings.replay import RatingChange
from stats.core.ratings.skill import MIN_HANCHAN
from stats.models import PlayerRating
from stats.selectors.ratings import LATEST, changes_of, told_of

register = template.Library()

TENTH = 100
"""A tenth in stored units."""


@dataclass(frozen=True, slots=True)
class PlayerRatingCard:
    rating: PlayerRating
    is_provisional: bool
    latest: list[RatingChange]


@register.simple_tag
def rating_card_of(player: Player) -> PlayerRatingCard | None:
    """Return how a player is rated; None while nothing is known. Two queries."""
    rating = PlayerRating.objects.filter(player=player).first()
    if rating is None:
        return None
    return PlayerRatingCard(rating, rating.hanchan < MIN_HANCHAN, told_of(player, changes_of(player)[:LATEST]))


@register.filter
def rating(value: int) -> str:
    """Return a rating with one decimal: 1512.4. The stored unit is 1/1000, halves go away from zero."""
    whole, tenth = divmod(_tenths(abs(value)), 10)
    return f"{'−' if value < 0 else ''}{whole}.{tenth}"


@register.filter
def rating_change(value: int) -> SafeString | str:
    """Return by how much a rating changed, with its sign and one decimal: +12.3."""
    return points(TENTH * _tenths(abs(value)) * (-1 if value < 0 else 1))


@register.filter
def factor(value: int) -> str:
    return f"{value // 1000}.{value % 1000:03}"


def _tenths(size: int) -> int:
    return (2 * size + TENTH) // (2 * TENTH)
