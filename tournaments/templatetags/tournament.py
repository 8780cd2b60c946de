"""What templates need to show tournaments: words for states and places, and the tournaments of a league's home."""

from django import template

from league.models import League
from league.templatetags.tenbo import points_text
from tournaments.core.course import StageState
from tournaments.models import Tournament
from tournaments.selectors.page import reader_name, running_tournaments
from tournaments.wording.states import short_state, stage_state
from tournaments.wording.titles import stage_name

register = template.Library()

register.filter("reader_name", reader_name)
register.filter("stage_name", stage_name)


@register.filter
def state_words(state: str) -> str:
    """Return how far a stage is, in words."""
    return stage_state(StageState(state))


@register.filter
def short_words(state: str) -> str:
    """Return the same in a word or two, for the picture."""
    return short_state(StageState(state))


@register.filter
def svg_points(value: int | None) -> str:
    """Return points as plain text for the picture; nothing where there are none yet."""
    return "" if value is None else points_text(value)


@register.simple_tag
def running_in(league: League) -> list[Tournament]:
    """Return the tournaments of a league that are prepared or played."""
    return running_tournaments(league)
