"""Fields for numbered rows of points, for counted things, and for rows of chips."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_CHIPS
from league.core.numbers import plain_number
from league.forms.points import PointsListField, TypedField, plain
from scoring.core.house import MAX_CHIP_LABEL_LENGTH, MAX_OTHER_CHIPS


class RowsField(TypedField):
    """Numbered rows of points, one per line: `1: 12 ▲1 ▲3 ▲8`; gives {1: (12000, …)}."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not understood. Write a number, a colon and the points."),
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
        """Return stored rows one per line."""
        if isinstance(value, Mapping):
            rows = sorted(value.items(), key=lambda row: int(row[0]))
            return "\n".join(f"{number}: {'  '.join(map(str, row))}" for number, row in rows)
        return value


class ChipCountField(TypedField):
    """How many of something: `3`, `５００`; gives a whole number that is not below zero."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not a whole number. Write for example 3."),
        "too_large": _("“%(text)s” is more than any table holds."),
    }

    def read(self, text: str) -> int:
        number = plain(plain_number(text)).removesuffix("枚")
        if not re.fullmatch(r"\d{1,9}", number):
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": text})
        if int(number) > MAX_CHIPS:
            raise ValidationError(self.error_messages["too_large"], "too_large", {"text": text})
        return int(number)


class ChipsField(TypedField):
    """What chips are paid for besides, one per line: `four of a kind: 2`; gives tables with `label` and `count`."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not understood. Write what the chips are for, a colon and how many."),
        "too_many": _("There are more than %(most)s lines. Leave the rarest to the house’s own words."),
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
        return {"label": match[1], "count": ChipCountField(required=False).clean(match[2])}

    def prepare_value(self, value: object) -> object:
        """Return stored rows one per line."""
        if isinstance(value, (list, tuple)):
            return "\n".join(f"{label}: {count}" for label, count in value)
        return value
