"""Parts of a snapshot in words: what they are called, and what stands in them."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import FieldDoesNotExist
from django.template.defaultfilters import date as date_format
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext, pgettext
from django.utils.translation import gettext_lazy as _

from league.messages import TIEBREAKS
from league.messages.signs import negative_sign
from league.selectors.history.subjects import HistorySubject, Labels

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
"""What a part of any snapshot is called, before its subject is asked."""


def raw_score(seat: Mapping[str, Any]) -> str:
    """Return the raw score of a seat, with its chips and chombo."""
    raw = seat.get("raw")
    if not isinstance(raw, int):
        return ""
    sign = negative_sign() if raw < 0 else ""
    besides = [
        text % {"count": seat[name]}
        for name, text in (("chips", gettext("chips %(count)s")), ("chombo", gettext("chombo %(count)s")))
        if seat.get(name)
    ]
    return " · ".join([f"{sign}{abs(raw):,}", *besides])


def label(key: str, subject: HistorySubject | None = None) -> str:
    """Return what a part of a snapshot is called."""
    if key in LABELS or subject is None:
        return str(LABELS.get(key, key))
    if key in subject.labels or subject.model is None:
        return str(subject.labels.get(key, key))
    try:
        return str(subject.model._meta.get_field(key).verbose_name)  # type: ignore[union-attr]
    except FieldDoesNotExist:
        return key


def in_order(keys: Iterable[str], subject: HistorySubject) -> list[str]:
    """Return the parts of a snapshot as the thing's own fields stand, then as it labels them: PostgreSQL keeps no order."""
    fields = [field.name for field in subject.model._meta.get_fields()] if subject.model else []
    known = [*fields, *subject.labels]
    return sorted(keys, key=lambda key: (known.index(key) if key in known else len(known), key))


def value_text(key: str, value: Any, subject: HistorySubject) -> str:
    """Return what stands in a part of a snapshot."""
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    if key == "tiebreak" and isinstance(value, list):
        return pgettext("between steps", " → ").join(str(TIEBREAKS.get(name, name)) for name in value)
    if isinstance(value, (list, dict)):
        return listed(value)
    if key == "points" and isinstance(value, int):
        return points(value)
    return _choice(key, value, subject)


MOMENTS = {"expires_at", "revoked_at", "answers_until", "ends_at"}


def listed(value: list[Any] | dict[str, Any]) -> str:
    """Return a list, or what stands under each name, in one line; lists inside one another too."""
    if isinstance(value, list):
        return pgettext("between names", ", ").join(map(_part, value))
    parts = (
        gettext("%(name)s: %(value)s") % {"name": name, "value": _part(each)} for name, each in sorted(value.items())
    )
    return pgettext("between groups", "; ").join(parts)


def _part(value: Any) -> str:
    if isinstance(value, (list, dict)):
        return listed(value)
    return "—" if value is None else str(value)


def points(value: int) -> str:
    """Return points (1/1000 pt) with their sign."""
    whole, rest = divmod(abs(value), 1000)
    sign = negative_sign() if value < 0 else "+"
    return f"{sign}{whole}.{f'{rest:03}'.rstrip('0') or '0'}"


def _choice(key: str, value: Any, subject: HistorySubject) -> str:
    if key in MOMENTS and (moment := parse_datetime(str(value))):
        return date_format(timezone.localtime(moment), pgettext("date format", "j M Y, H:i"))
    if key in subject.values or subject.model is None:
        return str(subject.values.get(key, {}).get(value, value))
    try:
        choices = dict(subject.model._meta.get_field(key).flatchoices)  # type: ignore[union-attr]
    except (FieldDoesNotExist, AttributeError):
        choices = {}
    return str(choices.get(value, value))
