"""The questions of the leaderboard page."""

from datetime import date

from django import forms
from django.utils.translation import gettext_lazy as _

from league.core.periods import Period, PeriodError, range_of


class DayInput(forms.DateInput):
    """A date field that the browser draws with its calendar."""

    input_type = "date"


class RangeForm(forms.Form):
    """The first and the last day of a free range."""

    first = forms.DateField(label=_("First day"), widget=DayInput(format="%Y-%m-%d"))
    last = forms.DateField(label=_("Last day"), widget=DayInput(format="%Y-%m-%d"))

    def clean(self) -> dict[str, date]:
        """Refuse a range that runs backwards."""
        values: dict[str, date] = super().clean() or {}
        if "first" in values and "last" in values:
            try:
                range_of(values["first"], values["last"])
            except PeriodError:
                self.add_error("last", _("The last day lies before the first. Choose a later one."))
        return values

    @property
    def period(self) -> Period:
        """The range that was asked for."""
        return range_of(self.cleaned_data["first"], self.cleaned_data["last"])
