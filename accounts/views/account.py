from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import did_recently_reauthenticate
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.shortcuts import render
from django.urls import reverse, translate_url
from django.utils.translation import gettext, override
from django.views.decorators.http import require_safe

from accounts.forms.account import DeletionForm, ProfileForm
from accounts.http.choices import keep_choices
from accounts.http.personal import personal
from accounts.selectors.memberships import leagues_left_without, own_leagues
from accounts.selectors.own_data import own_data_chunks
from accounts.selectors.preferences import preferences_of
from accounts.services.deletion import DeletionError, close_account
from accounts.services.profiles import NameTakenError, change_profile
from league.http.downloads import as_download
from league.http.reauthentication import is_stale


@personal
def account(request: HttpRequest, user: User) -> HttpResponse:
    preferences = preferences_of(user)
    form = ProfileForm(request.POST if request.method == "POST" else None, user=user, preferences=preferences)
    if request.method == "POST" and form.is_valid():
        try:
            preferences = change_profile(user=user, **form.cleaned_data)
        except NameTakenError:
            form.add_error("username", get_adapter().validation_error("username_taken"))
        else:
            return _saved(request, user, form)
    keep_choices(request, preferences)
    return render(request, "accounts/account.html", {"form": form, "leagues": own_leagues(user)})


def _saved(request: HttpRequest, user: User, form: ProfileForm) -> HttpResponse:
    keep_choices(request, preferences_of(user))
    target, language = reverse("accounts:account"), form.cleaned_data["language"]
    if not language or "language" not in form.changed_data:
        messages.success(request, gettext("Account saved."))
        return HttpResponseRedirect(target)
    with override(language):
        messages.success(request, gettext("Account saved."))
    return HttpResponseRedirect(translate_url(target, language))


@personal
def delete(request: HttpRequest, user: User) -> HttpResponse:
    """Explain what happens when an account is deleted. POST closes it."""
    typed = request.POST if request.method == "POST" else None
    form = DeletionForm(typed, request=request, user=user, is_fresh=is_proven(request, user))
    if request.method == "POST" and form.is_valid():
        try:
            close_account(user=user, source="web")
        except DeletionError as error:
            if not error.leagues:
                form.add_error(
                    None, gettext("You are the site's only administrator. Make someone else an administrator first.")
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
            "Your account is closed. Your name will disappear from long histories within minutes. Thank you for "
            "playing."
        ),
    )
    answer = HttpResponseRedirect(reverse("league:home"))
    answer.headers["Clear-Site-Data"] = '"cache"'
    return answer


def ways_to_prove(request: HttpRequest, user: User) -> list[dict[str, str]]:
    """Return the ways to confirm an identity, as texts and URLs."""
    ways: list[dict[str, str]] = get_adapter(request).get_reauthentication_methods(user)
    return ways


def is_proven(request: HttpRequest, user: User) -> bool:
    """Return whether the user has confirmed their identity recently."""
    if not is_stale(request):
        return True
    # allauth treats users who have no way to reauthenticate as recently reauthenticated.
    return bool(ways_to_prove(request, user)) and did_recently_reauthenticate(request)


@require_safe
@personal
def own_data(_request: HttpRequest, user: User) -> HttpResponse:
    answer = StreamingHttpResponse(own_data_chunks(user), content_type="application/json; charset=utf-8")
    return as_download(answer, "tenbo-my-data.json")
