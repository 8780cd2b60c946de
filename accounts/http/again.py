"""Asking once more who is there, before something that matters."""

from collections.abc import Callable
from typing import TypeVar

from allauth.account.decorators import reauthentication_required
from django.http import HttpResponse

View = TypeVar("View", bound=Callable[..., HttpResponse])


def asks_again(view: View) -> View:
    """Return a page whose form asks for the password or a passkey, unless that was a moment ago."""
    asking: View = reauthentication_required(app="allauth.mfa", allow_get=True)(view)
    return asking
