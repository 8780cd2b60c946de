"""Why a line of points is what it is."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.core import Reason
from scoring.messages.numbers import amount_text, count_text, points_text, raw_text, seats_text, short_text

Values = Mapping[str, Any]
Names = Sequence[str]


def reason_sentence(reason: Reason, names: Names = ()) -> str:
    """Return the sentence that explains a line of points; `names` from the first dealer on, winds without."""
    return _REASONS[reason.code](reason.values, names)


def rounding_words() -> dict[str, str]:
    """Return what each way of rounding does."""
    return {
        "floor": _("rounded down"),
        "ceil": _("rounded up"),
        "trunc": _("cut off toward zero"),
        "away": _("rounded away from zero"),
        "half_up": _("rounded to the nearest, halves up"),
        "half_down": _("rounded to the nearest, halves down"),
        "half_away": _("rounded to the nearest, halves away from zero"),
    }


def _base_values(values: Values) -> dict[str, str]:
    return {
        "raw": raw_text(values["raw"] + values["sticks"]),
        "sticks": raw_text(values["sticks"]),
        "return_points": raw_text(values["return_points"]),
        "points": points_text(values["points"]),
        "exact": points_text(values["exact"]),
    }


def _base(values: Values, _names: Names) -> str:
    if values["sticks"]:
        text = _(
            "Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(points)s, %(sticks)s points of sticks left on the table "
            "included"
        )
    else:
        text = _("Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(points)s")
    return text % _base_values(values)


def _base_rounded(values: Values, _names: Names) -> str:
    if values["sticks"]:
        text = _(
            "Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(exact)s, %(how)s: %(points)s, %(sticks)s points of "
            "sticks left on the table included"
        )
    else:
        text = _("Base: (%(raw)s − %(return_points)s) ÷ 1,000 = %(exact)s, %(how)s: %(points)s")
    return text % (_base_values(values) | {"how": rounding_words()[values["mode"]]})


def _base_floored(values: Values, _names: Names) -> str:
    text = _("Base: %(raw)s counts as %(floor)s, no lower; less %(return_points)s that is %(points)s")
    return text % (_base_values(values) | {"floor": raw_text(values["floor"])})


def _oka(values: Values, _names: Names) -> str:
    points = points_text(values["points"])
    if not values["is_auto"]:
        return _("Oka: the top gets %(points)s") % {"points": points}
    return _("Oka: %(players)s × (%(return_points)s − %(start_points)s) ÷ 1,000 goes to the top: %(points)s") % {
        "players": values["players"],
        "return_points": raw_text(values["return_points"]),
        "start_points": raw_text(values["start_points"]),
        "points": points,
    }


def _oka_by_seat(values: Values, names: Names) -> str:
    text = _("Oka: %(tied)s are level; it goes to the seat nearest the first dealer: %(points)s")
    return text % {"tied": seats_text(values["tied"], names), "points": points_text(values["points"])}


def _oka_shared(values: Values, names: Names) -> str:
    return _("Oka: %(tied)s are level and share %(oka)s: %(points)s") % {
        "tied": seats_text(values["tied"], names),
        "oka": amount_text(values["oka"]),
        "points": points_text(values["points"]),
    }


def _uma(values: Values, _names: Names) -> str:
    return _("Uma for place %(place)s: %(points)s") % {
        "place": values["place"],
        "points": points_text(values["points"]),
    }


def _uma_floating(values: Values, _names: Names) -> str:
    floaters = values["floaters"]
    if values["inclusive"]:
        text = ngettext(
            "Uma with %(floaters)s player at or above %(threshold)s, place %(place)s: %(points)s",
            "Uma with %(floaters)s players at or above %(threshold)s, place %(place)s: %(points)s",
            floaters,
        )
    else:
        text = ngettext(
            "Uma with %(floaters)s player above %(threshold)s, place %(place)s: %(points)s",
            "Uma with %(floaters)s players above %(threshold)s, place %(place)s: %(points)s",
            floaters,
        )
    return text % {
        "floaters": floaters,
        "threshold": raw_text(values["threshold"]),
        "place": values["place"],
        "points": points_text(values["points"]),
    }


def _uma_by_seat(values: Values, names: Names) -> str:
    text = _("Uma: %(tied)s are level and take their places by seat; place %(place)s: %(points)s")
    return text % {
        "tied": seats_text(values["tied"], names),
        "place": values["place"],
        "points": points_text(values["points"]),
    }


def _uma_shared(values: Values, names: Names) -> str:
    text = _("Uma: %(tied)s are level and share places %(first)s to %(last)s: (%(shared)s) ÷ %(count)s = %(points)s")
    return text % {
        "tied": seats_text(values["tied"], names),
        "first": values["first"],
        "last": values["last"],
        "shared": " ".join(points_text(points) for points in values["shared"]),
        "count": len(values["tied"]),
        "points": points_text(values["points"]),
    }


def _uma_shared_unevenly(values: Values, names: Names) -> str:
    text = _(
        "Uma: %(tied)s are level and share places %(first)s to %(last)s, %(shared)s; the remainder goes by seat: "
        "%(points)s"
    )
    return text % {
        "tied": seats_text(values["tied"], names),
        "first": values["first"],
        "last": values["last"],
        "shared": " ".join(points_text(points) for points in values["shared"]),
        "points": points_text(values["points"]),
    }


def _leftover(values: Values, _names: Names) -> str:
    sticks = values["sticks"]
    text = ngettext(
        "%(sticks)s stick left on the table goes to the top after the places are paid: %(points)s",
        "%(sticks)s sticks left on the table go to the top after the places are paid: %(points)s",
        sticks,
    )
    return text % {"sticks": sticks, "points": points_text(values["points"])}


def _rounding(values: Values, _names: Names) -> str:
    text = _("The others are rounded; the top takes the balance: %(points)s")
    return text % {"points": points_text(values["points"])}


def _floor(values: Values, _names: Names) -> str:
    text = _("Nobody else counts lower than %(floor)s; the top gets that much less: %(points)s")
    return text % {"floor": raw_text(values["floor"]), "points": points_text(values["points"])}


def _given(values: Values, _names: Names) -> str:
    return _("The raw scores are not known; the points were given as %(points)s") % {
        "points": points_text(values["points"])
    }


def _bust_paid_win(values: Values, names: Names) -> str:
    text = _("Bust prize, busted by %(winners)s: %(points)s")
    return text % {"winners": seats_text(values["winners"], names), "points": points_text(values["points"])}


def _bust_paid_draw(values: Values, names: Names) -> str:
    text = _("Bust prize, bust by a draw with %(tenpai)s tenpai: %(points)s")
    return text % {"tenpai": seats_text(values["tenpai"], names), "points": points_text(values["points"])}


def _bust_paid_otherwise(values: Values, _names: Names) -> str:
    return _("Bust prize paid: %(points)s") % {"points": points_text(values["points"])}


def _bust_won(values: Values, names: Names) -> str:
    text = _("Bust prize for the bust of %(busted)s: %(points)s")
    return text % {"busted": seats_text(values["busted"], names), "points": points_text(values["points"])}


def _chips(values: Values, _names: Names) -> str:
    return _("Chips: %(count)s × %(value)s = %(points)s") % {
        "count": count_text(values["count"]),
        "value": amount_text(values["value"]),
        "points": points_text(values["points"]),
    }


def _fees(values: Values, _names: Names) -> str:
    if values["is_top"]:
        return _("Table fee with the top's: %(points)s") % {"points": points_text(values["points"])}
    return _("Table fee: %(points)s") % {"points": points_text(values["points"])}


def _penalties(values: Values, _names: Names) -> str:
    text = ngettext("%(count)s chombo: %(points)s", "%(count)s chombo: %(points)s", values["count"])
    return text % {"count": values["count"], "points": points_text(values["points"])}


def _chombo_total(values: Values, _names: Names) -> str:
    text = ngettext(
        "%(count)s chombo at %(amount)s, on the total and outside the hanchan: %(points)s",
        "%(count)s chombo at %(amount)s, on the total and outside the hanchan: %(points)s",
        values["count"],
    )
    return text % {
        "count": values["count"],
        "amount": short_text(values["amount"]),
        "points": points_text(values["points"]),
    }


def _chombo_mangan(values: Values, _names: Names) -> str:
    text = ngettext(
        "%(count)s chombo, paid in sticks as a mangan: it is in the raw scores already",
        "%(count)s chombo, paid in sticks as a mangan: it is in the raw scores already",
        values["count"],
    )
    return text % {"count": values["count"]}


def _chombo_flat_each(values: Values, _names: Names) -> str:
    text = ngettext(
        "%(count)s chombo, %(amount)s points paid to each of the others in sticks: it is in the raw scores already",
        "%(count)s chombo, %(amount)s points paid to each of the others in sticks: it is in the raw scores already",
        values["count"],
    )
    return text % {"count": values["count"], "amount": raw_text(values["amount"])}


def _chombo_none(values: Values, _names: Names) -> str:
    text = ngettext(
        "%(count)s chombo, which takes no points under these rules",
        "%(count)s chombo, which take no points under these rules",
        values["count"],
    )
    return text % {"count": values["count"]}


_REASONS: dict[str, Callable[[Values, Names], str]] = {
    "base": _base,
    "base_rounded": _base_rounded,
    "base_floored": _base_floored,
    "oka": _oka,
    "oka_by_seat": _oka_by_seat,
    "oka_shared": _oka_shared,
    "uma": _uma,
    "uma_floating": _uma_floating,
    "uma_by_seat": _uma_by_seat,
    "uma_shared": _uma_shared,
    "uma_shared_unevenly": _uma_shared_unevenly,
    "leftover": _leftover,
    "rounding": _rounding,
    "floor": _floor,
    "given": _given,
    "bust_paid_win": _bust_paid_win,
    "bust_paid_draw": _bust_paid_draw,
    "bust_paid_riichi": _bust_paid_otherwise,
    "bust_paid_other": _bust_paid_otherwise,
    "bust_won": _bust_won,
    "chips": _chips,
    "fees": _fees,
    "penalties": _penalties,
    "chombo_total": _chombo_total,
    "chombo_mangan": _chombo_mangan,
    "chombo_flat_each": _chombo_flat_each,
    "chombo_none": _chombo_none,
}
