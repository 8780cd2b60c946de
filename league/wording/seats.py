"""Seats and the names in them, in words."""

from collections.abc import Iterable

from django.utils.translation import pgettext, pgettext_lazy

WINDS = (
    pgettext_lazy("seat", "East"),
    pgettext_lazy("seat", "South"),
    pgettext_lazy("seat", "West"),
    pgettext_lazy("seat", "North"),
)

WIND_MARKS = (
    pgettext_lazy("seat, one letter", "E"),
    pgettext_lazy("seat, one letter", "S"),
    pgettext_lazy("seat, one letter", "W"),
    pgettext_lazy("seat, one letter", "N"),
)


def listed(names: Iterable[str]) -> str:
    """Return names in a row."""
    return pgettext("between names", ", ").join(names)
