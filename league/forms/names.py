from collections.abc import Collection
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.core.spelling import cleaned
from league.forms.seen import SeenValues
from league.models import Player
from league.selectors.people import looking_like


class NameField(forms.CharField):
    """A name; invisible characters are removed."""

    default_error_messages = {"unseen": _("This name has no visible characters. Enter one that can be displayed.")}  # noqa: RUF012

    def to_python(self, value: Any) -> str:
        """Return the name as stored. Raise ValidationError if it consists of invisible characters."""
        text = str(super().to_python(value) or "")
        kept = cleaned(text)
        if text and not kept:
            raise forms.ValidationError(self.error_messages["unseen"], code="unseen")
        return kept


def lines_of(text: str) -> list[str]:
    """Return the names in `text`, one per line, skipping blank lines and duplicates."""
    return list(dict.fromkeys(name for line in text.splitlines() if (name := cleaned(line))))


def sentence_about_look_alike(names: Collection[str], players: Collection[Player]) -> str:
    """Return a message if a guest's name looks like a player's, else ""."""
    found = looking_like(names, players)
    if not found:
        return ""
    text = gettext(
        "This looks like %(name)s, who is already in the list. Choose that name, or enter a different name "
        "for the guest."
    )
    return text % {"name": found[0].name}


class VisibilityForm(SeenValues, forms.Form):
    visibility = forms.ChoiceField(
        label=_("My name is visible to"),
        choices=Player.Visibility.choices,
        widget=forms.RadioSelect,
        help_text=_("Everyone else sees a number. Results are not affected."),
    )


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        error_messages={"required": _("Enter a reason. It is public.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
