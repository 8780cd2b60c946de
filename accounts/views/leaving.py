"""The end of an account: what happens said plainly, a proof that it is the person, and then it is gone."""

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from accounts.forms.deletion import DeletionForm
from accounts.http.personal import personal
from accounts.http.proof import is_proven, ways_to_prove
from accounts.selectors.memberships import leagues_left_without, own_leagues
from accounts.services.deletion import DeletionError, close_account


@personal
def delete(request: HttpRequest, user: User) -> HttpResponse:
    """Say what becomes of an account that is deleted, and close it."""
    typed = request.POST if request.method == "POST" else None
    form = DeletionForm(typed, request=request, user=user, is_fresh=is_proven(request, user))
    if request.method == "POST" and form.is_valid():
        try:
            close_account(user=user, source="web")
        except DeletionError as error:
            if not error.leagues:
                form.add_error(
                    None, gettext("You are the only administrator of this site. Make somebody else one first.")
                )
        else:
            return _gone(request)
    page = {
        "form": form,
        "hindered": leagues_left_without(user),
        "leagues": own_leagues(user),
        "ways": ways_to_prove(request, user),
    }
    return render(request, "accounts/delete.html", page)


def _gone(request: HttpRequest) -> HttpResponse:
    logout(request)
    messages.success(
        request,
        gettext(
            "Your account is closed for good. Your name disappears from long histories within minutes. Thank you for playing."
        ),
    )
    answer = HttpResponseRedirect(reverse("league:home"))
    answer.headers["Clear-Site-Data"] = '"cache"'
    return answer
