"""Setting up a site started by `make run`: first account, and replacing the demo with an empty site."""

from typing import Any

from allauth.account.internal.flows.login import perform_login, record_authentication
from allauth.account.models import Login
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters

from accounts.forms.signing import BeginForm
from accounts.http.again import asks_first
from accounts.selectors.league_hooks import can_begin_here, waits_for_first_account
from accounts.services.beginning import begin_site, is_anything_here, is_first_code, not_invented
from league.http.access import login_first
from league.services.backups import BackupError


@sensitive_post_parameters("password")
def begin(request: HttpRequest) -> HttpResponse:
    if not can_begin_here():
        raise Http404
    if waits_for_first_account():
        if is_first_code(request.GET.get("code", "")):
            return _begin(request)
        return render(request, "accounts/begin_where.html", status=403)
    if "code" in request.GET:
        messages.info(request, gettext("The first account exists already."))
        return redirect("league:home" if request.user.is_authenticated else "login")
    if not request.user.is_authenticated:
        return login_first(request)
    if not request.user.is_superuser:
        raise Http404
    answer = _begin_anew(request)
    assert isinstance(answer, HttpResponse)
    return answer


def _begin(request: HttpRequest) -> HttpResponse:
    puts_aside, is_first = is_anything_here(), waits_for_first_account()
    form = BeginForm(request.POST if request.method == "POST" else None, puts_aside=puts_aside)
    if form.is_valid():
        try:
            user, file = begin_site(form.cleaned_data["username"], form.cleaned_data["password"], is_first=is_first)
        except BackupError as error:
            form.add_error(None, gettext("Nothing was changed: %(error)s") % {"error": error})
        else:
            return _let_in(request, user, file)
    found = not_invented() if puts_aside else None
    return render(request, "accounts/begin.html", {"form": form, "puts_aside": puts_aside, "found": found})


_begin_anew = asks_first(_begin)


def _let_in(request: HttpRequest, user: Any, file: str) -> HttpResponse:
    # Drop the data of the old session as well.
    request.session.flush()
    record_authentication(request, user, method="password", reauthenticated=True)
    answer: HttpResponse = perform_login(request, Login(user=user, redirect_url=reverse("league:league_new")))
    if file:
        messages.success(request, gettext("The site is now empty. Its previous data is in %(file)s.") % {"file": file})
    return answer
