"""Recovery codes: shown once to whoever owns the account, and the way in when everything else is gone."""

from typing import Any

from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import Login
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods
from django.views.generic.edit import FormView

from accounts.forms.signing import RecoverForm
from accounts.http.again import asks_again
from accounts.http.recovered import note_recovery
from accounts.selectors.addressees import mails_are_on
from accounts.services.recovery_codes import codes_left, new_codes, use_code
from league.http.known_devices import know_device
from league.http.log_ins import log_in_of
from league.services.log_in_limits import RETRY_AFTER


@login_required
@asks_again
@require_http_methods(["GET", "HEAD", "POST"])
def recovery_codes(request: HttpRequest) -> HttpResponse:
    """Say how many codes are left; make ten new ones and show them, this once."""
    assert isinstance(request.user, User)
    codes = new_codes(request.user) if request.method == "POST" else []
    return render(request, "accounts/recovery_codes.html", {"codes": codes, "left": codes_left(request.user)})


@method_decorator(sensitive_post_parameters("code"), name="dispatch")
class RecoverView(FormView[RecoverForm]):
    """The page for whoever has neither password nor passkey any more, and has the paper."""

    form_class = RecoverForm
    template_name = "accounts/recover.html"

    def form_valid(self, form: RecoverForm) -> HttpResponse:
        """Log in and lead to a new password. A code is tried as seldom as a password."""
        name = form.cleaned_data["username"].strip()
        attempt = log_in_of(self.request, name)
        if not attempt.may_try():
            answer = render(self.request, "registration/locked.html", {"sends_mail": mails_are_on()}, status=429)
            answer.headers["Retry-After"] = str(RETRY_AFTER)
            return answer
        user = use_code(name, form.cleaned_data["code"])
        if user is None:
            form.add_error(None, _("Name and code do not match, or the code was used before."))
            return self.form_invalid(form)
        attempt.succeeded()
        return self._let_in(user)

    def _let_in(self, user: User) -> HttpResponse:
        record_authentication(self.request, user, method="recovery_code", reauthenticated=True)
        answer: HttpResponse = perform_login(self.request, Login(user=user, redirect_url=reverse("password_change")))
        note_recovery(self.request)
        know_device(self.request, answer, user.get_username())
        return answer

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs) | {"sends_mail": mails_are_on()}
