"""Forms for the account page, notices, and closing an account."""

from collections.abc import Sequence
from typing import Any

from allauth.account.adapter import get_adapter
from django import forms
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.models import User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.forms.signing import NAME_LENGTH, NameForm
from accounts.messages.evenings import league_words
from accounts.models import NoticeKind, Preferences
from accounts.services.profiles import NAMES_TRIED
from league.core.limits import MAX_NAME_LENGTH
from league.forms.names import NameField
from league.http.log_ins import tries_are_over
from league.models import League

TOO_MANY = _("You have tried too many user names. Keep your current one, or try again in an hour.")


class ProfileForm(NameForm):
    called = NameField(
        label=_("Display name"),
        max_length=MAX_NAME_LENGTH,
        required=False,
        help_text=_("Tenbo uses it to greet you. Each league decides how your name is listed."),
        widget=forms.TextInput(attrs={"autocomplete": "nickname"}),
    )
    full_name = NameField(
        label=_("Full name"),
        max_length=NAME_LENGTH,
        required=False,
        help_text=_("Only visible to the site administrator, never in a league."),
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    language = forms.ChoiceField(
        label=_("Language"),
        required=False,
        choices=[("", _("Same as the page I open")), *settings.LANGUAGES],
        help_text=_("Used after you log in and in messages to you."),
    )
    sign = forms.ChoiceField(
        label=_("Negative numbers"),
        required=False,
        choices=[("", _("Default for the language")), *Preferences.Sign.choices],
        help_text=_("Used on all pages while you are logged in."),
    )
    theme = forms.ChoiceField(
        label=_("Colours"),
        required=False,
        choices=[("", _("System")), *Preferences.Theme.choices],
        help_text=_("Applies to all your devices. The switch at the bottom of a page applies to one device."),
    )

    NAMES = ("username", "called", "full_name")

    def __init__(self, *args: Any, user: User, preferences: Preferences, **kwargs: Any) -> None:
        named = {"username": user.get_username(), "full_name": user.get_full_name(), "called": preferences.called}
        chosen = {name: getattr(preferences, name) for name in ("language", "sign", "theme")}
        super().__init__(*args, **kwargs)
        self.initial = named | chosen
        self.user = user
        self.fields["username"].help_text = _("Used to log in. It is shown next to your actions in league histories.")

    def clean_username(self) -> str:
        """Return the user name; an unchanged one may be of a kind that new ones may not be."""
        is_same = self.cleaned_data["username"] == self.initial["username"]
        return str(self.initial["username"]) if is_same else super().clean_username()

    def free_name(self, name: str) -> str:
        """Raise ValidationError if the name is taken, or if too many have been tried."""
        if not NAMES_TRIED.use(str(self.user.pk)):
            raise forms.ValidationError(TOO_MANY, code="limit")
        if User.objects.exclude(pk=self.user.pk).filter(username__iexact=name).exists():
            raise get_adapter().validation_error("username_taken")
        return name

    @property
    def groups(self) -> list[tuple[object, list[forms.BoundField]]]:
        others = [name for name in self.fields if name not in self.NAMES]
        return [
            (pgettext_lazy("of a person", "Names"), [self[name] for name in self.NAMES]),
            (_("Appearance"), [self[name] for name in others]),
        ]


WRONG = _("Wrong password. Nothing was deleted.")
TOO_OFTEN = _("Too many wrong passwords. Nothing was deleted. Try again in 15 minutes.")
LOG_IN_AGAIN = _("You logged in a while ago. To confirm your identity, log out, log in again and return to this page.")


class DeletionForm(forms.Form):
    """Confirm with the password; accounts without one need a recent log-in."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
        error_messages={"required": _("Enter your password to confirm your identity.")},
    )

    def __init__(self, *args: Any, request: HttpRequest, user: User, is_fresh: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request, self.user, self.is_fresh = request, user, is_fresh
        if not user.has_usable_password():
            del self.fields["password"]

    @property
    def asks_for_log_in(self) -> bool:
        """Whether the user must log in again first: the account has no password, and the log-in is not recent."""
        return "password" not in self.fields and not self.is_fresh

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError if the password does not match."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        if self.asks_for_log_in:
            raise forms.ValidationError(LOG_IN_AGAIN, code="log_in")
        if "password" in cleaned and not self._is_right(cleaned["password"]):
            over = tries_are_over(self.request)
            self.add_error("password", forms.ValidationError(TOO_OFTEN if over else WRONG, code="password"))
        return cleaned

    def _is_right(self, password: str) -> bool:
        """Return whether the password is correct. Attempts share the rate limit of log-ins."""
        found = authenticate(self.request, username=self.user.get_username(), password=password)
        return found is not None and found.pk == self.user.pk


class NoticesForm(forms.Form):
    by_mail = forms.BooleanField(label=_("E-mail notices"), required=False)
    kinds = forms.MultipleChoiceField(
        label=_("Notify me about"), required=False, choices=NoticeKind.choices, widget=forms.CheckboxSelectMultiple
    )
    leagues = forms.TypedMultipleChoiceField(
        label=_("For these leagues"), required=False, coerce=int, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: object, leagues: Sequence[League], has_mail: bool, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        choices = [(league.pk, league_words(league)) for league in leagues]
        if has_mail:
            self.fields["by_mail"].widget.attrs["aria-describedby"] = "mail-rhythm"
        else:
            del self.fields["by_mail"]
        if choices:
            self.fields["leagues"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["leagues"]
