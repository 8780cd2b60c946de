"""Form fields for numbers as people type them: full width, ▲ for minus, with or without separators."""

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_POINTS, MAX_RAW_SCORE
from league.core.numbers import DECIMAL, OPEN, comma_of, half_width, plain_number
from scoring.core import format_points, parse_points

_DECIMAL = re.compile(r"[+-]?(?:\d{1,9}(?:\.\d{1,3})?|\.\d{1,3})")
_WHOLE = re.compile(r"[+-]?\d{1,9}")
_COUNT = re.compile(r"\d{1,9}", re.ASCII)
_UNITS = re.compile(r"(?:pts?|点|ポイント|枚)(?!\d)", re.IGNORECASE)


def plain(text: str) -> str:
    return _UNITS.sub("", half_width(text)).strip()


class TypedField(forms.Field):
    """A text field whose value is what `read` returns; None if blank."""

    longest = 40
    default_error_messages: ClassVar[dict[str, Any]] = {"too_long": _("This is too long.")}

    def __init__(self, *, size: int = 9, **options: Any) -> None:
        options.setdefault("widget", forms.TextInput(attrs={"autocomplete": "off", "size": size}))
        super().__init__(**options)

    def to_python(self, value: object) -> Any:
        text = "" if value is None else str(value).strip()
        if len(text) > self.longest:
            raise ValidationError(self.error_messages["too_long"], "too_long")
        return self.read(text) if text else None

    def read(self, text: str) -> Any:
        """Convert the text, which is not blank. Raise ValidationError if that is impossible."""
        raise NotImplementedError


class PointsField(TypedField):
    """Points such as `▲12.5` or `＋３`; the value is in 1/1000 pt."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not a valid number of points. Enter a number such as 12.5 or −20."),
        "open": _("“%(text)s” can mean %(whole)s or %(decimal)s. Enter it without the comma."),
        "too_large": _("“%(text)s” is too large."),
    }

    comma = OPEN
    """Meaning of a comma before three digits, if the other numbers of the form determine it."""

    def read(self, text: str) -> Any:
        if self.comma == OPEN and comma_of([[text]]) == OPEN:
            meant = {"whole": plain(plain_number(text)), "decimal": plain(plain_number(text, DECIMAL))}
            raise ValidationError(self.error_messages["open"], "open", {"text": text, **meant})
        number = plain(plain_number(text, self.comma))
        if not _DECIMAL.fullmatch(number):
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": text})
        points = parse_points(number)
        if abs(points) > MAX_POINTS:
            raise ValidationError(self.error_messages["too_large"], "too_large", {"text": text})
        return points

    def prepare_value(self, value: object) -> object:
        """Format stored points; typed text is unchanged."""
        return format_points(value) if isinstance(value, int) else value


def read_together(form: forms.Form) -> None:
    """Determine the meaning of commas from all PointsFields of a form together."""
    fields = {name: field for name, field in form.fields.items() if isinstance(field, PointsField)}
    comma = comma_of([[str(form.data.get(form.add_prefix(name)) or "")[: TypedField.longest] for name in fields]])
    for field in fields.values():
        field.comma = comma or OPEN


class PointsListField(PointsField):
    """Several points on one line, such as `10 5 ▲5 ▲10`; the value is a tuple in 1/1000 pt."""

    longest = 200

    def read(self, text: str) -> Any:
        """Parse the points. Commas separate them if there are no spaces; otherwise they are part of a number."""
        line = plain(text).replace("+-", "-")
        parts = [part.rstrip(",") for part in re.split(r"[\s、/;]+", line) if part.strip(",")]
        if len(parts) == 1:
            parts = [part for part in line.split(",") if part.strip()]
        elif "," in re.sub(r",(?=\s)|,$", "", line) and re.search(r",\s", line):
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": text})
        self.comma = comma_of([parts]) or OPEN
        return tuple(PointsField.read(self, part) for part in parts)

    def prepare_value(self, value: object) -> object:
        if isinstance(value, Sequence) and not isinstance(value, str):
            return "  ".join(map(str, value))
        return value


class UmaField(PointsListField):
    """Uma by placement; `10-30` is 30 10 −10 −30."""

    def read(self, text: str) -> Any:
        pair = re.fullmatch(r"(\d+)(?:\s+|\s+-\s+|-|\s*[/・~]\s*)(\d+)", plain(text))
        if pair is None:
            return super().read(text)
        low, high = sorted(PointsField.read(self, part) for part in pair.groups())
        return high, low, -low, -high


class TimesField(TypedField):
    """A count such as `40` or `４０`; a dash means None, like a blank field."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not a valid number. Enter a number such as 12, or leave it blank."),
    }

    def __init__(self, *, most: int, **options: Any) -> None:
        super().__init__(size=3, **options)
        self.most = most
        self.widget.attrs["inputmode"] = "numeric"

    def read(self, text: str) -> int | None:
        number = plain(plain_number(text))
        if number in {"-", "—", "–", "―"}:
            return None
        if not _COUNT.fullmatch(number) or int(number) > self.most:
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": text})
        return int(number)


class SticksField(TypedField):
    """Raw points such as start points: `25000`, `２５，０００`, `▲1000`. Must be a multiple of 100."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not a whole number. Enter a number such as 25000."),
        "not_hundreds": _("“%(text)s” is not a multiple of 100."),
        "too_large": _("“%(text)s” is more than all the points on a table."),
    }

    def read(self, text: str) -> int:
        number = plain(plain_number(text))
        if not _WHOLE.fullmatch(number):
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": text})
        if abs(int(number)) > MAX_RAW_SCORE:
            raise ValidationError(self.error_messages["too_large"], "too_large", {"text": text})
        if int(number) % 100:
            raise ValidationError(self.error_messages["not_hundreds"], "not_hundreds", {"text": text})
        return int(number)
