"""The step after a stage: what the person saw, and when what follows is played."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.forms.sessions import ClockField, DayField
from tournaments.services.steps import StepDay


class StepForm(forms.Form):
    """The mark of the step as it was shown; day and start where sessions are planned with it."""

    seen = forms.CharField(widget=forms.HiddenInput, max_length=40)
    day = DayField(
        label=_("Day"),
        required=False,
        help_text=_("Left empty, only who goes on is approved; the tables are planned later."),
    )
    start = ClockField(label=_("Start"), required=False)

    def __init__(self, *args: Any, needs_day: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        if not needs_day:
            del self.fields["day"], self.fields["start"]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("start") and not values.get("day") and "day" not in self.errors:
            self.add_error("day", ValidationError(_("Choose the day too, or take the start away.")))
        return values

    def when(self, venue: str) -> StepDay:
        return StepDay(self.cleaned_data.get("day"), self.cleaned_data.get("start"), venue)
