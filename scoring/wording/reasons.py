"""Why a line of points is what it is, and why one player stands above another."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.core import Decision, Reason
from scoring.wording.numbers import amount_text, points_text, raw_text, seats_text

Values = Mapping[str, Any]
Names = Sequence[str]


def reason_sentence(reason: Reason, names: Names = ()) -> str:
    """Return the sentence that explains a line of points; `names` from the first dealer on, winds without."""
    return _REASONS[reason.code](reason.values, names)


def _base_values(values: Values) -> dict[str, str]:
    return {
        "raw": raw_text(values["raw"] + values["sticks"]),
        "return_points": raw_text(values["return_points"]),
        "points": points_text(values["points"]),
        "exact": points_text(values["exact"]),
    }


def _base(values: Values, _names: Names) -> str:
    text = _("(%(raw)s − %(return_points)s) ÷ 1,000 = %(points)s") % _base_values(values)
    return _with_sticks(text, values)


def _with_sticks(text: str, values: Values) -> str:
    if not values["sticks"]:
        return text
    sticks = values["sticks"]
    return _("%(calculation)s (%(sticks)s points of sticks left on the table are in it)") % {
        "calculation": text,
        "sticks": raw_text(sticks),
    }


def rounding_words() -> dict[str, str]:
    """Return what each way of rounding does."""
    return {
        "floor": _("rounded down"),
        "ceil": _("rounded up"),
        "trunc": _("cut off toward zero"),
        "away": _("rounded away from zero"),
        "half_up": _("rounded to the nearest, halves up"),
        "half_down": _("rounded to the nearest, halves down"),
    }


def _base_rounded(values: Values, _names: Names) -> str:
    facts = _base_values(values) | {"how": rounding_words()[values["mode"]]}
    return _with_sticks(_("(%(raw)s − %(return_points)s) ÷ 1,000 = %(exact)s, %(how)s: %(points)s") % facts, values)


def _base_floored(values: Values, _names: Names) -> str:
    facts = _base_values(values) | {"floor": raw_text(values["floor"])}
    return _("%(raw)s counts as %(floor)s, no lower; less %(return_points)s that is %(points)s") % facts


def _oka(values: Values, _names: Names) -> str:
    if not values["is_auto"]:
        return _("The top's prize: %(points)s") % {"points": points_text(values["points"])}
    return _("Oka for the top: %(players)s × (%(return_points)s − %(start_points)s) ÷ 1,000 = %(points)s") % {
        "players": values["players"],
        "return_points": raw_text(values["return_points"]),
        "start_points": raw_text(values["start_points"]),
        "points": points_text(values["points"]),
    }


def _oka_by_seat(values: Values, names: Names) -> str:
    return _("%(tied)s are level; the oka goes to the seat nearest the first dealer: %(points)s") % {
        "tied": seats_text(values["tied"], names),
        "points": points_text(values["points"]),
    }


def _oka_shared(values: Values, names: Names) -> str:
    return _("%(tied)s are level and share the oka of %(oka)s: %(points)s") % {
        "tied": seats_text(values["tied"], names),
        "oka": amount_text(values["oka"]),
        "points": points_text(values["points"]),
    }


def _uma(values: Values, _names: Names) -> str:
    return _("Uma for place %(place)s: %(points)s") % {"place": values["place"], "points": points_text(values["points"])}


def _uma_floating(values: Values, _names: Names) -> str:
    floaters = values["floaters"]
    text = ngettext(
        "%(floaters)s player is at or above %(threshold)s; place %(place)s is worth %(points)s",
        "%(floaters)s players are at or above %(threshold)s; place %(place)s is worth %(points)s",
        floaters,
    )
    return text % {
        "floaters": floaters,
        "threshold": raw_text(values["threshold"]),
        "place": values["place"],
        "points": points_text(values["points"]),
    }


def _uma_by_seat(values: Values, names: Names) -> str:
    return _("%(tied)s are level; the seat nearer the first dealer is placed higher. Uma for place %(place)s: %(points)s") % {
        "tied": seats_text(values["tied"], names),
        "place": values["place"],
        "points": points_text(values["points"]),
    }


def _uma_shared(values: Values, names: Names) -> str:
    return _("%(tied)s share the uma of places %(first)s to %(last)s, %(shared)s: %(points)s") % {
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
    return _("The others are rounded; the top takes the balance: %(points)s") % {"points": points_text(values["points"])}


def _floor(values: Values, _names: Names) -> str:
    return _("Nobody counts lower than %(floor)s; the top gets that much less: %(points)s") % {
        "floor": raw_text(values["floor"]),
        "points": points_text(values["points"]),
    }


def _bust_paid_win(values: Values, names: Names) -> str:
    return _("Busted by %(winners)s: %(points)s") % {
        "winners": seats_text(values["winners"], names),
        "points": points_text(values["points"]),
    }


def _bust_paid_draw(values: Values, names: Names) -> str:
    return _("Bust by a draw with %(tenpai)s tenpai: %(points)s") % {
        "tenpai": seats_text(values["tenpai"], names),
        "points": points_text(values["points"]),
    }


def _bust_paid_otherwise(values: Values, _names: Names) -> str:
    return _("Bust: %(points)s") % {"points": points_text(values["points"])}


def _bust_won(values: Values, names: Names) -> str:
    return _("Prize for the bust of %(busted)s: %(points)s") % {
        "busted": seats_text(values["busted"], names),
        "points": points_text(values["points"]),
    }


def _chips(values: Values, _names: Names) -> str:
    return _("Chips: %(count)s × %(value)s = %(points)s") % {
        "count": raw_text(values["count"]),
        "value": amount_text(values["value"]),
        "points": points_text(values["points"]),
    }


def _fees(values: Values, _names: Names) -> str:
    return _("Table fee: %(points)s") % {"points": points_text(values["points"])}


def _penalties(values: Values, _names: Names) -> str:
    text = ngettext("%(count)s chombo: %(points)s", "%(count)s chombo: %(points)s", values["count"])
    return text % {"count": values["count"], "points": points_text(values["points"])}


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
    "leftover": _leftover,
    "rounding": _rounding,
    "floor": _floor,
    "bust_paid_win": _bust_paid_win,
    "bust_paid_draw": _bust_paid_draw,
    "bust_paid_riichi": _bust_paid_otherwise,
    "bust_paid_other": _bust_paid_otherwise,
    "bust_won": _bust_won,
    "chips": _chips,
    "fees": _fees,
    "penalties": _penalties,
}


def decision_sentence(decision: Decision) -> str:
    """Return the sentence that tells why a player stands above the next one with the same total."""
    sentences = {
        "points": _("Level on points; in hanchan %(hanchan)s %(better)s beats %(worse)s."),
        "placement": _("Level on points; in hanchan %(hanchan)s place %(better)s beats place %(worse)s."),
        "raw": _("Level on points; in hanchan %(hanchan)s a raw score of %(better)s beats %(worse)s."),
        "best_raw": _("Level on points; the best raw score of %(better)s beats %(worse)s."),
        "head_to_head": _("Level on points; against each other %(better)s to %(worse)s."),
        "manual": _("Level on points; put in order by hand."),
    }
    as_text = {"points": points_text, "raw": raw_text, "best_raw": raw_text}.get(decision.rule, str)
    facts = {"hanchan": decision.hanchan, "better": as_text(decision.better), "worse": as_text(decision.worse)}
    if decision.rule.startswith("placements_"):
        facts["place"] = decision.rule.removeprefix("placements_")
        return _("Level on points; times in place %(place)s: %(better)s against %(worse)s.") % facts
    return sentences[decision.rule] % facts
