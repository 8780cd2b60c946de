"""Who may read a name, as the person chooses who bears it."""

from django import forms
from django.utils.translation import gettext_lazy as _

from league.forms.seen import SeenValues
from league.models import Player


class VisibilityForm(SeenValues, forms.Form):
    visibility = forms.ChoiceField(
        label=_("My name is shown to"),
        choices=Player.Visibility.choices,
        widget=forms.RadioSelect,
        help_text=_("Everybody else reads a number. What was played stays as it is."),
    )
