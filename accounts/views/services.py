"""Other services by which somebody comes in: LINE and Discord, where the host has their keys."""

from collections.abc import Callable
from typing import Any

from allauth.socialaccount.internal.flows.connect import disconnect
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.discord import views as discord
from allauth.socialaccount.providers.line import views as line
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.http.again import asks_again
from accounts.selectors.log_in_names import ways_in_of
from accounts.selectors.services import NAMES, services
from league.http.reauthentication import log_in_anew, must_log_in_anew

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
    """Say to whoever turned back at the other service that nothing happened."""
    return render(request, "socialaccount/login_cancelled.html")


@login_required
@asks_again
@require_http_methods(["GET", "HEAD", "POST"])
def connections(request: HttpRequest) -> HttpResponse:
    """Show by which services somebody comes in; connect one, or let one go."""
    assert isinstance(request.user, User)
    own = SocialAccount.objects.filter(user=request.user).order_by("provider", "pk")
    if request.method == "POST":
        _let_go(request, request.user, own.filter(provider=request.POST.get("service", "")).first())
        return redirect("socialaccount_connections")
    connected = {each.provider for each in own}
    shown = {
        "accounts": [(each.provider, NAMES.get(each.provider, each.provider), str(each)) for each in own],
        "services": [each for each in services() if each.key not in connected],
    }
    return render(request, "socialaccount/connections.html", shown)


def _let_go(request: HttpRequest, user: User, account: SocialAccount | None) -> None:
    if account is None:
        return
    if ways_in_of(user) > 1:
        disconnect(request, account)
        messages.success(request, _("That service opens this account no more."))
    else:
        messages.error(request, _("This is your only way in. Choose a password first, or add a passkey."))
