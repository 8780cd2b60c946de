from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from accounts.forms.signing import SignUpForm


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
