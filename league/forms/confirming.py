"""What a tap on “The scores are correct” or “Dispute” sends, and why a dispute is settled."""

import re

from django import forms
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.models import Confirmation

SAID = re.compile(r"(agrees|disputes)-(\d{1,18}|organiser)")
MAX_VERSION = 2**31 - 1


class SayForm(forms.Form):
    """One tap: who says what of which revision. `say` is the button, such as agrees-12 or agrees-organiser."""

    say = forms.RegexField(SAID.pattern + r"\Z")
    version = forms.IntegerField(min_value=0, max_value=MAX_VERSION)
    note = forms.CharField(label=_("What is wrong?"), required=False, max_length=MAX_REASON_LENGTH)

    def verdict(self) -> Confirmation.Verdict:
        return Confirmation.Verdict(self._parts()[0])

    def player(self) -> int | None:
        """Return whose word it is, by primary key; None for an organiser's."""
        who = self._parts()[1]
        return None if who == "organiser" else int(who)

    def _parts(self) -> tuple[str, str]:
        match = SAID.fullmatch(self.cleaned_data["say"])
        assert match is not None
        return match[1], match[2]
