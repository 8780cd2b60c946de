"""Devices that have logged in to an account before: told by a signed cookie, which opens nothing by itself."""

import secrets
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from league.services.log_in_limits import same_account

COOKIE = "tenbo_device"
SALT = "tenbo.known-device"
KNOWN_FOR = 60 * 60 * 24 * 365
MAX_ACCOUNTS = 10
"""So many accounts are known on one device; the one that was used longest ago goes first."""


def device_known_for(request: HttpRequest, account: str) -> str:
    """Return the name of the device, if it has logged in to this account; else nothing."""
    device, accounts = _read(request)
    return device if _mark(device, account) in accounts else ""


def device_of(request: HttpRequest) -> str:
    """Return the name of the device, whatever accounts are known on it; nothing if none ever was."""
    return _read(request)[0]


def know_device(request: HttpRequest, response: HttpResponse, account: str) -> None:
    """Have the browser remember that it has logged in to this account."""
    device, accounts = _read(request)
    device = device or secrets.token_urlsafe(12)
    mark = _mark(device, account)
    kept = [mark, *(each for each in accounts if each != mark)][:MAX_ACCOUNTS]
    response.set_cookie(
        COOKIE,
        signing.dumps([device, *kept], salt=SALT),
        max_age=KNOWN_FOR,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    """Return the device's name and the marks of its accounts; nothing where the cookie is none of ours."""
    try:
        found: Any = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=KNOWN_FOR)
    except signing.BadSignature:
        return "", []
    device, *accounts = found
    return device, accounts


def _mark(device: str, account: str) -> str:
    """Return what stands for an account in the cookie: whoever finds the device does not read the name in it."""
    return signing.Signer(key=device or "-", salt=SALT).signature(same_account(account))[:22]
