"""Which ways in this site has: what its host has set up decides, and what no host can take away."""

from django.conf import settings
from django.http import HttpRequest

from accounts.http.invited import came_with


def sends_mail() -> bool:
    """Return whether the host has mail; else no page may promise one."""
    return bool(settings.EMAIL_HOST)


def may_sign_up(request: HttpRequest) -> bool:
    """Return whether the visitor may make an account: with an invitation, or where the host lets everybody."""
    return settings.SIGNUP or bool(came_with(request))
