from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _

from scoring.core import TieBreakReason
from scoring.messages.numbers import count_text, points_text, raw_text

_AS_TEXT: Mapping[str, Callable[[int], str]] = {
    "points": points_text,
    "total": points_text,
    "raw": raw_text,
    "best_raw": raw_text,
    "head_to_head": count_text,
}


def decision_sentence(decision: TieBreakReason | Mapping[str, Any] | None, name: str = "", other: str = "") -> str:
    """Return why a player ranks above the next one with the same total; empty if there was no tie.

    `decision` may be its stored form.
    """
    if not decision:
        return ""
    reason = _reason(decision if isinstance(decision, TieBreakReason) else TieBreakReason(**decision))
    if not name or not other:
        return reason
    return _("%(name)s is ahead of %(other)s. %(reason)s") % {"name": name, "other": other, "reason": reason}


def _reason(decision: TieBreakReason) -> str:
    as_text = _AS_TEXT.get(decision.rule, str)
    facts: dict[str, object] = {
        "hanchan": decision.hanchan,
        "better": as_text(decision.better),
        "worse": as_text(decision.worse),
    }
    if decision.rule.startswith("placements_"):
        facts["place"] = decision.rule.removeprefix("placements_")
        return _("Level on points; times in place %(place)s: %(better)s against %(worse)s.") % facts
    sentence = {
        "points": _("Level on points; in hanchan %(hanchan)s %(better)s beats %(worse)s."),
        "placement": _("Level on points; in hanchan %(hanchan)s place %(better)s beats place %(worse)s."),
        "raw": _("Level on points; in hanchan %(hanchan)s a raw score of %(better)s beats %(worse)s."),
        "best_raw": _("Level on points; the best raw score of %(better)s beats %(worse)s."),
        "head_to_head": _("Level on points; placed above less placed below each other: %(better)s against %(worse)s."),
        "total": _("Level on points; hanchan %(hanchan)s with its chombo brought %(better)s against %(worse)s."),
        "seed": _("Level on points; seed %(better)s goes before seed %(worse)s."),
        "manual": _("Level on points; an organiser put them in order."),
    }.get(decision.rule, "")
    return sentence % facts
