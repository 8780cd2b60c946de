"""Template tags for log-in, personal pages and new leagues: services, distances between ranks, first steps."""

from typing import Any

from allauth.account.utils import get_next_redirect_url
from django import template
from django.conf import settings
from django.urls import reverse
from django.utils.translation import pgettext

from accounts.messages.evenings import seat_words
from accounts.selectors.first_steps import first_steps, is_new
from accounts.selectors.league_hooks import waits_for_first_account
from accounts.selectors.services import services
from league.models import League, PlannedSeat
from league.tables.board import gap_text

register = template.Library()

register.simple_tag(first_steps, name="steps_of")
register.filter("is_new_league", is_new)


@register.simple_tag
def services_here() -> str:
    """Return the names of the external services available on this site, or ""."""
    return pgettext("between services", " and ").join(each.name for each in services())


@register.simple_tag(takes_context=True)
def next_or(context: dict[str, Any], name: str) -> str:
    return get_next_redirect_url(context["request"]) or reverse(name)


@register.simple_tag(takes_context=True)
def door(context: dict[str, Any]) -> str:
    """Return how the visitor can start a league: "in" (logged in), "first" (no account yet), "open" (sign-up) or "closed"."""
    if context["user"].is_authenticated:
        return "in"
    if waits_for_first_account():
        return "first"
    return "open" if settings.SIGNUP else "closed"


@register.filter
def seat_name(planned: PlannedSeat) -> str:
    return seat_words([(planned.round, planned.table, planned.seat)])


@register.filter
def distance(league: League, scores: int) -> str:
    """Return the difference between two scores in the unit of the league's boards, without a sign."""
    return gap_text(league, abs(scores))
