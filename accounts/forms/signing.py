"""Forms for log-in, sign-up, passkeys, and confirming a password."""

import struct
from typing import Any

from allauth.account.adapter import get_adapter
from allauth.account.forms import ReauthenticateForm, RequestLoginCodeForm
from allauth.core import context
from allauth.mfa.adapter import get_adapter as get_mfa_adapter
from allauth.mfa.webauthn.forms import AddWebAuthnForm, LoginWebAuthnForm, ReauthenticateWebAuthnForm
from django import forms
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm, PasswordResetForm
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import validate_password
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.selectors.log_in_names import log_in_name, user_at
from league.forms.names import NameField

NAME_LENGTH = 150
NEW_PASSWORD = forms.PasswordInput(attrs={"autocomplete": "new-password"})


class LogInForm(AuthenticationForm):
    def clean_username(self) -> str:
        return log_in_name(self.cleaned_data["username"].strip())


class AgainForm(ReauthenticateForm):  # type: ignore[misc]
    password = forms.CharField(
        label=_("Password"), widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )


class OtherPasswordForm(PasswordChangeForm):
    """Change the password. Wrong old passwords are rate limited like log-ins."""

    def clean_old_password(self) -> str:
        """Return the current password. Raise ValidationError if it is wrong."""
        typed: str = self.cleaned_data["old_password"]
        if not get_adapter().reauthenticate(self.user, typed):
            raise ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return typed


class NameForm(forms.Form):
    username = forms.CharField(
        label=_("User name"),
        help_text=_("Used to log in. Letters, digits, kana and kanji, without spaces."),
        max_length=NAME_LENGTH,
        validators=[UnicodeUsernameValidator(message=_("Enter letters, digits, kana or kanji, without spaces."))],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )

    def clean_username(self) -> str:
        """Raise ValidationError if the name is taken or looks like an e-mail address."""
        name = User.normalize_username(self.cleaned_data["username"])
        if "@" in name:
            raise ValidationError(_("A user name cannot contain @. Enter e-mail addresses in their own field."))
        return self.free_name(name)

    def free_name(self, name: str) -> str:
        """Raise ValidationError if the name is taken."""
        free: str = get_adapter().clean_username(name)
        return free


class SignUpForm(NameForm):
    """A new account: user name, password or passkey, and optionally an e-mail address."""

    password = forms.CharField(
        label=_("Password"), help_text=_("At least eight characters."), widget=NEW_PASSWORD, strip=False
    )
    email = forms.EmailField(
        label=_("E-mail address"), required=False, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )

    def __init__(self, *args: Any, asks_mail: bool, by_passkey: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.by_passkey = by_passkey
        self.fields["password"].required = not by_passkey
        self.fields["password"].error_messages["required"] = _("Choose a password or use a passkey.")
        if not asks_mail:
            del self.fields["email"]

    def clean(self) -> dict[str, Any]:
        """Validate the password; it is optional if the user will create a passkey."""
        told = super().clean() or {}
        if not told.get("username") or not told.get("password"):
            return told
        try:
            validate_password(told["password"], User(username=told["username"], email=told.get("email", "")))
        except ValidationError as error:
            self.add_error("password", error)
        return told

    def save(self) -> User:
        """Return the new account. Its e-mail address is not set until it is verified."""
        return User.objects.create_user(self.cleaned_data["username"], password=self.cleaned_data["password"] or None)


class ServiceSignUpForm(NameForm):
    def __init__(self, *args: Any, sociallogin: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.sociallogin = sociallogin
        self.initial.setdefault("username", sociallogin.user.username.replace(" ", "").replace("@", ""))

    def try_save(self, request: HttpRequest) -> tuple[User, None]:
        user: User = self.sociallogin.user
        user.username = self.cleaned_data["username"]
        user.set_unusable_password()
        self.sociallogin.save(request)
        return user, None


class RecoverForm(forms.Form):
    username = forms.CharField(
        label=_("User name"), max_length=NAME_LENGTH, widget=forms.TextInput(attrs={"autocomplete": "username"})
    )
    code = forms.CharField(
        label=_("Recovery code"),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )


class AskForCodeForm(RequestLoginCodeForm):  # type: ignore[misc]
    """Request a log-in code. Only the mail says whether the address has an account."""

    email = forms.EmailField(label=_("E-mail address"), widget=forms.EmailInput(attrs={"autocomplete": "email"}))

    def clean_email(self) -> str:
        email: str = self.cleaned_data["email"].lower()
        self._user = user_at(email)
        return email


class ResetForm(PasswordResetForm):
    """Request a password link. Only the mail says whether the address has an account."""

    def clean_email(self) -> str:
        """Return the address and look up its accounts. Accounts without a password can set their first one."""
        email: str = self.cleaned_data["email"]
        written = User.objects.filter(email__iexact=email, is_active=True)
        self._users = [user for user in written if user.email.casefold() == email.casefold()]
        return email

    def get_users(self, email: str) -> list[User]:
        """Return the accounts found by `clean_email`, so that they are queried only once."""
        del email
        return self._users

    def save(self, *args: Any, **kwargs: Any) -> None:
        if self._users:
            super().save(*args, **kwargs)
        else:
            email = self.cleaned_data["email"]
            get_adapter(context.request).render_mail("account/email/unknown_account", email, {}).send()


NO_PASSKEY = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error)
"""Exceptions that the library raises for invalid JSON."""

PASSKEY_NAME_LENGTH = 60


class NewPasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A new passkey for log-in without a password. Requires user verification by the device."""

    name = NameField(label=_("Passkey name"), max_length=PASSKEY_NAME_LENGTH, required=False)
    passwordless = None

    def clean(self) -> dict[str, Any]:
        """Reject invalid passkeys and those without user verification."""
        self.cleaned_data["passwordless"] = True
        try:
            return super().clean() or {}
        except NO_PASSKEY as error:
            raise get_mfa_adapter().validation_error("incorrect_code") from error


class PasskeyAnswer:
    """Mixin for forms that read a passkey response. Malformed responses fail validation like wrong ones."""

    def clean_credential(self) -> Any:
        try:
            return super().clean_credential()  # type: ignore[misc]
        except NO_PASSKEY as error:
            raise get_mfa_adapter().validation_error("incorrect_code") from error


class PasskeyLogInForm(PasskeyAnswer, LoginWebAuthnForm):  # type: ignore[misc]
    pass


class PasskeyAgainForm(PasskeyAnswer, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    pass


class BeginForm(SignUpForm):
    """The first account, with a confirmation if existing data will be put aside."""

    sure = forms.BooleanField(
        label=_("Move all data into a backup"),
        error_messages={
            "required": _("Tick this box to confirm. The site will be empty, and all current data will be in a backup.")
        },
    )

    def __init__(self, *args: Any, puts_aside: bool, **kwargs: Any) -> None:
        super().__init__(*args, asks_mail=False, by_passkey=False, **kwargs)
        if not puts_aside:
            del self.fields["sure"]

    def free_name(self, name: str) -> str:
        """Return the name without a uniqueness check, because existing accounts are moved to the backup."""
        return name
