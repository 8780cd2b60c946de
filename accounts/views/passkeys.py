"""Passkeys: coming in by one, and looking after those that somebody has."""

from typing import Any

from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.mixins import NextRedirectMixin
from allauth.account.models import Login
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal import auth
from allauth.mfa.webauthn.views import AddWebAuthnView, LoginWebAuthnView
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.forms.passkeys import NAME_LENGTH
from accounts.http.again import asks_again, asks_first
from accounts.selectors.log_in_names import ways_in_of
from league.http.known_devices import know_device
from league.http.rate_limits import Limit, address_of

ASKED = Limit("passkey", tries=120, seconds=15 * 60)
"""Each question is remembered until it is answered, so nobody asks for as many as they like."""


class PasskeyLogInView(LoginWebAuthnView):  # type: ignore[misc]
    """What the log-in page asks the device, and where its answer comes in."""

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        del args, kwargs
        if not ASKED.use(address_of(request)):
            return JsonResponse({}, status=429)
        return JsonResponse({"request_options": auth.begin_authentication(user=None)})

    def form_valid(self, form: Any) -> HttpResponse:
        passkey = form.cleaned_data["credential"]
        passkey.record_usage()
        record_authentication(self.request, passkey.user, method="mfa", type="webauthn", reauthenticated=True)
        answer: HttpResponse = perform_login(self.request, Login(user=passkey.user))
        if self.request.user.is_authenticated:
            know_device(self.request, answer, passkey.user.get_username())
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        return render(self.request, "mfa/webauthn/refused.html", {"errors": form.errors.get("credential", [])})


@method_decorator([login_required, asks_first], name="dispatch")
class NewPasskeyView(NextRedirectMixin, AddWebAuthnView):  # type: ignore[misc]
    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return what the device is asked: a passkey that says by itself whose it is."""
        told: dict[str, Any] = super().get_context_data(**kwargs)
        return told | {"js_data": {"creation_options": auth.begin_registration(self.request.user, passwordless=True)}}

    def get_success_url(self) -> str:
        return str(self.get_next_url() or reverse("mfa_list_webauthn"))


@login_required
@asks_again
@require_http_methods(["GET", "HEAD", "POST"])
def passkeys(request: HttpRequest) -> HttpResponse:
    """Show somebody's passkeys; give one another name, or take it away."""
    assert isinstance(request.user, User)
    own = Authenticator.objects.filter(user=request.user, type=Authenticator.Type.WEBAUTHN).order_by("created_at")
    if request.method != "POST":
        return render(request, "accounts/passkeys.html", {"passkeys": own, "name_length": NAME_LENGTH})
    passkey = own.filter(pk=_number(request.POST.get("passkey", ""))).first()
    if passkey is not None:
        _change(request, request.user, passkey)
    return redirect("mfa_list_webauthn")


def _change(request: HttpRequest, user: User, passkey: Authenticator) -> None:
    name = request.POST.get("name", "").strip()[:NAME_LENGTH]
    if "remove" not in request.POST:
        if name:
            passkey.data["name"] = name
            passkey.save(update_fields=["data"])
            messages.success(request, _("The passkey is called %(name)s now.") % {"name": name})
    elif ways_in_of(user) > 1:
        passkey.delete()
        messages.success(request, _("The passkey opens this account no more. Delete it on the device too."))
    else:
        messages.error(request, _("This is your only way in. Choose a password first, or add another passkey."))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 18 else 0
