"""Which ways in this site has: what its host has set up decides, and what no host can take away."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest

from accounts.http.invited import came_with

NAMES = {"line": "LINE", "discord": "Discord"}


@dataclass(frozen=True, slots=True)
class Service:
    """Another service that knows who somebody is: the name of its addresses, and how people call it."""

    key: str
    name: str


def sends_mail() -> bool:
    """Return whether the host has mail; else no page may promise one."""
    return bool(settings.EMAIL_HOST)


def services() -> list[Service]:
    """Return the services for which the host has keys."""
    return [Service(key, name) for key, name in NAMES.items() if key in settings.SOCIALACCOUNT_PROVIDERS]


def may_sign_up(request: HttpRequest) -> bool:
    """Return whether the visitor may make an account: with an invitation, or where the host lets everybody."""
    return settings.SIGNUP or bool(came_with(request))
