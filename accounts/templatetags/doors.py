"""Tags for pages of signing in: where their buttons and links lead."""

from typing import Any

from allauth.account.utils import get_next_redirect_url
from django import template
from django.urls import reverse

register = template.Library()


@register.simple_tag
def service_url(key: str) -> str:
    """Return the address at which somebody sets out for a service."""
    return reverse(f"{key}_login")


@register.simple_tag(takes_context=True)
def next_or(context: dict[str, Any], name: str) -> str:
    """Return the page of this site that the visitor was on the way to, or the page of that name."""
    return get_next_redirect_url(context["request"]) or reverse(name)
