from fractions import Fraction

from django import template
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from league.core.numbers import rounded
from league.core.periods import Period
from league.models import League, Player
from league.permissions import Person, hide_names
from league.templatetags.tenbo.numbers import NOTHING, points, rate, ratio, times
from stats.core.feats import Achieved
from stats.core.ratings.skill import MIN_HANCHAN
from stats.core.statistics import PROVISIONAL_BELOW
from stats.messages import about_of, held_title_name, name_of
from stats.models import PlayerRating
from stats.selectors.honours import HeldTitle, Honours, honours_of
from stats.selectors.records import MonthRecords, month_records

register = template.Library()

TENTH = 100
"""A tenth of a point in stored units."""


@register.simple_tag
def rating_of(player: Player) -> PlayerRating | None:
    """Return a player's ratings; None before the first rated hanchan."""
    return PlayerRating.objects.filter(player=player).first()


@register.filter
def is_provisional(rated: PlayerRating) -> bool:
    return rated.hanchan < MIN_HANCHAN


@register.filter
def rating(value: int) -> str:
    """Return a rating (1/1000) with one decimal, such as 1512.4; halves are rounded away from zero."""
    return f"{'−' if value < 0 else ''}{ratio(abs(value), 1000, decimals=1)}"


@register.filter
def rating_change(value: int) -> SafeString | str:
    return points(TENTH * rounded(Fraction(value, TENTH)))


@register.filter
def share_of(twelfths: int, hanchan: int) -> str:
    """Return a rate with its count, 31.7% (19); from few hanchan only the counts: 1 of 3."""
    if 0 < hanchan < PROVISIONAL_BELOW:
        return gettext("%(times)s of %(hanchan)s") % {"times": times(twelfths), "hanchan": hanchan}
    return f"{rate(twelfths, hanchan)} ({times(twelfths)})" if hanchan else NOTHING


@register.filter
def factor(value: int) -> str:
    return f"{value // 1000}.{value % 1000:03}"


@register.simple_tag
def honours_for(league: League, player: Player) -> Honours:
    return honours_of(league, player, timezone.now())


@register.filter
def title_held(held: HeldTitle) -> str:
    """Return the name of a title held in a kind of period: 月間MVP, 年間 ラス回避率."""
    return held_title_name(held.key, held.own, held.kind)


@register.filter
def achievement_name(achieved: Achieved) -> str:
    return name_of("achievement", achieved.feat)


@register.filter
def achievement_about(achieved: Achieved) -> str:
    return about_of("achievement", achieved.feat)


@register.simple_tag
def month_records_for(user: Person, league: League, period: Period) -> MonthRecords | None:
    found = month_records(league, period)
    if found:
        hide_names(user, league, found.players)
    return found
