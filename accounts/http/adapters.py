"""Adapters for allauth: client address, log-in stages and error texts."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.http.invited import may_sign_up
from league.http.rate_limits import address_of
from league.selectors.demo_accounts import is_shut_out
from league.services.log_in_limits import may_send_reset

NOWHERE = "0.0.0.0"  # noqa: S104 - placeholder for requests without an address


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """Accounts without a required e-mail address; any single log-in method is enough."""

    error_messages: dict[str, Any] = DefaultAccountAdapter.error_messages | {
        "duplicate_email": _("This is already your address."),
        "email_taken": _("Another account uses this address. Log in to that account, or enter a different address."),
        "incorrect_code": _("This code does not match the one in the e-mail. Enter it again."),
        "incorrect_password": _("Wrong password. Try again."),
        "rate_limited": _("Too many attempts. Wait 15 minutes."),
        "too_many_login_attempts": _("Too many attempts. Wait 15 minutes."),
        "username_taken": _("This name is taken. Choose another one."),
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return may_sign_up(request)

    def get_client_ip(self, request: HttpRequest) -> str:
        """Return the client address that rate limits count by."""
        return address_of(request).partition("/")[0] or NOWHERE

    def get_login_stages(self) -> list[str]:
        """Return the stages between log-in and page: e-mail verification if a code was requested."""
        return ["allauth.account.stages.LoginByCodeStage"]

    def get_reauthentication_methods(self, user: User | AnonymousUser) -> list[dict[str, Any]]:
        """Return the ways to confirm an identity, preferred first; empty for accounts with external services only."""
        ways = []
        if user.is_authenticated and user.has_usable_password():
            ways.append(("reauthenticate", _("Use password"), "account_reauthenticate"))
        if is_mfa_enabled(user, [Authenticator.Type.WEBAUTHN]):
            ways.append(("mfa_reauthenticate:webauthn", _("Use passkey"), "mfa_reauthenticate_webauthn"))
        return [{"id": key, "description": words, "url": reverse(name)} for key, words, name in ways]

    def pre_login(self, request: HttpRequest, user: User, **more: Any) -> HttpResponse | None:
        """Return an error page if a demo account logs in where the demo is off, with any log-in method."""
        if is_shut_out(user):
            return render(request, "account/of_the_demo.html", status=403)
        answer: HttpResponse | None = super().pre_login(request, user, **more)
        return answer

    def respond_user_inactive(self, request: HttpRequest, user: User) -> HttpResponse:
        del user
        return render(request, "account/account_inactive.html", status=403)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send a mail unless the mailbox or the visitor has reached its rate limit. The response is the same."""
        if may_send_reset(email, address_of(self.request)):
            super().send_mail(template_prefix, email, context)


class PasskeyAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Passkeys named by number by default."""

    error_messages: dict[str, Any] = DefaultMFAAdapter.error_messages | {
        "incorrect_code": _("This passkey is not registered here. Try again, or choose another way to log in."),
    }

    def generate_authenticator_name(self, user: User, type: str) -> str:  # noqa: A002 - the library calls it so
        number = Authenticator.objects.filter(user=user, type=type).count() + 1
        return gettext("Passkey %(number)d") % {"number": number}

    def _get_site_name(self) -> str:
        return "Tenbo"


class ServiceAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """External accounts are matched by their ID only.

    E-mail addresses reported by services are discarded, so they never match, connect or verify an account.
    """

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:
        """Discard the reported addresses before allauth uses them."""
        del request
        sociallogin.email_addresses = []

    def populate_user(self, request: HttpRequest, sociallogin: Any, data: dict[str, Any]) -> User:
        """Return the user to be created, with a suggested user name and no address."""
        del request
        told = sociallogin.account.extra_data
        user: User = sociallogin.user
        user.username = str(told.get("displayName") or data.get("name") or "")[:150]
        user.email = ""
        return user

    def can_authenticate_by_email(self, login: Any, email: str) -> bool:
        del login, email
        return False
