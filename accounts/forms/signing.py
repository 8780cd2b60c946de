"""Forms of signing in."""

from allauth.account.forms import ReauthenticateForm
from django import forms
from django.utils.translation import gettext_lazy as _


class AgainForm(ReauthenticateForm):  # type: ignore[misc]
    """Asks for the password of whoever is logged in."""

    password = forms.CharField(
        label=_("Password"), widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )
