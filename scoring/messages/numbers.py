"""Formats for numbers in sentences, with each language's minus sign; winds, lists of names, texts in two languages."""

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce

from django.utils.functional import lazy
from django.utils.translation import get_language, pgettext, pgettext_lazy
from django.utils.translation import gettext as _

from scoring.core import format_points

Texts = Mapping[str, str | None]
"""A text by language: ja, en."""

MINUS = {"ja": "▲"}
"""Minus sign by language. The default is the typographic minus."""


WINDS = (
    pgettext_lazy("wind of a seat", "East"),
    pgettext_lazy("wind of a seat", "South"),
    pgettext_lazy("wind of a seat", "West"),
    pgettext_lazy("wind of a seat", "North"),
)


def minus() -> str:
    return MINUS.get((get_language() or "")[:2], "−")


def points_text(points: int) -> str:
    """Return points (1/1000 pt) with a sign and at least one decimal: +21.7, ▲4.5, 0.0."""
    return _signed(points, format_points(abs(points), decimals=1))


def short_text(points: int) -> str:
    """Return points (1/1000 pt) with a sign and no trailing zeros, for rule sheets: +10, ▲2.5, 0."""
    return _signed(points, format_points(abs(points)))


def amount_text(points: int) -> str:
    """Return an amount (1/1000 pt) without plus sign and trailing zeros: 10, 2.5, ▲40."""
    return f"{minus() if points < 0 else ''}{format_points(abs(points))}"


def raw_text(score: int) -> str:
    """Return a raw score with thousands separators: 31,700, ▲1,500."""
    return f"{minus() if score < 0 else ''}{abs(score):,}"


def count_text(count: int) -> str:
    """Return an integer with its sign, for example chips: +3, ▲1, 0."""
    return _signed(count, f"{abs(count):,}")


def _signed(value: int, text: str) -> str:
    return text if value == 0 else f"{'+' if value > 0 else minus()}{text}"


def seat_text(seat: int | None, names: Sequence[str] = ()) -> str:
    if seat is not None and 0 <= seat < len(names) and names[seat]:
        return str(names[seat])
    return str(WINDS[seat]) if seat is not None and 0 <= seat < len(WINDS) else _("The table")


def seats_text(seats: Iterable[int], names: Sequence[str] = ()) -> str:
    return joined(seat_text(seat, names) for seat in seats)


def in_language(texts: Texts) -> str:
    """Return the text in the active language, else in the other one."""
    return texts.get((get_language() or "en")[:2]) or next(filter(None, texts.values()), "")


lazily = lazy(in_language, str)


def joined(words: Iterable[str]) -> str:
    return pgettext("between the words of a list", ", ").join(words)


def sentences(*parts: str) -> str:
    """Join sentences, with a space between them if the language uses one. Empty ones are skipped."""
    return reduce(_two_sentences, filter(None, parts), "")


def _two_sentences(first: str, second: str) -> str:
    return _("%(first)s %(second)s") % {"first": first, "second": second} if first else second
