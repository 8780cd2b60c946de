"""Passkeys as they come from a browser: whatever else comes is refused in one sentence."""

import struct
from typing import Any

from allauth.mfa.adapter import get_adapter
from allauth.mfa.webauthn.forms import AddWebAuthnForm, LoginWebAuthnForm, ReauthenticateWebAuthnForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.forms.names import NameField

NO_PASSKEY = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, struct.error)
"""What the library raises for JSON that no browser sends, where it does not say so itself."""

NAME_LENGTH = 60


class NewPasskeyForm(AddWebAuthnForm):  # type: ignore[misc]
    """A new passkey, which opens the account by itself, so that the device has asked who is there."""

    name = NameField(label=_("Name of the passkey"), max_length=NAME_LENGTH, required=False)
    passwordless = None

    def clean(self) -> dict[str, Any]:
        """Refuse what is no passkey, and one that anybody who holds the device could use."""
        self.cleaned_data["passwordless"] = True
        try:
            return super().clean() or {}
        except ValidationError:
            raise
        except NO_PASSKEY as error:
            raise get_adapter().validation_error("incorrect_code") from error


class PasskeyAnswer:
    """What a passkey answers, in a form of the library: what is none is refused as a wrong one is."""

    def clean_credential(self) -> Any:
        try:
            return super().clean_credential()  # type: ignore[misc]
        except ValidationError:
            raise
        except NO_PASSKEY as error:
            raise get_adapter().validation_error("incorrect_code") from error


class PasskeyLogInForm(PasskeyAnswer, LoginWebAuthnForm):  # type: ignore[misc]
    """What a passkey answers on the log-in page."""


class PasskeyAgainForm(PasskeyAnswer, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    """What a passkey answers before something dangerous."""
