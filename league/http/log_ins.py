"""The check of a password, for every page that asks for one."""

import logging
from typing import Any

from django.contrib.auth.backends import BaseBackend, ModelBackend
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from league.http.known_devices import device_known_for
from league.http.rate_limits import address_of
from league.permissions import let_in
from league.selectors.demo_accounts import is_known_to_everybody, is_shut_out
from league.services.demo_accounts import mark
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
        assert user is None or isinstance(user, User)
        if user is not None and is_known_to_everybody(username, password):
            # A demonstration that was made before its accounts were marked.
            mark([user])
        if user is not None and is_shut_out(user):
            logger.warning("Log-in as %.160r from %s refused: an account of the demo", username, attempt.address)
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
        """Return the user of a session; nobody for an account of the demo where this is none. One query."""
        return let_in().filter(pk=user_id).first()


def log_in_of(request: HttpRequest | None, account: str) -> LogIn:
    """Return who tries to log in through a request; without one, a program of the site's own."""
    if request is None:
        return LogIn(account, "")
    return LogIn(account, address_of(request), device_known_for(request, account))


def tries_are_over(request: HttpRequest) -> bool:
    """Return whether a password was not looked at because of the many before it."""
    return getattr(request, "tries_are_over", False)


def is_of_the_demo(request: HttpRequest) -> bool:
    """Return whether a password was right, and its account is one of the demo, which this site is not."""
    return getattr(request, "is_of_the_demo", False)
