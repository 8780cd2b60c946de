"""Logging in and out, and another password."""

from typing import Any

from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from allauth.account.models import Login
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import (
    LoginView,
    LogoutView,
    PasswordChangeView,
    PasswordResetConfirmView,
    PasswordResetView,
)
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render

from accounts.forms.signing import LogInForm, OtherPasswordForm, ResetForm
from accounts.http.again import asks_first
from accounts.http.beginning import waits_for_first_account
from accounts.http.invited import may_sign_up
from accounts.http.recovered import forget_recovery, has_recovered
from accounts.selectors.addressees import mails_are_on
from accounts.selectors.services import services
from league.http.known_devices import device_of, know_device
from league.http.log_ins import is_of_the_demo, tries_are_over
from league.http.rate_limits import address_of
from league.http.reauthentication import can_show
from league.services.log_in_limits import RETRY_AFTER, LogIn, may_send_reset


class LogInView(LoginView):
    form_class = LogInForm
    redirect_authenticated_user = True

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if waits_for_first_account():
            return redirect("accounts:begin")
        return super().dispatch(request, *args, **kwargs)

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        ways = {"sends_mail": mails_are_on(), "services": services(), "may_sign_up": may_sign_up(self.request)}
        return super().get_context_data(**kwargs) | ways

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        # Whoever has just typed the password is not asked for it again.
        record_authentication(self.request, user, method="password", reauthenticated=True)
        answer: HttpResponse = perform_login(self.request, Login(user=user, redirect_url=self.get_success_url()))
        know_device(self.request, answer, user.get_username())
        return answer

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Say that the two do not match, that the account is one of the demo, or that this was tried too often."""
        if is_of_the_demo(self.request):
            return render(self.request, "account/of_the_demo.html", status=403)
        if not tries_are_over(self.request):
            return super().form_invalid(form)
        answer = render(self.request, "registration/locked.html", {"sends_mail": mails_are_on()}, status=429)
        answer.headers["Retry-After"] = str(RETRY_AFTER)
        return answer


class LogOutView(LogoutView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Log out, and have the browser forget the pages that it kept; what a phone has not delivered stays."""
        answer = super().post(request, *args, **kwargs)
        answer.headers["Clear-Site-Data"] = '"cache"'
        assert isinstance(answer, HttpResponse)
        return answer


class ResetView(PasswordResetView):
    """The page that sends a mail for a new password, or says what to do where there is none."""

    form_class = ResetForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not mails_are_on():
            return render(request, "registration/no_mail.html")
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        """Send the mail, unless there were many; the answer is the same, whoever has an account here."""
        if may_send_reset(form.cleaned_data["email"], address_of(self.request)):
            return super().form_valid(form)
        return HttpResponseRedirect(self.get_success_url())


class NewPasswordView(PasswordResetConfirmView):
    """The page that the mail leads to, or the link that the host makes for somebody."""

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        """Keep the new password; whoever reads the mail of an account is no stranger to it, on this device."""
        answer = super().form_valid(form)
        account = form.user.get_username()
        know_device(self.request, answer, account)
        LogIn(account, address_of(self.request), device_of(self.request)).open_again()
        return answer


class OtherPasswordView(PasswordChangeView):
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Ask for the passkey where no old password is; what was typed is not kept meanwhile, but typed once more."""
        if not request.user.is_authenticated or has_recovered(request) or request.user.has_usable_password():
            return super().dispatch(request, *args, **kwargs)
        if request.method == "POST" and can_show(request) and not did_recently_reauthenticate(request):
            return redirect("password_change")
        shown: HttpResponseBase = asks_first(super().dispatch)(request, *args, **kwargs)
        return shown

    def get_form_class(self) -> type[Any]:
        """Ask for the old password, unless there is none or a recovery code stood in for it."""
        asks = self.request.user.has_usable_password() and not has_recovered(self.request)  # type: ignore[union-attr]
        return OtherPasswordForm if asks else SetPasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        """Keep the new password; the other devices are logged out."""
        forget_recovery(self.request)
        return super().form_valid(form)
