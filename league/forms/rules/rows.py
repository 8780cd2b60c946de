"""A field for numbered rows of points."""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.forms.points import PointsListField, TypedField, plain


class RowsField(TypedField):
    """Numbered rows of points, one per line: `1: 12 ▲1 ▲3 ▲8`; gives {1: (12000, …)}."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not understood. Write a number, a colon and the points."),
    }

    longest = 500

    def __init__(self, **options: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off"}), **options)

    def read(self, text: str) -> dict[str, tuple[int, ...]]:
        """Return the rows by number."""
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
