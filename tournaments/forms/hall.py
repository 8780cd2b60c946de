"""What is chosen on the remote of the wall: a scene with a message, minutes of the timer."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournaments.models import HallDisplay
from tournaments.models.hall import MAX_MESSAGE_LENGTH, MOST_MINUTES
from tournaments.services.hall import ProjectorWish

USUAL_MINUTES = 60


class ProjectorForm(forms.Form):
    scene = forms.ChoiceField(
        label=pgettext_lazy("wall", "Scene"), choices=HallDisplay.Scene.choices, widget=forms.RadioSelect
    )
    message = forms.CharField(
        label=pgettext_lazy("wall", "Message"),
        required=False,
        max_length=MAX_MESSAGE_LENGTH,
        help_text=_("One short line above everything; left empty, there is none."),
    )
    language = forms.ChoiceField(
        label=pgettext_lazy("wall", "Language"), choices=HallDisplay.Language.choices, required=False
    )

    @classmethod
    def of(cls, direction: HallDisplay, typed: Any = None) -> "ProjectorForm":
        names = ("scene", "message", "language")
        return cls(typed, initial={name: getattr(direction, name) for name in names})

    @property
    def wish(self) -> ProjectorWish:
        return ProjectorWish(**self.cleaned_data)


class TimerForm(forms.Form):
    minutes = forms.IntegerField(
        label=_("Minutes"),
        min_value=1,
        max_value=MOST_MINUTES,
        initial=USUAL_MINUTES,
        error_messages={"invalid": _("Type whole minutes, such as 60.")},
    )
