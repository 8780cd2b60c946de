"""What a player can be proud of, for the player's page."""

from django import template
from django.utils import timezone

from league.models import League, Player
from stats.messages import ACHIEVEMENTS, held_title_name
from stats.selectors.honours import Achieved, HeldTitle, Honours, honours_of

register = template.Library()


@register.simple_tag
def honours_for(league: League, player: Player) -> Honours:
    return honours_of(league, player, timezone.now())


@register.filter
def title_held(held: HeldTitle) -> str:
    """Return what a title is called that was held in periods of a kind: 月間MVP, 年間 4着回避率."""
    return held_title_name(held.key, held.own, held.kind)


@register.filter
def achievement_name(achieved: Achieved) -> str:
    return str(ACHIEVEMENTS[achieved.feat][0])


@register.filter
def achievement_about(achieved: Achieved) -> str:
    return str(ACHIEVEMENTS[achieved.feat][1])
