"""What allauth asks about this site: where somebody comes from, which steps a log-in has, and how its refusals read."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from league.http.rate_limits import address_of


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts as Tenbo has them: an address for mail is nobody's duty, and each way in is enough by itself."""

    error_messages: dict[str, Any] = DefaultAccountAdapter.error_messages | {
        "incorrect_password": _("That is not your password. Please try again."),
        "too_many_login_attempts": _("There were too many attempts. Please wait a quarter of an hour."),
    }

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return where a request comes from, as the limits of tries count it."""
        return address_of(request)

    def get_login_stages(self) -> list[str]:
        """Return what may stand between a log-in and the page: the code of a mail, where one was asked for."""
        return ["allauth.account.stages.LoginByCodeStage"]

    def get_reauthentication_methods(self, user: User | AnonymousUser) -> list[dict[str, Any]]:
        """Return by what somebody shows that it is still they, the usual first; nothing where only others know them."""
        ways = []
        if user.is_authenticated and user.has_usable_password():
            ways.append(("reauthenticate", _("Use the password"), "account_reauthenticate"))
        if is_mfa_enabled(user, [Authenticator.Type.WEBAUTHN]):
            ways.append(("mfa_reauthenticate:webauthn", _("Use a passkey"), "mfa_reauthenticate_webauthn"))
        return [{"id": key, "description": words, "url": reverse(name)} for key, words, name in ways]
