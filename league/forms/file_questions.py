"""Questions about an imported file: order of dates, missing dates, leftover sticks, commas."""

from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.template.defaultfilters import date as date_format
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext

from league.core.imports.records import ABOVE, BY_SESSION, BY_STAMP, STAY
from league.core.numbers import DECIMAL, THOUSANDS, plain_number
from league.core.spreadsheets.dates import ORDERS, DateOrder
from league.core.spreadsheets.layouts import TABLE
from league.forms.sessions import DayField
from league.messages.imports import DATE_ORDERS
from league.services.imports.values import BESIDE, INCLUDED, MISSING, FileQuestions, FileReading

GIVEN = "day"
"""Answer: all games without a date were played on the day entered below."""

WAYS = {
    ABOVE: _("same day as the row above"),
    BY_SESSION: _("same day as the other rows of the session"),
    BY_STAMP: _("the day on which the form was filled in"),
    STAY: _("leave blank; these rows are listed as errors"),
}
"""Ways to date games without a date."""


def ask(form: forms.Form, questions: FileQuestions, reading: FileReading) -> None:
    asked: dict[str, forms.Field] = {}
    if questions.guess.dates and (reading.date_order or not questions.guess.is_sure):
        asked["date_order"] = _order_field(questions, reading)
    if questions.undated:
        asked["undated"] = _undated_field(questions, reading)
        asked["undated_day"] = DayField(
            label=_("Date played"), required=False, initial=reading.undated if _is_given(reading) else None
        )
    if questions.short:
        asked["sticks"] = forms.BooleanField(
            label=_short(questions.short), required=False, initial=reading.sticks == MISSING
        )
    if questions.comma:
        asked["comma"] = _comma_field(questions.comma, reading)
    if questions.chips:
        asked["chips"] = forms.ChoiceField(
            label=_("Do the points in this file include chips?"),
            choices=[(BESIDE, _("No, chips are added separately")), (INCLUDED, _("Yes"))],
            initial=reading.chips,
            error_messages={"required": _("Choose whether the points include chips.")},
            widget=forms.RadioSelect,
        )
    for name in asked:
        # Initial values of the form are defaults, not answers to these questions.
        form.initial.pop(name, None)
    form.fields = {**asked, **form.fields}


def _order_field(questions: FileQuestions, reading: FileReading) -> forms.Field:
    return forms.ChoiceField(
        label=_("How should the dates be read?"),
        choices=[(str(order), _order_label(questions, order)) for order in ORDERS],
        initial=str(reading.date_order or questions.guess.order),
        help_text=_("The file does not show which number is the day, month or year. Choose once for all dates."),
        error_messages={"required": _("Choose the order of day, month and year.")},
        widget=forms.RadioSelect,
    )


def _order_label(questions: FileQuestions, order: DateOrder) -> str:
    read = (_example(text, days[order]) for text, days in questions.samples)
    return f"{DATE_ORDERS[order]} ({pgettext('between examples', ', ').join(read)})"


def _example(text: str, day: date | None) -> str:
    told = date_format(day, pgettext("date format without weekday", "j M Y")) if day else "—"
    return f"{text} → {told}"


def _undated_field(questions: FileQuestions, reading: FileReading) -> forms.Field:
    text = ngettext(
        "%(count)s hanchan has no date. When was it played?",
        "%(count)s hanchan have no date. When were they played?",
        questions.undated,
    )
    may_stay = bool(questions.day_column) or reading.layout != TABLE
    ways = [(way, WAYS[way]) for way in questions.ways if questions.day_column or way != STAY]
    if not may_stay:
        ways.append((STAY, _("in a column that I choose below")))
    initial = reading.undated or ("" if may_stay else STAY)
    return forms.ChoiceField(
        label=text % {"count": questions.undated},
        choices=[(GIVEN, _("all on the same day, entered below")), *ways],
        initial=GIVEN if _is_given(reading) else initial,
        required=may_stay,
        error_messages={"required": _("Choose when they were played, or leave them without a date.")},
        widget=forms.RadioSelect,
    )


def _is_given(reading: FileReading) -> bool:
    return reading.undated not in {"", *WAYS}


def _short(count: int) -> str:
    text = ngettext(
        "%(count)s hanchan is short by thousands of points. Count the missing points as riichi sticks left "
        "on the table",
        "%(count)s hanchan are short by thousands of points. Count the missing points as riichi sticks left "
        "on the table",
        count,
    )
    return text % {"count": count}


def _comma_field(text: str, reading: FileReading) -> forms.Field:
    return forms.ChoiceField(
        label=_("How many points is “%(text)s” in this file?") % {"text": text},
        choices=[(comma, plain_number(text, comma)) for comma in (DECIMAL, THOUSANDS)],
        initial=reading.comma,
        error_messages={"required": _("Choose what the comma means.")},
        widget=forms.RadioSelect,
    )


def must_name_day(values: dict[str, Any]) -> None:
    if values.get("undated") == GIVEN and not values.get("undated_day"):
        raise ValidationError({"undated_day": _("Choose a day.")})


def answers(values: dict[str, Any], now: FileReading) -> dict[str, Any]:
    """Return the answers as fields of FileReading; questions that were not asked keep their values."""
    found: dict[str, Any] = {}
    if "date_order" in values:
        found["date_order"] = DateOrder(values["date_order"])
    if "undated" in values:
        day = values.get("undated_day")
        found["undated"] = day.isoformat() if values["undated"] == GIVEN and day else values["undated"]
    if "sticks" in values:
        found["sticks"] = MISSING if values["sticks"] else ""
    if "comma" in values:
        found["comma"] = values["comma"]
    if "chips" in values:
        found["chips"] = values["chips"]
    return {name: getattr(now, name) for name in ("date_order", "undated", "sticks", "comma", "chips")} | found
