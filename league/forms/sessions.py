import unicodedata
from datetime import date, datetime, time
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_PLANNED_TABLES, MAX_TITLE_LENGTH, MAX_TYPED_NUMBER, MAX_VENUE_LENGTH
from league.forms.names import NameField
from league.forms.seen import SeenValues
from league.models import League, RulesetVersion, Session
from league.services.calendar import SessionFacts

FIRST_YEAR, LAST_YEAR = 1950, 2100
"""Dates outside these years are typing errors."""


def impossible_year() -> ValidationError:
    years = {"first": FIRST_YEAR, "last": LAST_YEAR}
    return ValidationError(_("Choose a year from %(first)s to %(last)s."), params=years)


class DayField(forms.DateField):
    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}))
        super().__init__(input_formats=["%Y-%m-%d", "%Y/%m/%d"], **options)

    def clean(self, value: object) -> date | None:
        day: date | None = super().clean(value)
        if day is not None and not FIRST_YEAR <= day.year <= LAST_YEAR:
            raise impossible_year()
        return day


class ClockField(forms.TimeField):
    """A time such as 19:00; accepts full-width digits."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.TimeInput(format="%H:%M", attrs={"type": "time"}))
        super().__init__(input_formats=["%H:%M", "%H:%M:%S"], **options)

    def to_python(self, value: str | time | None) -> time | None:
        text = unicodedata.normalize("NFKC", value) if isinstance(value, str) else value
        clock: time | None = super().to_python(text)
        return clock


MOMENT_FORMATS = ["%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y/%m/%d %H:%M"]


class DayAndClockField(forms.DateTimeField):
    def __init__(self, **options: Any) -> None:
        widget = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})
        super().__init__(input_formats=MOMENT_FORMATS, widget=widget, required=False, **options)

    def to_python(self, value: Any) -> datetime | None:
        """Raise ValidationError if the year is out of range."""
        moment: datetime | None = super().to_python(value)
        if moment is not None and not FIRST_YEAR <= moment.year <= LAST_YEAR:
            raise impossible_year()
        return moment


class SessionForm(SeenValues, forms.Form):
    date = DayField(label=_("Date"))
    start_time = ClockField(label=_("Start"), required=False, help_text=_("In the league's time zone."))
    title = NameField(label=_("Title"), max_length=MAX_TITLE_LENGTH, required=False)
    number = forms.IntegerField(
        label=_("Number"),
        required=False,
        min_value=1,
        max_value=MAX_TYPED_NUMBER,
        help_text=_("Used as the name of sessions without a title. If blank, sessions are numbered by date."),
    )
    venue = NameField(label=_("Venue"), max_length=MAX_VENUE_LENGTH, required=False)
    ruleset_version = forms.ModelChoiceField(label=_("Rules"), queryset=RulesetVersion.objects.none(), empty_label=None)

    def __init__(self, *args: Any, league: League, **options: Any) -> None:
        super().__init__(*args, **options)
        if options.get("is_new"):
            text = _("Today: results can be entered at once. Later: members can first say whether they are coming.")
            self.fields["date"].help_text = text
        known = self.initial.get("tables") or 1
        self.fields["tables"] = forms.IntegerField(
            label=_("Tables"), min_value=1, max_value=max(MAX_PLANNED_TABLES, known)
        )
        self.order_fields(("date", "start_time", "title", "number", "venue", "tables", "ruleset_version"))
        versions = RulesetVersion.objects.filter(ruleset__league=league).select_related("ruleset")
        self.fields["ruleset_version"].queryset = versions.order_by("ruleset__name", "-number")  # type: ignore[attr-defined]

    def facts(self) -> SessionFacts:
        return SessionFacts(**self.cleaned_data)


class SessionStateForm(forms.Form):
    state = forms.ChoiceField(choices=Session.State.choices)
