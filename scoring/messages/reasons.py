from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from scoring.core import Reason
from scoring.messages.numbers import amount_text, count_text, points_text, raw_text, seats_text, short_text

SENTENCES = {
    "base": _("Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(points)s"),
    "base_rounded": _("Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(exact)s, %(how)s: %(points)s"),
    "base_floored": _("Base: %(raw)s counts as %(floor)s, no lower; less %(return_points)s that is %(points)s"),
    "oka": _("Oka: the top gets %(points)s"),
    "oka_by_seat": _("Oka: %(tied)s are level; it goes to the seat nearest the first dealer: %(points)s"),
    "oka_shared": _("Oka: %(tied)s are level and share %(oka)s: %(points)s"),
    "uma": _("Uma for place %(place)s: %(points)s"),
    "uma_floating": ngettext_lazy(
        "Uma with %(floaters)s player above %(threshold)s, place %(place)s: %(points)s",
        "Uma with %(floaters)s players above %(threshold)s, place %(place)s: %(points)s",
        "floaters",
    ),
    "uma_by_seat": _("Uma: %(tied)s are level and take their places by seat; place %(place)s: %(points)s"),
    "uma_shared": _(
        "Uma: %(tied)s are level and share places %(first)s to %(last)s: (%(shared)s) ÷ %(count)s = %(points)s"
    ),
    "uma_shared_unevenly": _(
        "Uma: %(tied)s are level and share places %(first)s to %(last)s, %(shared)s; the remainder goes by seat: "
        "%(points)s"
    ),
    "leftover": ngettext_lazy(
        "%(sticks)s stick left on the table goes to the top after the places are paid: %(points)s",
        "%(sticks)s sticks left on the table go to the top after the places are paid: %(points)s",
        "sticks",
    ),
    "rounding": _("The others are rounded; the top takes the balance: %(points)s"),
    "floor": _("Nobody else counts lower than %(floor)s; the top gets that much less: %(points)s"),
    "given": _("The raw scores are not known; the points were given as %(points)s"),
    "bust_paid_win": _("Bust prize, busted by %(winners)s: %(points)s"),
    "bust_paid_draw": _("Bust prize, bust by a draw with %(tenpai)s tenpai: %(points)s"),
    "bust_paid_riichi": _("Bust prize paid: %(points)s"),
    "bust_paid_other": _("Bust prize paid: %(points)s"),
    "bust_won": _("Bust prize for the bust of %(busted)s: %(points)s"),
    "bust_chips": _("Bust prize, paid in chips: %(count)s"),
    "chips": _("Chips: %(count)s × %(value)s = %(points)s"),
    "fees": _("Table fee: %(points)s"),
    "penalties": ngettext_lazy("%(count)s chombo: %(points)s", "%(count)s chombo: %(points)s", "count"),
    "chombo_total": ngettext_lazy(
        "%(count)s chombo at %(amount)s, on the total and outside the hanchan: %(points)s",
        "%(count)s chombo at %(amount)s, on the total and outside the hanchan: %(points)s",
        "count",
    ),
    "chombo_mangan": ngettext_lazy(
        "%(count)s chombo, paid in sticks as a mangan: it is in the raw scores already",
        "%(count)s chombo, paid in sticks as a mangan: it is in the raw scores already",
        "count",
    ),
    "chombo_flat_each": ngettext_lazy(
        "%(count)s chombo, %(amount)s points paid to each of the others in sticks: it is in the raw scores already",
        "%(count)s chombo, %(amount)s points paid to each of the others in sticks: it is in the raw scores already",
        "count",
    ),
    "chombo_none": ngettext_lazy(
        "%(count)s chombo, which takes no points under these rules",
        "%(count)s chombo, which take no points under these rules",
        "count",
    ),
}

SENTENCES_WHERE = {
    "base": (
        "sticks",
        _(
            "Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(points)s, %(sticks)s points of sticks left on the table "
            "included"
        ),
    ),
    "base_rounded": (
        "sticks",
        _(
            "Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(exact)s, %(how)s: %(points)s, %(sticks)s points of "
            "sticks left on the table included"
        ),
    ),
    "oka": (
        "is_auto",
        _("Oka: %(players)s × (%(return_points)s − %(start_points)s) ÷ 1,000 goes to the top: %(points)s"),
    ),
    "uma_floating": (
        "inclusive",
        ngettext_lazy(
            "Uma with %(floaters)s player at or above %(threshold)s, place %(place)s: %(points)s",
            "Uma with %(floaters)s players at or above %(threshold)s, place %(place)s: %(points)s",
            "floaters",
        ),
    ),
    "fees": ("is_top", _("Table fee with the top's: %(points)s")),
}
"""Alternative sentence while a named value is true."""

ROUNDED = {
    "floor": _("rounded down"),
    "ceil": _("rounded up"),
    "trunc": _("cut off toward zero"),
    "away": _("rounded away from zero"),
    "half_up": _("rounded to the nearest, halves up"),
    "half_down": _("rounded to the nearest, halves down"),
    "half_away": _("rounded to the nearest, halves away from zero"),
}

_SEATS = ("tied", "winners", "tenpai", "busted")

_AS_TEXT: Mapping[str, Callable[[Any], str]] = {
    **dict.fromkeys(("points", "exact"), points_text),
    **dict.fromkeys(("raw", "return_points", "start_points", "threshold", "floor"), raw_text),
    **dict.fromkeys(("oka", "value"), amount_text),
    "shared": lambda row: " ".join(map(points_text, row)),
}
"""Formatters by value; others are plain numbers."""

_AS_TEXT_IN: Mapping[str, Mapping[str, Callable[[Any], str]]] = {
    "base": {"sticks": raw_text},
    "base_rounded": {"sticks": raw_text},
    "chips": {"count": count_text},
    "bust_chips": {"count": count_text},
    "chombo_total": {"amount": short_text},
    "chombo_flat_each": {"amount": raw_text},
}
"""The same for values that are written otherwise in some sentences."""


def reason_sentence(reason: Reason, names: Sequence[str] = ()) -> str:
    """Return the sentence that explains a line of points; `names` from the first dealer on, winds without."""
    values: dict[str, Any] = dict(reason.values)
    if "raw" in values:
        values["raw"] += values["sticks"]
    as_text = {**_AS_TEXT, **_AS_TEXT_IN.get(reason.code, {})}
    facts = {
        name: as_text[name](value) if name in as_text and value is not None else value for name, value in values.items()
    }
    facts |= {name: seats_text(values[name], names) for name in _SEATS if name in values}
    facts |= {"how": ROUNDED[values["mode"]]} if "mode" in values else {}
    facts |= {"count": len(values["tied"])} if "tied" in values else {}
    where, sentence = SENTENCES_WHERE.get(reason.code, ("", ""))
    return str((sentence if where and values[where] else SENTENCES[reason.code]) % facts)
