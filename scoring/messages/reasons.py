from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

from scoring.core import Reason
from scoring.messages.numbers import amount_text, count_text, points_text, raw_text, seats_text, short_text

SENTENCES = {
    "base": _("Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(points)s"),
    "base_rounded": _("Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(exact)s, %(how)s: %(points)s"),
    "base_floored": _("Base: %(raw)s counts as %(floor)s, the lowest score; minus %(return_points)s gives %(points)s"),
    "oka": _("Oka (1st): %(points)s"),
    "oka_by_seat": _("Oka: %(tied)s are tied; the seat closest to the first dealer gets %(points)s"),
    "oka_shared": _("Oka: %(tied)s are tied and share %(oka)s: %(points)s"),
    "uma": _("Uma (place %(place)s): %(points)s"),
    "uma_floating": ngettext_lazy(
        "Uma (place %(place)s, %(floaters)s player above %(threshold)s): %(points)s",
        "Uma (place %(place)s, %(floaters)s players above %(threshold)s): %(points)s",
        "floaters",
    ),
    "uma_by_seat": _("Uma: %(tied)s are tied and placed by seat; place %(place)s: %(points)s"),
    "uma_shared": _(
        "Uma: %(tied)s are tied and share places %(first)s to %(last)s: (%(shared)s) ÷ %(count)s = %(points)s"
    ),
    "uma_shared_unevenly": _(
        "Uma: %(tied)s are tied and share places %(first)s to %(last)s, %(shared)s; the remainder goes by "
        "seat: %(points)s"
    ),
    "leftover": ngettext_lazy(
        "%(sticks)s leftover stick goes to 1st place after uma: %(points)s",
        "%(sticks)s leftover sticks go to 1st place after uma: %(points)s",
        "sticks",
    ),
    "rounding": _("1st place absorbs the rounding: %(points)s"),
    "floor": _(
        "For everyone else, any score under %(floor)s counts as %(floor)s. The difference is deducted from "
        "1st place: %(points)s"
    ),
    "given": _("Raw scores unknown; points entered as %(points)s"),
    "bust_paid_win": _("Bust prize (busted by %(winners)s): %(points)s"),
    "bust_paid_draw": _("Bust prize (draw, %(tenpai)s tenpai): %(points)s"),
    "bust_paid_riichi": _("Bust prize paid: %(points)s"),
    "bust_paid_other": _("Bust prize paid: %(points)s"),
    "bust_won": _("Bust prize (%(busted)s busted): %(points)s"),
    "bust_chips": _("Bust prize in chips: %(count)s"),
    "chips": _("Chips: %(count)s × %(value)s = %(points)s"),
    "fees": _("Table fee: %(points)s"),
    "penalties": _("%(count)s chombo: %(points)s"),
    "chombo_total": _("%(count)s chombo at %(amount)s, deducted from the total, not from the hanchan: %(points)s"),
    "chombo_mangan": _("%(count)s chombo, paid in sticks as a mangan and included in the raw scores"),
    "chombo_flat_each": _(
        "%(count)s chombo, %(amount)s points paid to each other player in sticks and included in the raw scores"
    ),
    "chombo_none": ngettext_lazy(
        "%(count)s chombo, which costs no points under these rules",
        "%(count)s chombo, which cost no points under these rules",
        "count",
    ),
}

SENTENCES_WHERE = {
    "base": (
        "sticks",
        _("Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(points)s, including %(sticks)s points for leftover sticks"),
    ),
    "base_rounded": (
        "sticks",
        _(
            "Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(exact)s, %(how)s: %(points)s, including %(sticks)s "
            "points for leftover sticks"
        ),
    ),
    "oka": ("is_auto", _("Oka (1st): %(players)s × (%(return_points)s − %(start_points)s) ÷ 1,000 = %(points)s")),
    "uma_floating": (
        "inclusive",
        ngettext_lazy(
            "Uma (place %(place)s, %(floaters)s player at or above %(threshold)s): %(points)s",
            "Uma (place %(place)s, %(floaters)s players at or above %(threshold)s): %(points)s",
            "floaters",
        ),
    ),
    "fees": ("is_top", _("Table fee including 1st place's extra: %(points)s")),
}
"""Sentences used in place of the default while the named value is true."""

ROUNDED = {
    "floor": _("rounded down"),
    "ceil": _("rounded up"),
    "trunc": _("truncated toward zero"),
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
"""Formatters by name of the value. Other values are plain numbers."""

_AS_TEXT_IN: Mapping[str, Mapping[str, Callable[[Any], str]]] = {
    "base": {"sticks": raw_text},
    "base_rounded": {"sticks": raw_text},
    "chips": {"count": count_text},
    "bust_chips": {"count": count_text},
    "chombo_total": {"amount": short_text},
    "chombo_flat_each": {"amount": raw_text},
}
"""Formatters that override `_AS_TEXT` in some sentences."""


def reason_sentence(reason: Reason, names: Sequence[str] = ()) -> str:
    """Return the sentence that explains a line of points.

    `names` in seat order from the first dealer; by default winds.
    """
    values: dict[str, Any] = dict(reason.values)
    if "raw" in values:
        values["raw"] += values["sticks"]
    as_text = {**_AS_TEXT, **_AS_TEXT_IN.get(reason.code, {})}
    known = {name: as_text[name](value) for name, value in values.items() if name in as_text and value is not None}
    facts = values | known
    facts |= {name: seats_text(values[name], names) for name in _SEATS if name in values}
    facts |= {"how": ROUNDED[values["mode"]]} if "mode" in values else {}
    facts |= {"count": len(values["tied"])} if "tied" in values else {}
    where, sentence = SENTENCES_WHERE.get(reason.code, ("", ""))
    return str((sentence if where and values[where] else SENTENCES[reason.code]) % facts)
