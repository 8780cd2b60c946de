"""Logging in and out, and asking for a new password: Django's pages, with a limit on how often."""

from typing import Any

from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import Login
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, LogoutView, PasswordResetConfirmView, PasswordResetView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from league.http.known_devices import device_of, know_device
from league.http.log_ins import tries_are_over
from league.http.rate_limits import address_of
from league.services.log_in_limits import RETRY_AFTER, LogIn, may_send_reset


class LogInView(LoginView):
    """The log-in page."""

    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Log in, and know the device from now on."""
        user = form.get_user()
        # Whoever has just typed the password is not asked for it again.
        record_authentication(self.request, user, method="password", reauthenticated=True)
        answer: HttpResponse = perform_login(self.request, Login(user=user, redirect_url=self.get_success_url()))
        know_device(self.request, answer, user.get_username())
        return answer

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Say that the two do not match, or that this was tried too often."""
        if not tries_are_over(self.request):
            return super().form_invalid(form)
        answer = render(self.request, "registration/locked.html", status=429)
        answer.headers["Retry-After"] = str(RETRY_AFTER)
        return answer


class LogOutView(LogoutView):
    """The way out."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Log out, and have the browser forget the pages that it kept; what a phone has not delivered stays."""
        answer = super().post(request, *args, **kwargs)
        answer.headers["Clear-Site-Data"] = '"cache"'
        assert isinstance(answer, HttpResponse)
        return answer


class ResetView(PasswordResetView):
    """The page that sends a mail for a new password."""

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        """Send the mail, unless there were many; the answer is the same, whoever has an account here."""
        if may_send_reset(form.cleaned_data["email"], address_of(self.request)):
            return super().form_valid(form)
        return HttpResponseRedirect(self.get_success_url())


class NewPasswordView(PasswordResetConfirmView):
    """The page that the mail leads to."""

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        """Keep the new password; whoever reads the mail of an account is no stranger to it, on this device."""
        answer = super().form_valid(form)
        account = form.user.get_username()
        know_device(self.request, answer, account)
        LogIn(account, address_of(self.request), device_of(self.request)).open_again()
        return answer
