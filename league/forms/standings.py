from collections.abc import Mapping
from datetime import date

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from league import messages
from league.core.periods import Period, PeriodError, range_of
from league.forms.sessions import DayField


class RangeForm(forms.Form):
    first = DayField(label=_("First day"))
    last = DayField(label=_("Last day"))

    def clean(self) -> dict[str, date]:
        values: dict[str, date] = super().clean() or {}
        if "first" in values and "last" in values:
            try:
                range_of(values["first"], values["last"])
            except PeriodError:
                self.add_error("last", _("The end date is before the start date. Choose a later one."))
        return values

    @property
    def period(self) -> Period:
        return range_of(self.cleaned_data["first"], self.cleaned_data["last"])


class AsOfForm(forms.Form):
    """The day as of which standings are shown; call `limit` to set the available days."""

    on = DayField(label=_("Standings as of"))

    def __init__(self, asked: Mapping[str, str]) -> None:
        # Leave the form unbound if no day is given.
        super().__init__(asked if asked.get("on", "").strip() else None)
        self.first: date | None = None
        self.last: date | None = None

    def limit(self, first: date | None, last: date) -> None:
        """Allow days from the first day of play (None if nothing was played) to the last possible one."""
        self.first, self.last = first, last
        if first is not None:
            self.fields["on"].widget.attrs |= {"min": first.isoformat(), "max": last.isoformat()}

    @property
    def typed(self) -> date | None:
        return self.cleaned_data["on"] if self.is_bound and self.is_valid() else None

    @property
    def day(self) -> date | None:
        if self.typed is None or self.first is None or self.last is None:
            return None
        return self.typed if self.first <= self.typed <= self.last else None

    @property
    def refusal(self) -> str:
        """Message if there are no standings for the requested day, else ""."""
        if not self.is_bound or self.day is not None:
            return ""
        if self.first is None or self.last is None:
            return gettext("Nothing was played in this period, so there are no earlier standings.")
        days = {"first": messages.day_text(self.first), "last": messages.day_text(self.last)}
        return gettext("These standings are available for days from %(first)s to %(last)s.") % days
