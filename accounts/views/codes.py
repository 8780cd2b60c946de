"""Coming in by a code in a mail, where the host has mail."""

from typing import Any

from allauth.account.views import ConfirmLoginCodeView, RequestLoginCodeView
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters

from accounts.selectors.addressees import mails_are_on
from league.http.known_devices import know_device


class AskForCodeView(RequestLoginCodeView):  # type: ignore[misc]
    """The page that sends the code; whoever has no account is told so in the mail, and nowhere else."""

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
        """Return what the page shows, after as much work for whoever has no account as for others."""
        if self.stage.login.user is None:
            User.objects.filter(pk=0).first()
        told: dict[str, Any] = super().get_context_data(**kwargs)
        return told
