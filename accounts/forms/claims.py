from django import forms
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


class RefusalForm(forms.Form):
    """Why a claim is refused, for the user to see."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        help_text=_("The person who asked can see it."),
        error_messages={"required": _("Give a reason that the person who asked can understand.")},
    )

    def clean_reason(self) -> str:
        """Raise ValidationError if nothing can be read."""
        return str(self.fields["reason"].clean(cleaned(self.cleaned_data["reason"])))
