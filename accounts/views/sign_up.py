"""Making an account: with an invitation, or where the host lets everybody."""

from typing import Any

from allauth.account.internal.flows.email_verification import send_verification_email_to_address
from allauth.account.internal.flows.login import record_authentication
from allauth.account.internal.flows.signup import complete_signup
from allauth.account.mixins import NextRedirectMixin
from allauth.account.models import EmailAddress
from allauth.core.internal.httpkit import add_query_params
from allauth.socialaccount.views import SignupView as LibrarySignUpView
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.views.generic.edit import FormView

from accounts.forms.signing import SignUpForm
from accounts.http.invited import may_sign_up
from accounts.selectors.addressees import mails_are_on
from accounts.selectors.services import services
from league.http.known_devices import know_device
from league.http.rate_limits import address_of
from league.services.log_in_limits import RETRY_AFTER, may_sign_up_from


class SignUpView(NextRedirectMixin, FormView[SignUpForm]):  # type: ignore[misc]
    """A name, a password or a passkey, and that is all; an address for mail if they want."""

    form_class = SignUpForm
    template_name = "account/signup.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Lead on whoever has an account; say to others where an invitation comes from."""
        if request.user.is_authenticated:
            return HttpResponseRedirect(self.get_success_url())
        if not may_sign_up(request):
            return render(request, "account/signup_closed.html")
        return super().dispatch(request, *args, **kwargs)

    def get_default_success_url(self) -> str:
        """Return where somebody goes who came from nowhere: where a log-in leads."""
        return resolve_url(settings.LOGIN_REDIRECT_URL)

    def get_form_kwargs(self) -> dict[str, Any]:
        by_passkey = self.request.POST.get("by") == "passkey"
        return super().get_form_kwargs() | {"asks_mail": mails_are_on(), "by_passkey": by_passkey}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"services": services()}

    def form_valid(self, form: SignUpForm) -> HttpResponse:
        """Make the account, unless many were made from there."""
        if not may_sign_up_from(address_of(self.request)):
            return too_many(self.request)
        user = form.save()
        record_authentication(self.request, user, method="password", reauthenticated=True)
        way_on = self._way_on(form)
        answer: HttpResponse = complete_signup(self.request, user=user, redirect_url=way_on)
        if form.cleaned_data.get("email"):
            address = EmailAddress(user=user, email=form.cleaned_data["email"].lower())
            send_verification_email_to_address(self.request, address)
        know_device(self.request, answer, user.get_username())
        return answer

    def _way_on(self, form: SignUpForm) -> str:
        """Return the next page: the passkey that is still to be made, the code in the mail, then where they came from."""
        way_on: str = self.get_success_url()
        if form.cleaned_data.get("email"):
            way_on = add_query_params(reverse("account_email_verification_sent"), {"next": way_on})
        if form.by_passkey:
            way_on = add_query_params(reverse("mfa_add_webauthn"), {"next": way_on})
        return way_on


class ServiceSignUpView(LibrarySignUpView):  # type: ignore[misc]
    """The name of a new account, for whoever comes from another service."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Count the accounts that are made from there; without a service that sent somebody there is nothing to name."""
        if "socialaccount_sociallogin" not in request.session:
            return redirect("account_signup")
        if request.method == "POST" and not may_sign_up_from(address_of(request)):
            return too_many(request)
        answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return answer


def too_many(request: HttpRequest) -> HttpResponse:
    """Return the page for whoever comes from where many accounts were made just now."""
    answer = render(request, "account/signup_later.html", status=429)
    answer.headers["Retry-After"] = str(RETRY_AFTER)
    return answer
