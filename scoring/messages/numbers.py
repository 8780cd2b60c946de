"""Numbers inside sentences: signs as each language writes them, winds, lists of names."""

from collections.abc import Iterable, Sequence
from functools import reduce

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from scoring.core import format_points

MINUS = {"ja": "▲"}
"""The sign in front of a negative number; everywhere else the typographic minus."""


def minus() -> str:
    return MINUS.get((get_language() or "")[:2], "−")


def points_text(points: int) -> str:
    """Return points (1/1000 pt) with a sign and at least one decimal: +21.7, ▲4.5, 0.0."""
    return _signed(points, format_points(abs(points), decimals=1))


def short_text(points: int) -> str:
    """Return points (1/1000 pt) with a sign, as short as they are exact, as rule sheets write them: +10, ▲2.5, 0."""
    return _signed(points, format_points(abs(points)))


def amount_text(points: int) -> str:
    """Return an amount of points (1/1000 pt) as short as it is exact: 10, 2.5, ▲40."""
    return f"{minus() if points < 0 else ''}{format_points(abs(points))}"


def raw_text(score: int) -> str:
    """Return a raw score with thousands set apart: 31,700, ▲1,500."""
    return f"{minus() if score < 0 else ''}{abs(score):,}"


def count_text(count: int) -> str:
    """Return a whole number with its sign, such as chips: +3, ▲1, 0."""
    return _signed(count, f"{abs(count):,}")


def _signed(value: int, text: str) -> str:
    return text if value == 0 else f"{'+' if value > 0 else minus()}{text}"


def seat_text(seat: int | None, names: Sequence[str] = ()) -> str:
    if seat is not None and 0 <= seat < len(names) and names[seat]:
        return str(names[seat])
    winds = (
        pgettext("wind of a seat", "East"),
        pgettext("wind of a seat", "South"),
        pgettext("wind of a seat", "West"),
        pgettext("wind of a seat", "North"),
    )
    return winds[seat] if seat is not None and 0 <= seat < len(winds) else _("The table")


def seats_text(seats: Iterable[int], names: Sequence[str] = ()) -> str:
    return joined(seat_text(seat, names) for seat in seats)


def joined(words: Iterable[str]) -> str:
    return pgettext("between the words of a list", ", ").join(words)


def sentences(*parts: str) -> str:
    """Return sentences one after the other, with a space where the language has one; empty ones are left out."""
    return reduce(_two_sentences, filter(None, parts), "")


def _two_sentences(first: str, second: str) -> str:
    return _("%(first)s %(second)s") % {"first": first, "second": second} if first else second
