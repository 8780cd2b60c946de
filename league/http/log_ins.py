"""The check of a password, for every page that asks for one."""

import logging
from typing import Any

from django.contrib.auth.backends import BaseBackend, ModelBackend
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from league.http.known_devices import device_known_for
from league.http.rate_limits import address_of
from league.services.log_in_limits import LogIn

logger = logging.getLogger(__name__)


class CarefulBackend(BaseBackend):
    """Checks passwords as Django does, so many in so much time. What people may do the other backends say."""

    def authenticate(
        self, request: HttpRequest | None, username: str | None = None, password: str | None = None, **_more: Any
    ) -> User | None:
        """Return the user whose password this is. Raises PermissionDenied for a wrong one, and for one too many."""
        if username is None or password is None:
            return None
        attempt = log_in_of(request, username)
        if not attempt.may_try():
            logger.warning("Log-in as %.160r from %s not tried: too many before it", username, attempt.address)
            if request is not None:
                setattr(request, "tries_are_over", True)  # noqa: B010 - a request has no such field
            raise PermissionDenied
        user = ModelBackend().authenticate(request, username=username, password=password)
        if user is None:
            logger.warning("Log-in as %.160r from %s failed", username, attempt.address)
            raise PermissionDenied
        attempt.succeeded()
        logger.info("Log-in as %.160r from %s", username, attempt.address)
        assert isinstance(user, User)
        return user

    def get_user(self, user_id: int) -> User | None:
        """Return the user of a session."""
        user = ModelBackend().get_user(user_id)
        assert user is None or isinstance(user, User)
        return user


def log_in_of(request: HttpRequest | None, account: str) -> LogIn:
    """Return who tries to log in through a request; without one, a program of the site's own."""
    if request is None:
        return LogIn(account, "")
    return LogIn(account, address_of(request), device_known_for(request, account))


def tries_are_over(request: HttpRequest) -> bool:
    """Return whether a password was not looked at because of the many before it."""
    return getattr(request, "tries_are_over", False)
