"""What is chosen on the remote of the wall: a scene with a message, minutes of the timer."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournaments.models import WallDirection
from tournaments.models.timers import MOST_MINUTES
from tournaments.models.wall import MAX_MESSAGE_LENGTH
from tournaments.services.wall import WallWish

USUAL_MINUTES = 60


class WallForm(forms.Form):
    """What the wall shows from now on."""

    scene = forms.ChoiceField(
        label=pgettext_lazy("wall", "Scene"), choices=WallDirection.Scene.choices, widget=forms.RadioSelect
    )
    message = forms.CharField(
        label=pgettext_lazy("wall", "Message"),
        required=False,
        max_length=MAX_MESSAGE_LENGTH,
        help_text=_("One short line above everything; left empty, there is none."),
    )
    language = forms.ChoiceField(
        label=pgettext_lazy("wall", "Language"), choices=WallDirection.Language.choices, required=False
    )

    @classmethod
    def of(cls, direction: WallDirection, typed: Any = None) -> "WallForm":
        """Return the form with what the wall shows, or what was typed."""
        names = ("scene", "message", "language")
        return cls(typed, initial={name: getattr(direction, name) for name in names})

    @property
    def wish(self) -> WallWish:
        """What was chosen."""
        return WallWish(**self.cleaned_data)


class TimerForm(forms.Form):
    """To how many minutes the timer is set."""

    minutes = forms.IntegerField(
        label=_("Minutes"),
        min_value=1,
        max_value=MOST_MINUTES,
        initial=USUAL_MINUTES,
        error_messages={"invalid": _("Type whole minutes, such as 60.")},
    )
