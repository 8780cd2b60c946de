"""The end of an account: what happens said plainly, a proof that it is the person, and then it is gone."""

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext

from accounts.forms.deletion import DeletionForm
from accounts.http.personal import personal
from accounts.selectors.memberships import leagues_left_without, own_leagues
from accounts.services.deletion import DeletionError, close_account
from league.http.reauthentication import is_stale


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


def ways_to_prove(request: HttpRequest, user: User) -> list[dict[str, str]]:
    """Return where somebody shows once more that it is they: the words and the address of each way."""
    ways: list[dict[str, str]] = get_adapter(request).get_reauthentication_methods(user)
    return ways


def is_proven(request: HttpRequest, user: User) -> bool:
    """Return whether whoever is there has shown lately who they are: by the clock of everything dangerous."""
    if not is_stale(request):
        return True
    # Who has nothing to show once more would pass as somebody who did.
    return bool(ways_to_prove(request, user)) and did_recently_reauthenticate(request)
