"""Why something is undone, taken out of sight or set aside: asked for wherever the history has to say it."""

from django import forms
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH


class ReasonForm(forms.Form):
    """One line that everybody can read in the history."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        error_messages={"required": _("Write why; everybody can read it in the history.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
