"""Tags for pages of signing in: where their buttons and links lead."""

from typing import Any

from allauth.account.utils import get_next_redirect_url
from django import template
from django.urls import reverse
from django.utils.translation import pgettext

from accounts.selectors.services import services

register = template.Library()


@register.simple_tag
def service_url(key: str) -> str:
    return reverse(f"{key}_login")


@register.simple_tag
def services_here() -> str:
    """Return the services by which somebody can come in here, in words; nothing where the host has keys of none."""
    return pgettext("between services", " and ").join(each.name for each in services())


@register.simple_tag(takes_context=True)
def next_or(context: dict[str, Any], name: str) -> str:
    return get_next_redirect_url(context["request"]) or reverse(name)
