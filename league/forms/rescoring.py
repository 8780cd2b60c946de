from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from league.core.periods import ALL_DAYS, DaySpan
from league.forms.sessions import DayField

ALL, SINCE = "all", "since"
"""Rescore all hanchan, or those from a given day on."""


class RescoringForm(forms.Form):
    """Hanchan to rescore: all, or a range of days."""

    which = forms.ChoiceField(
        label=_("Earlier hanchan"),
        choices=[(ALL, _("all hanchan")), (SINCE, _("from a given day"))],
        widget=forms.RadioSelect,
        required=False,
    )
    first = DayField(label=_("from"), required=False)
    last = DayField(label=_("until"), required=False, help_text=_("Leave blank for today."))

    use_required_attribute = False

    def __init__(self, sent: QueryDict | None = None, *, today: date) -> None:
        super().__init__(sent, initial={"which": ALL, "first": today.replace(day=1)})
        self.today = today

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        values["which"] = values.get("which") or ALL
        first, last = values.get("first"), values.get("last")
        if self.errors:
            return values
        if values["which"] != SINCE:
            if last or first not in {None, self.today.replace(day=1)}:
                self.add_error("which", _("You entered a date. Choose “from a given day”, or clear the dates."))
            return values
        if first is None:
            self.add_error("first", _("Enter the first day, such as 2026-05-01."))
        elif last is not None and last < first:
            raise ValidationError(_("The end date is before the start date. Swap them, or leave the end date blank."))
        return values

    @property
    def days(self) -> DaySpan:
        """The days whose hanchan are rescored."""
        if self.cleaned_data["which"] == SINCE:
            return DaySpan(self.cleaned_data["first"], self.cleaned_data["last"])
        return ALL_DAYS
