"""The question of the page that compares fingerprints of the history."""

from django import forms
from django.utils.translation import gettext_lazy as _

from league.core.chain import SHORT, read_head


class FingerprintForm(forms.Form):
    """A fingerprint as somebody noted it; spaces and full-width characters are as good as none."""

    noted = forms.CharField(
        label=_("Fingerprint that you noted"),
        max_length=200,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none", "spellcheck": "false"}),
    )

    def clean_noted(self) -> str:
        """Return the digits alone."""
        digits = read_head(self.cleaned_data["noted"])
        if not digits:
            sentence = _(
                "A fingerprint has at least %(count)s characters, all of them 0–9 or a–f. Type it as it was noted."
            )
            raise forms.ValidationError(sentence, params={"count": SHORT})
        return digits
