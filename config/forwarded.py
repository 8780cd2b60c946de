"""Where a request comes from, behind proxies that say so.

Each proxy adds the address of whoever asked it to the right of `X-Forwarded-For`. What stands further left than there are
proxies was written by the visitor, and is believed by nobody.
"""

from collections.abc import Callable
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class ForwardedMiddleware:
    """Gives the request the address of the visitor in place of that of the last proxy."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        """Return the answer."""
        if address := visitor_of(request.META.get("HTTP_X_FORWARDED_FOR", ""), settings.PROXIES):
            request.META["REMOTE_ADDR"] = address
        return self.get_response(request)


def visitor_of(forwarded: str, proxies: int) -> str:
    """Return the address that the first of so many proxies was asked from; empty where none of them said one."""
    said = [part.strip() for part in forwarded.split(",")]
    if not 0 < proxies <= len(said):
        return ""
    try:
        return str(ip_address(said[-proxies]))
    except ValueError:
        return ""
