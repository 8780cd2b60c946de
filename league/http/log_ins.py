"""Authentication by password, with rate limits and known devices."""

import logging
import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth.backends import BaseBackend, ModelBackend
from django.contrib.auth.models import User
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

from league.http.rate_limits import address_of
from league.permissions import let_in
from league.selectors.demo_accounts import is_shut_out
from league.services.log_in_limits import LogIn, same_account

logger = logging.getLogger(__name__)


class CarefulBackend(BaseBackend):
    """Checks passwords with rate limits. Permissions come from the other backends."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **_more: Any
    ) -> User | None:
        """Return the user if the password is right. Raise PermissionDenied if it is wrong or after too many tries."""
        if username is None or password is None:
            return None
        attempt = log_in_of(request, username)
        if not attempt.may_try():
            logger.warning("Log-in as %.160r from %s not tried: too many attempts", username, attempt.address)
            if request is not None:
                setattr(request, "tries_are_over", True)  # noqa: B010 - a request has no such field
            raise PermissionDenied
        user = ModelBackend().authenticate(request, username=username, password=password)
        assert user is None or isinstance(user, User)
        if user is not None and is_shut_out(user):
            logger.warning("Log-in as %.160r from %s refused: a demo account", username, attempt.address)
            if request is not None:
                setattr(request, "is_of_the_demo", True)  # noqa: B010 - a request has no such field
            raise PermissionDenied
        if user is None:
            logger.warning("Log-in as %.160r from %s failed", username, attempt.address)
            raise PermissionDenied
        attempt.succeeded()
        logger.info("Log-in as %.160r from %s", username, attempt.address)
        return user

    def get_user(self, user_id: int) -> User | None:
        """Return the session's user, or None for demo accounts outside the demo. One query."""
        return let_in().filter(pk=user_id).first()


def log_in_of(request: HttpRequest | None, account: str) -> LogIn:
    """Return the log-in attempt of a request; None stands for a command of the site."""
    if request is None:
        return LogIn(account, "")
    device, accounts = _read(request)
    known_device = device if _mark(device, account) in accounts else ""
    return LogIn(account, address_of(request), known_device)


def tries_are_over(request: HttpRequest) -> bool:
    """Return whether the password was not checked because of too many tries."""
    return getattr(request, "tries_are_over", False)


def is_of_the_demo(request: HttpRequest) -> bool:
    """Return whether the password was right but belongs to a demo account, and this site is not the demo."""
    return getattr(request, "is_of_the_demo", False)


COOKIE = "tenbo_device"
SALT = "tenbo.known-device"
KNOWN_FOR = 60 * 60 * 24 * 365
MAX_ACCOUNTS = 10
"""Accounts remembered per device; the least recently used one is dropped first."""


def device_of(request: HttpRequest) -> str:
    """Return the device's id, or ""."""
    return _read(request)[0]


def know_device(request: HttpRequest, response: HttpResponse, account: str) -> None:
    """Set a cookie that remembers the log-in to this account."""
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
    """Return the device's id and the hashes of its accounts; ("", []) if the cookie is missing or invalid."""
    try:
        found: Any = signing.loads(request.COOKIES.get(COOKIE, ""), salt=SALT, max_age=KNOWN_FOR)
    except signing.BadSignature:
        return "", []
    device, *accounts = found
    return device, accounts


def _mark(device: str, account: str) -> str:
    """Return a keyed hash of the account for the cookie, which does not reveal the user name."""
    return signing.Signer(key=device or "-", salt=SALT).signature(same_account(account))[:22]
