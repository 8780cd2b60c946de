"""The account page: names, how pages look, and the ways to everything else that is somebody's own."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse, translate_url
from django.utils.translation import gettext, override

from accounts.forms.profile import TAKEN, ProfileForm
from accounts.http.choices import keep_choices
from accounts.http.personal import personal
from accounts.selectors.memberships import own_leagues
from accounts.selectors.preferences import preferences_of
from accounts.services.profiles import NameTakenError, change_profile


@personal
def account(request: HttpRequest, user: User) -> HttpResponse:
    """Show what somebody said of themselves, and store what they change; the page goes on in the language they chose."""
    preferences = preferences_of(user)
    typed = request.POST if request.method == "POST" else None
    form = ProfileForm(typed, user=user, preferences=preferences)
    if request.method == "POST" and form.is_valid():
        try:
            preferences = change_profile(user=user, profile=form.profile, choices=form.choices)
        except NameTakenError:
            form.add_error("username", TAKEN)
        else:
            return _saved(request, user, form)
    keep_choices(request, preferences)
    page = {"form": form, "leagues": own_leagues(user)}
    return render(request, "accounts/account.html", page)


def _saved(request: HttpRequest, user: User, form: ProfileForm) -> HttpResponse:
    keep_choices(request, preferences_of(user))
    target, language = reverse("accounts:account"), form.choices.language
    if not language or "language" not in form.changed_data:
        messages.success(request, gettext("Your account is saved."))
        return HttpResponseRedirect(target)
    with override(language):
        messages.success(request, gettext("Your account is saved."))
    return HttpResponseRedirect(translate_url(target, language))
