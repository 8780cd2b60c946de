"""Fields for numbers as people write them: full width, with ▲ for minus, with or without separators."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_POINTS, MAX_RAW_SCORE
from league.core.numbers import half_width
from scoring.core import format_points, parse_points

_DECIMAL = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d{1,3})?|\.\d{1,3})")
_WHOLE = re.compile(r"[+-]?\d{1,9}")
_COUNT = re.compile(r"\d{1,9}", re.ASCII)
_UNITS = re.compile(r"pts?|点|ポイント", re.IGNORECASE)


def plain(text: str) -> str:
    """Return a number or a list of numbers in half-width digits with a plain minus."""
    return _UNITS.sub("", half_width(text)).strip()


class TypedField(forms.Field):
    """A text that means something else: its value is what `read` makes of it, None when nothing was typed."""

    longest = 40
    default_error_messages: ClassVar[dict[str, Any]] = {"too_long": _("This is too long.")}

    def __init__(self, *, size: int = 9, **options: Any) -> None:
        options.setdefault("widget", forms.TextInput(attrs={"autocomplete": "off", "size": size}))
        super().__init__(**options)

    def to_python(self, value: object) -> Any:
        """Return the value, or None when nothing was typed."""
        text = "" if value is None else str(value).strip()
        if len(text) > self.longest:
            raise ValidationError(self.error_messages["too_long"], "too_long")
        return self.read(text) if text else None

    def read(self, text: str) -> Any:
        """Return what the text means. Raises ValidationError."""
        raise NotImplementedError


class PointsField(TypedField):
    """Points typed as `▲12.5` or `＋３`; gives 1/1000 pt, exactly."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not a number of points. Write for example 12.5 or ▲20."),
        "too_large": _("“%(text)s” is more than any league awards."),
    }

    def read(self, text: str) -> Any:
        """Return the points that one number means."""
        number = plain(text).replace(",", "").replace(" ", "")
        if not _DECIMAL.fullmatch(number):
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": text})
        points = parse_points(number)
        if abs(points) > MAX_POINTS:
            raise ValidationError(self.error_messages["too_large"], "too_large", {"text": text})
        return points

    def prepare_value(self, value: object) -> object:
        """Return stored points as people write them; what was typed stays as it is."""
        return format_points(value) if isinstance(value, int) else value


class PointsListField(PointsField):
    """Several points in one line, such as `10 5 ▲5 ▲10`; gives a tuple of 1/1000 pt."""

    longest = 200

    def read(self, text: str) -> Any:
        """Return every number of the line."""
        parts = [part for part in re.split(r"[\s,、/;]+", plain(text).replace("+-", "-")) if part]
        return tuple(PointsField.read(self, part) for part in parts)

    def prepare_value(self, value: object) -> object:
        """Return stored points in one line."""
        if isinstance(value, Sequence) and not isinstance(value, str):
            return "  ".join(format_points(points) for points in value)
        return value


class TimesField(TypedField):
    """How many, such as `40` or `４０`; gives a whole number, None for a dash as for nothing."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not a number of times. Write for example 12, or leave it empty."),
    }

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(size=3, **options)
        self.most = most
        self.widget.attrs["inputmode"] = "numeric"

    def read(self, text: str) -> int | None:
        """Return the number."""
        number = plain(text)
        if number in {"-", "—", "–", "―"}:
            return None
        if not _COUNT.fullmatch(number) or int(number) > self.most:
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": text})
        return int(number)


class SticksField(TypedField):
    """Raw points such as start points: `25000`, `２５，０００`, `▲1000`; gives a multiple of 100."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not a whole number. Write for example 25000."),
        "not_hundreds": _("“%(text)s” is not a multiple of 100."),
        "too_large": _("“%(text)s” is more than any table holds."),
    }

    def read(self, text: str) -> int:
        """Return the number."""
        number = plain(text).replace(",", "").replace(" ", "")
        if not _WHOLE.fullmatch(number):
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": text})
        if abs(int(number)) > MAX_RAW_SCORE:
            raise ValidationError(self.error_messages["too_large"], "too_large", {"text": text})
        if int(number) % 100:
            raise ValidationError(self.error_messages["not_hundreds"], "not_hundreds", {"text": text})
        return int(number)
