"""Log-in methods of an account: passkeys, devices, e-mail address, and external services (LINE, Discord)."""

from collections.abc import Callable
from typing import Any

from allauth.account.forms import AddEmailForm
from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.internal.flows.manage_email import add_email, delete_email, sync_user_email_address
from allauth.account.mixins import NextRedirectMixin
from allauth.account.models import EmailAddress, Login
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.internal import auth
from allauth.mfa.webauthn.views import AddWebAuthnView, LoginWebAuthnView
from allauth.socialaccount.internal.flows.connect import disconnect
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.discord import views as discord
from allauth.socialaccount.providers.line import views as line
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse, reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods
from django.views.generic.edit import FormView

from accounts.core.browsers import browser_of
from accounts.forms.signing import PASSKEY_NAME_LENGTH
from accounts.http.again import asks_again, asks_first
from accounts.selectors.log_in_names import ways_in_of
from accounts.selectors.preferences import mails_are_on
from accounts.selectors.services import NAMES, services
from league.core.numbers import small_number
from league.http.log_ins import know_device
from league.http.rate_limits import Limit, address_of
from league.http.reauthentication import log_in_anew, must_log_in_anew

ASKED = Limit("passkey", tries=120, seconds=15 * 60)
"""Rate limit for challenges per client, because each is stored until answered."""


class PasskeyLogInView(LoginWebAuthnView):  # type: ignore[misc]
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
        """Return the context with a challenge that requests a discoverable passkey."""
        told: dict[str, Any] = super().get_context_data(**kwargs)
        return told | {"js_data": {"creation_options": auth.begin_registration(self.request.user, passwordless=True)}}

    def get_success_url(self) -> str:
        return str(self.get_next_url() or reverse("mfa_list_webauthn"))


@login_required
@asks_again
@require_http_methods(["GET", "HEAD", "POST"])
def passkeys(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)
    own = Authenticator.objects.filter(user=request.user, type=Authenticator.Type.WEBAUTHN).order_by("created_at")
    if request.method != "POST":
        return render(request, "accounts/passkeys.html", {"passkeys": own, "name_length": PASSKEY_NAME_LENGTH})
    passkey = own.filter(pk=small_number(request.POST.get("passkey", ""), 0)).first()
    if passkey is not None:
        _change(request, request.user, passkey)
    return redirect("mfa_list_webauthn")


def _change(request: HttpRequest, user: User, passkey: Authenticator) -> None:
    name = request.POST.get("name", "").strip()[:PASSKEY_NAME_LENGTH]
    if "remove" not in request.POST:
        if name:
            passkey.data["name"] = name
            passkey.save(update_fields=["data"])
            messages.success(request, _("The passkey is now called %(name)s.") % {"name": name})
    elif ways_in_of(user) > 1:
        passkey.delete()
        messages.success(request, _("The passkey was removed. Delete it from your device too."))
    else:
        messages.error(request, _("This is your only way to log in. Choose a password or add another passkey first."))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def devices(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)
    UserSession.objects.create_from_request(request)
    sessions = sorted(UserSession.objects.purge_and_list(request.user), key=lambda each: each.created_at, reverse=True)
    others = [each for each in sessions if not each.is_current()]
    if request.method == "POST":
        named = request.POST.get("device", "")
        ended = [each for each in others if named in {"all", str(each.pk)}]
        for each in ended:
            each.end()
        if ended:
            messages.success(request, _("The device was logged out."))
        return redirect("usersessions_list")
    rows = [(each, browser_of(each.user_agent), each.is_current()) for each in sessions]
    return render(request, "accounts/devices.html", {"rows": rows, "others": len(others)})


@method_decorator([login_required, asks_again], name="dispatch")
class AddressView(FormView[Any]):
    """Show the account's e-mail address and a form to change it. A new one is used once verified by code."""

    form_class = AddEmailForm
    template_name = "account/email.html"
    success_url = reverse_lazy("account_email_verification_sent")

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Create the EmailAddress for an address entered by an administrator before addresses were verified."""
        assert isinstance(request.user, User)
        sync_user_email_address(request.user)
        return super().dispatch(request, *args, **kwargs)

    def get_form_kwargs(self) -> dict[str, Any]:
        return super().get_form_kwargs() | {"user": self.request.user}

    def get_form(self, form_class: type[Any] | None = None) -> Any:
        form = super().get_form(form_class)
        form.fields["email"].label = _("E-mail address")
        form.fields["email"].widget.attrs = {"autocomplete": "email"}
        return form

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        address = EmailAddress.objects.filter(user=self.request.user).order_by("-verified", "pk").first()
        return super().get_context_data(**kwargs) | {"address": address, "sends_mail": mails_are_on()}

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Remove the address, resend the code, or start verifying another address."""
        if "remove" in request.POST:
            for address in EmailAddress.objects.filter(user=self.request.user).order_by("primary"):
                delete_email(self.request, address)
            return redirect("account_email")
        if not mails_are_on():
            return redirect("account_email")
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: Any) -> HttpResponse:
        add_email(self.request, form)
        return super().form_valid(form)


ServiceView = Callable[..., HttpResponse]


def _where_there_are_keys(key: str, view: ServiceView) -> ServiceView:
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if key not in settings.SOCIALACCOUNT_PROVIDERS:
            raise Http404
        if request.POST.get("process") == "connect" and must_log_in_anew(request):
            return log_in_anew(request)
        return view(request, *args, **kwargs)

    return shown


line_login = _where_there_are_keys("line", line.oauth2_login)
line_callback = _where_there_are_keys("line", line.oauth2_callback)
discord_login = _where_there_are_keys("discord", discord.oauth2_login)
discord_callback = _where_there_are_keys("discord", discord.oauth2_callback)


def cancelled(request: HttpRequest) -> HttpResponse:
    return render(request, "socialaccount/login_cancelled.html")


@login_required
@asks_again
@require_http_methods(["GET", "HEAD", "POST"])
def connections(request: HttpRequest) -> HttpResponse:
    assert isinstance(request.user, User)
    own = SocialAccount.objects.filter(user=request.user).order_by("provider", "pk")
    if request.method == "POST":
        account = own.filter(provider=request.POST.get("service", "")).first()
        if account and ways_in_of(request.user) > 1:
            disconnect(request, account)
            messages.success(request, _("The service was disconnected."))
        elif account:
            messages.error(request, _("This is your only way to log in. Choose a password or add a passkey first."))
        return redirect("socialaccount_connections")
    connected = {each.provider for each in own}
    shown = {
        "accounts": [(each.provider, NAMES.get(each.provider, each.provider), str(each)) for each in own],
        "services": [each for each in services() if each.key not in connected],
    }
    return render(request, "socialaccount/connections.html", shown)
