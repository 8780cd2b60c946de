"""The devices on which somebody is logged in, each of which can be logged out from here."""

from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.core.browsers import browser_of


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def devices(request: HttpRequest) -> HttpResponse:
    """Show where somebody is logged in; log out there, on one device or on all others."""
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
            messages.success(request, _("Logged out there."))
        return redirect("usersessions_list")
    rows = [(each, browser_of(each.user_agent), each.is_current()) for each in sessions]
    return render(request, "accounts/devices.html", {"rows": rows, "others": len(others)})
