"""Seats and the names in them, in words."""

from collections.abc import Iterable

from django.utils.translation import pgettext, pgettext_lazy

WINDS = (
    pgettext_lazy("player by wind", "East"),
    pgettext_lazy("player by wind", "South"),
    pgettext_lazy("player by wind", "West"),
    pgettext_lazy("player by wind", "North"),
)

WIND_MARKS = (
    pgettext_lazy("seat, one letter", "E"),
    pgettext_lazy("seat, one letter", "S"),
    pgettext_lazy("seat, one letter", "W"),
    pgettext_lazy("seat, one letter", "N"),
)


def listed(names: Iterable[str]) -> str:
    return pgettext("between names", ", ").join(names)
