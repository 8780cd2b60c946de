"""House rules as form fields, built from the clauses of the rule sheet."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_CHIPS
from league.forms.points import PointsListField, SticksField, TimesField, TypedField, plain
from scoring.core.house import MAX_CHIP_LABEL_LENGTH, MAX_HOUSE_TEXT_LENGTH, MAX_OTHER_CHIPS
from scoring.core.reading import is_unreadable
from scoring.messages.clauses import HOUSE_CLAUSES, Clause
from scoring.messages.numbers import Texts, in_language

PREFIX = "house_"

NONE = "none_of_them"
"""Choice that explicitly says "none of them"."""

COUNTED = ("red_fives", "chips.red", "chips.gold", "chips.ippatsu", "chips.ura", "chips.yakuman_ron", "chips.yakuman_tsumo_each")  # fmt: skip
"""Clauses whose number is a count; other numbers are points."""

PATHS: Mapping[str, str] = {f"{PREFIX}{path.replace('.', '_')}": path for path in HOUSE_CLAUSES}
"""Clause path by form field."""


class RowsField(TypedField):
    """Numbered rows of points, one per line: `1: 12 ▲1 ▲3 ▲8`; the value is {"1": (12000, …)}."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” cannot be read. Enter a number, a colon and the points."),
    }

    longest = 500

    def __init__(self, **options: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off"}), **options)

    def read(self, text: str) -> dict[str, tuple[int, ...]]:
        return dict(self._row(line) for line in text.splitlines() if line.strip())

    def _row(self, line: str) -> tuple[str, tuple[int, ...]]:
        match = re.fullmatch(r"\s*(\d{1,2})\s*[:=]\s*(.+)", plain(line))
        if not match:
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": line[:60]})
        return str(int(match[1])), PointsListField(required=False).clean(match[2])

    def prepare_value(self, value: object) -> object:
        """Format stored rows, one per line."""
        if isinstance(value, Mapping):
            rows = sorted(value.items(), key=lambda row: int(row[0]))
            return "\n".join(f"{number}: {'  '.join(map(str, row))}" for number, row in rows)
        return value


class ChipsField(TypedField):
    """Chips for special events, one per line: `four of a kind: 2`.

    The value is a list of dicts with `label` and `count`.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” cannot be read. Enter what the chips are for, a colon and the number."),
        "too_many": _("Use at most %(most)s lines. Put rare cases into the free text."),
    }

    longest = MAX_OTHER_CHIPS * (MAX_CHIP_LABEL_LENGTH + 12)

    def __init__(self, **options: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}), **options)

    def read(self, text: str) -> list[dict[str, Any]]:
        rows = [self._row(line) for line in text.splitlines() if line.strip()]
        if len(rows) > MAX_OTHER_CHIPS:
            raise ValidationError(self.error_messages["too_many"], "too_many", {"most": MAX_OTHER_CHIPS})
        return rows

    def _row(self, line: str) -> dict[str, Any]:
        match = re.fullmatch(rf"\s*(.{{1,{MAX_CHIP_LABEL_LENGTH}}}?)\s*[:：=＝]\s*([^:：=＝]+)", line)
        if not match:
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": line[:60]})
        return {"label": match[1], "count": TimesField(most=MAX_CHIPS, required=False).clean(match[2])}

    def prepare_value(self, value: object) -> object:
        """Format stored rows, one per line."""
        if isinstance(value, (list, tuple)):
            return "\n".join(f"{row['label']}: {row['count']}" for row in value)
        return value


class PlainTextField(forms.CharField):
    """Multi-line plain text without control characters, with LF line ends."""

    def to_python(self, value: Any) -> str:
        typed = super().to_python(value) or ""
        lines = (line.replace("\t", " ") for line in typed.splitlines())
        kept = ("".join(sign for sign in line if not is_unreadable(sign)).rstrip() for line in lines)
        return "\n".join(kept).strip()


class SomeField(forms.MultipleChoiceField):
    """A multiple choice that can also be explicitly none, or undecided."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> list[str]:
        """Raise ValidationError if "none of them" is ticked together with others."""
        ticked: list[str] = super().clean(value)
        if NONE in ticked and len(ticked) > 1:
            raise ValidationError(_("Choose some of them, or “none of them”."))
        return ticked


def house_fields() -> Iterator[tuple[str, forms.Field]]:
    for name, path in PATHS.items():
        clause = HOUSE_CLAUSES[path]
        texts = {"label": in_language(clause.label), "help_text": in_language(clause.help)}
        yield name, _field(path, clause, {**texts, "required": False})


def _field(path: str, clause: Clause, options: dict[str, Any]) -> forms.Field:
    if clause.members:
        return SomeField(choices=[*choices_of(clause.members), (NONE, _("none of them"))], **options)
    if clause.options:
        return forms.ChoiceField(choices=[("", _("not decided")), *choices_of(clause.options)], **options)
    if clause.several:
        return ChipsField(**options)
    if clause.amount:
        return TimesField(most=MAX_CHIPS, **options) if path in COUNTED else SticksField(**options)
    return PlainTextField(max_length=MAX_HOUSE_TEXT_LENGTH, widget=forms.Textarea(attrs={"rows": 6}), **options)


def choices_of(texts: Mapping[str, Texts]) -> list[tuple[str, str]]:
    return [(value, in_language(text)) for value, text in texts.items()]
