"""The proof that it is the person who asks for the end of their account."""

from typing import Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from league.http.log_ins import tries_are_over

WRONG = _("This is not your password. Nothing was deleted.")
TOO_OFTEN = _("Your password was tried too often. Nothing was deleted; try again in a quarter of an hour.")
LOG_IN_AGAIN = _("You logged in some time ago. Log out, log in again, and come back: that shows that it is you.")


class DeletionForm(forms.Form):
    """The password, where the account has one; else a log-in that is fresh."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": _("Type your password: it shows that it is you.")},
    )

    def __init__(self, *args: Any, request: HttpRequest, user: User, is_fresh: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request, self.user, self.is_fresh = request, user, is_fresh
        if not user.has_usable_password():
            del self.fields["password"]

    @property
    def asks_for_log_in(self) -> bool:
        """Whether nothing on this page can show who asks: the account has no password, and the log-in is old."""
        return "password" not in self.fields and not self.is_fresh

    def clean(self) -> dict[str, Any]:
        """Return what was typed. Raises ValidationError where it does not show that it is the person."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.asks_for_log_in:
            raise forms.ValidationError(LOG_IN_AGAIN, code="log_in")
        if "password" in cleaned and not self._is_right(cleaned["password"]):
            over = tries_are_over(self.request)
            self.add_error("password", forms.ValidationError(TOO_OFTEN if over else WRONG, code="password"))
        return cleaned

    def _is_right(self, password: str) -> bool:
        """Return whether it is the password of this very account; tries count as those of logging in."""
        found = authenticate(self.request, username=self.user.get_username(), password=password)
        return found is not None and found.pk == self.user.pk
