"""Sign-up, log-in, log-out, log-in codes by mail, recovery codes, and password changes."""

from contextlib import suppress
from typing import Any

from allauth.account.internal.flows.email_verification import send_verification_email_to_address
from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from allauth.account.internal.flows.signup import complete_signup
from allauth.account.mixins import NextRedirectMixin
from allauth.account.models import EmailAddress, Login
from allauth.account.views import ConfirmLoginCodeView, RequestLoginCodeView
from allauth.core.internal.httpkit import add_query_params
from allauth.socialaccount.views import SignupView as LibrarySignUpView
from django.conf import settings
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_required
from django.contrib.auth.forms import AuthenticationForm, PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render, resolve_url
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from django.views.generic.edit import FormView

from accounts.forms.signing import LogInForm, OtherPasswordForm, RecoverForm, ResetForm, SignUpForm
from accounts.http.again import asks_again, asks_first, forget_recovery, has_recovered, note_recovery
from accounts.http.invited import came_with, let_in, may_sign_up
from accounts.models import Invitation
from accounts.selectors.league_hooks import waits_for_first_account
from accounts.selectors.preferences import mails_are_on
from accounts.selectors.services import services
from accounts.services.invitations import WayInError, invitation_of
from accounts.services.recovery_codes import codes_left, new_codes, use_code
from league.http.log_ins import device_of, is_of_the_demo, know_device, log_in_of, tries_are_over
from league.http.rate_limits import address_of
from league.http.reauthentication import can_show
from league.services.log_in_limits import RETRY_AFTER, LogIn, may_send_reset, may_sign_up_from


class LogInView(auth_views.LoginView):
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
        # The user has just typed the password.
        record_authentication(self.request, user, method="password", reauthenticated=True)
        answer: HttpResponse = perform_login(self.request, Login(user=user, redirect_url=self.get_success_url()))
        know_device(self.request, answer, user.get_username())
        return answer

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Show the error: wrong name or password, a demo account, or too many attempts."""
        if is_of_the_demo(self.request):
            return render(self.request, "account/of_the_demo.html", status=403)
        if not tries_are_over(self.request):
            return super().form_invalid(form)
        return too_many(self.request, "registration/locked.html")


class LogOutView(auth_views.LogoutView):
    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Log out and clear the browser's cached pages. Unsent results stay on the phone."""
        answer = super().post(request, *args, **kwargs)
        answer.headers["Clear-Site-Data"] = '"cache"'
        assert isinstance(answer, HttpResponse)
        return answer


class ResetView(auth_views.PasswordResetView):
    form_class = ResetForm

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not mails_are_on():
            return render(request, "registration/no_mail.html")
        return super().dispatch(request, *args, **kwargs)

    def form_valid(self, form: PasswordResetForm) -> HttpResponse:
        """Send the mail unless rate limited. The response does not reveal whether the account exists."""
        if may_send_reset(form.cleaned_data["email"], address_of(self.request)):
            return super().form_valid(form)
        return HttpResponseRedirect(self.get_success_url())


class NewPasswordView(auth_views.PasswordResetConfirmView):
    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        """Save the password and mark the device as known, because the user has access to the account's mail."""
        answer = super().form_valid(form)
        account = form.user.get_username()
        know_device(self.request, answer, account)
        LogIn(account, address_of(self.request), device_of(self.request)).open_again()
        return answer


class OtherPasswordView(auth_views.PasswordChangeView):
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Require a passkey if there is no password to confirm. The form then has to be filled in again."""
        if not request.user.is_authenticated or has_recovered(request) or request.user.has_usable_password():
            return super().dispatch(request, *args, **kwargs)
        if request.method == "POST" and can_show(request) and not did_recently_reauthenticate(request):
            return redirect("password_change")
        shown: HttpResponseBase = asks_first(super().dispatch)(request, *args, **kwargs)
        return shown

    def get_form_class(self) -> type[Any]:
        """Ask for the old password, unless there is none or the user logged in with a recovery code."""
        asks = self.request.user.has_usable_password() and not has_recovered(self.request)  # type: ignore[union-attr]
        return OtherPasswordForm if asks else SetPasswordForm

    def form_valid(self, form: Any) -> HttpResponse:
        """Save the new password and log out all other devices."""
        forget_recovery(self.request)
        return super().form_valid(form)


class AskForCodeView(RequestLoginCodeView):  # type: ignore[misc]
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not mails_are_on():
            return redirect("password_reset")
        answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return answer


@method_decorator(sensitive_post_parameters("code"), name="dispatch")
class TypeCodeView(ConfirmLoginCodeView):  # type: ignore[misc]
    def form_valid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        if self.request.user.is_authenticated:
            know_device(self.request, answer, self.request.user.get_username())
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return the context. Takes the same time whether or not the account exists."""
        if self.stage.login.user is None:
            User.objects.filter(pk=0).first()
        told: dict[str, Any] = super().get_context_data(**kwargs)
        return told


@login_required
@asks_again
@require_http_methods(["GET", "HEAD", "POST"])
def recovery_codes(request: HttpRequest) -> HttpResponse:
    """Show how many codes are left. POST creates ten new codes and shows them once."""
    assert isinstance(request.user, User)
    codes = new_codes(request.user) if request.method == "POST" else []
    return render(request, "accounts/recovery_codes.html", {"codes": codes, "left": codes_left(request.user)})


@method_decorator(sensitive_post_parameters("code"), name="dispatch")
class RecoverView(FormView[RecoverForm]):
    form_class = RecoverForm
    template_name = "accounts/recover.html"

    def form_valid(self, form: RecoverForm) -> HttpResponse:
        """Log in and redirect to the new password form. Attempts share the rate limit of passwords."""
        name = form.cleaned_data["username"].strip()
        attempt = log_in_of(self.request, name)
        if not attempt.may_try():
            return too_many(self.request, "registration/locked.html")
        user = use_code(name, form.cleaned_data["code"])
        if user is None:
            form.add_error(None, _("Name and code do not match, or the code has already been used."))
            return self.form_invalid(form)
        attempt.succeeded()
        record_authentication(self.request, user, method="recovery_code", reauthenticated=True)
        answer: HttpResponse = perform_login(self.request, Login(user=user, redirect_url=reverse("password_change")))
        note_recovery(self.request)
        know_device(self.request, answer, user.get_username())
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"sends_mail": mails_are_on()}


class SignUpView(NextRedirectMixin, FormView[SignUpForm]):  # type: ignore[misc]
    """Sign up with a user name and a password or passkey. An e-mail address is optional."""

    form_class = SignUpForm
    template_name = "account/signup.html"

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Redirect logged-in users. Without an invitation, explain how to get one."""
        if request.user.is_authenticated:
            return HttpResponseRedirect(self.get_success_url())
        if not may_sign_up(request):
            return render(request, "account/signup_closed.html")
        return super().dispatch(request, *args, **kwargs)

    def get_default_success_url(self) -> str:
        return resolve_url(settings.LOGIN_REDIRECT_URL)

    def get_success_url(self) -> str:
        """Return the next page; that of an invitation in the language that may have been changed on the way."""
        url, join = str(super().get_success_url()), reverse("accounts:join_kept")
        return join if url.removeprefix("/en") == join.removeprefix("/en") else url

    def get_form_kwargs(self) -> dict[str, Any]:
        by_passkey = self.request.POST.get("by") == "passkey"
        return super().get_form_kwargs() | {"asks_mail": mails_are_on(), "by_passkey": by_passkey}

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"services": services(), "joins": self._invitation()}

    def form_valid(self, form: SignUpForm) -> HttpResponse:
        """Create the account, unless the rate limit for this address is reached."""
        if not may_sign_up_from(address_of(self.request)):
            return too_many(self.request, "account/signup_later.html")
        user = form.save()
        record_authentication(self.request, user, method="password", reauthenticated=True)
        answer: HttpResponse = complete_signup(self.request, user=user, redirect_url=self._way_on(form))
        if form.cleaned_data.get("email"):
            address = EmailAddress(user=user, email=form.cleaned_data["email"].lower())
            send_verification_email_to_address(self.request, address)
        know_device(self.request, answer, user.get_username())
        if invitation := self._invitation():
            # If that fails, the invitation's page, which comes next, says why.
            with suppress(WayInError):
                let_in(self.request, invitation, user)
        return answer

    def _invitation(self) -> Invitation | None:
        is_invited = self.get_success_url() == reverse("accounts:join_kept")
        return invitation_of(came_with(self.request)) if is_invited else None

    def _way_on(self, form: SignUpForm) -> str:
        """Return the URL of the next page: passkey creation, then e-mail verification, then the original page."""
        way_on: str = self.get_success_url()
        if form.cleaned_data.get("email"):
            way_on = add_query_params(reverse("account_email_verification_sent"), {"next": way_on})
        if form.by_passkey:
            way_on = add_query_params(reverse("mfa_add_webauthn"), {"next": way_on})
        return way_on


class ServiceSignUpView(LibrarySignUpView):  # type: ignore[misc]
    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Rate limit accounts created from external services. Redirect if no sign-up is pending."""
        if "socialaccount_sociallogin" not in request.session:
            return redirect("account_signup")
        if request.method == "POST" and not may_sign_up_from(address_of(request)):
            return too_many(request, "account/signup_later.html")
        answer: HttpResponseBase = super().dispatch(request, *args, **kwargs)
        return answer


def too_many(request: HttpRequest, template: str) -> HttpResponse:
    answer = render(request, template, {"sends_mail": mails_are_on()}, status=429)
    answer.headers["Retry-After"] = str(RETRY_AFTER)
    return answer
