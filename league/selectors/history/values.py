from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.db.models import DateField, DateTimeField, ForeignObjectRel, TimeField
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime, parse_time
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _

from league.messages import TIEBREAKS, full_day_text, joined, moment_text, negative_sign
from league.selectors.history.subjects import HistorySubject, Labels
from scoring.core import format_points

LABELS: Labels = {
    "aliases": _("other names"),
    "rules": _("rules"),
    "user": _("user"),
    "raw": _("raw score"),
    "name": _("name"),
    "seats": _("seats"),
    "into": _("merged into"),
    "player": _("player"),
}
"""Labels of snapshot keys that take precedence over those of the subject."""


def raw_score(seat: Mapping[str, Any]) -> str:
    raw = seat.get("raw")
    if not isinstance(raw, int):
        return ""
    sign = negative_sign() if raw < 0 else ""
    besides = [
        text % {"count": count}
        for name, text in (("chips", gettext("chips %(count)s")), ("chombo", gettext("chombo %(count)s")))
        if (count := seat.get(name)) and isinstance(count, int)
    ]
    return " · ".join([f"{sign}{abs(raw):,}", *besides])


def label(key: str, subject: HistorySubject | None = None) -> str:
    if key in LABELS or subject is None:
        return str(LABELS.get(key, key))
    if key in subject.labels or subject.model is None:
        return str(subject.labels.get(key, key))
    field = _field(key, subject)
    if isinstance(field, ForeignObjectRel):
        # The snapshot of an imported league contains the number of its players and sessions.
        return str(field.related_model._meta.verbose_name_plural)
    return str(getattr(field, "verbose_name", key))


def in_order(keys: Iterable[str], subject: HistorySubject) -> list[str]:
    """Sort snapshot keys by field order, then label order.

    PostgreSQL's jsonb does not keep the order of keys.
    """
    fields = [field.name for field in subject.model._meta.get_fields()] if subject.model else []
    known = [*fields, *subject.labels]
    return sorted(keys, key=lambda key: (known.index(key) if key in known else len(known), key))


def value_text(key: str, value: Any, subject: HistorySubject) -> str:
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if key == "tiebreak" and isinstance(value, list):
        steps = (str(TIEBREAKS.get(name, name)) if isinstance(name, str) else listed(name) for name in value)
        return _cut(pgettext("between steps", " → ").join(steps))
    if isinstance(value, (list, dict)):
        return _cut(_time_text(key, value, subject) or listed(value))
    if key == "points" and isinstance(value, int):
        return points(value)
    return _cut(_choice(key, value, subject))


OF_MOMENTS, OF_DAYS = ("_at", "_from", "_until"), ("date", "day", "days")
"""Suffixes and names of keys that contain datetimes and dates, where the subject has no model."""


def _time_text(key: str, value: Any, subject: HistorySubject) -> str | None:
    """Return a date, time or list of them as text, or None if the value is none of these."""
    if isinstance(value, list):
        texts = [None if isinstance(each, list) else _time_text(key, each, subject) for each in value]
        said = [text for text in texts if text is not None]
        return joined(said) if value and len(said) == len(value) else None
    if not isinstance(value, str):
        return None
    kind = _field(key, subject)
    try:
        if isinstance(kind, DateTimeField) or (kind is None and key.endswith(OF_MOMENTS)):
            return _moment_text(value)
        if isinstance(kind, DateField) or (kind is None and key in OF_DAYS):
            day = parse_date(value)
            return full_day_text(day) if day else None
        clock = parse_time(value) if isinstance(kind, TimeField) else None
    except (ValueError, OverflowError):
        # Stored by hand: show it unchanged rather than fail.
        return None
    return f"{clock:%H:%M}" if clock else None


def _moment_text(value: str) -> str | None:
    moment = parse_datetime(value)
    if moment is None:
        return None
    return moment_text(moment if timezone.is_aware(moment) else timezone.make_aware(moment))


def _field(key: str, subject: HistorySubject) -> object | None:
    """Return the model field of a snapshot key, or None if there is none."""
    if subject.model is None:
        return None
    try:
        return subject.model._meta.get_field(key)
    except FieldDoesNotExist:
        return None


DEEPEST, LONGEST = 8, 10_000
"""Maximum nesting depth and number of characters shown of one value."""


def listed(value: Any, deep: int = DEEPEST) -> str:
    """Return a value on one line, nested lists and mappings too."""
    if not isinstance(value, (list, dict)):
        return "—" if value is None else str(value)
    if not deep:
        return "…"
    if isinstance(value, list):
        return joined(listed(each, deep - 1) for each in value)
    parts = (
        gettext("%(name)s: %(value)s") % {"name": name, "value": listed(each, deep - 1)}
        for name, each in sorted(value.items())
    )
    return pgettext("between groups", "; ").join(parts)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def points(value: int) -> str:
    sign = negative_sign() if value < 0 else "+"
    return f"{sign}{format_points(abs(value), decimals=1)}"


def _choice(key: str, value: Any, subject: HistorySubject) -> str:
    if (said := _time_text(key, value, subject)) is not None:
        return said
    if key in subject.values:
        return str(subject.values[key].get(value, value))
    return str(dict(getattr(_field(key, subject), "flatchoices", ())).get(value, value))
