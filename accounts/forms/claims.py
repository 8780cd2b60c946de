from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from accounts.core.limits import MAX_CLAIM_LENGTH
from league.core.limits import MAX_REASON_LENGTH
from league.core.spelling import cleaned


class ClaimForm(forms.Form):
    note = forms.CharField(
        label=_("Message to the organisers"),
        required=False,
        max_length=MAX_CLAIM_LENGTH,
        help_text=_("For example, when you last played. Only organisers can see it."),
    )

    def clean_note(self) -> str:
        return cleaned(self.cleaned_data["note"])


class ClaimAnswerForm(forms.Form):
    """An organiser's answer. The user sees the reason of a refusal."""

    reason = forms.CharField(
        label=_("Reason"),
        required=False,
        max_length=MAX_REASON_LENGTH,
        help_text=_("Needed only if you refuse. The person who asked can see it."),
    )

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError if a claim is refused without a reason."""
        values = super().clean() or self.cleaned_data
        if self.data.get("do") == "refuse" and not cleaned(values.get("reason", "")) and "reason" not in self.errors:
            self.add_error("reason", ValidationError(_("Give a reason that the person who asked can understand.")))
        return values
