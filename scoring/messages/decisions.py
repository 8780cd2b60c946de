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
    """Return why a player ranks above the next one with the same total; empty if they were not tied.

    `decision` may be in its stored form.
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
        return _("Tied on points. Finishes with placement %(place)s: %(better)s against %(worse)s.") % facts
    sentence = {
        "points": _("Tied on points. In hanchan %(hanchan)s, %(better)s beats %(worse)s."),
        "placement": _("Tied on points. In hanchan %(hanchan)s, placement %(better)s beats %(worse)s."),
        "raw": _("Tied on points. In hanchan %(hanchan)s, a raw score of %(better)s beats %(worse)s."),
        "best_raw": _("Tied on points. Best raw score: %(better)s beats %(worse)s."),
        "head_to_head": _(
            "Tied on points. Head-to-head, finishes above minus finishes below: %(better)s against %(worse)s."
        ),
        "total": _("Tied on points. Hanchan %(hanchan)s including chombo: %(better)s against %(worse)s."),
        "seed": _("Tied on points. Seed %(better)s ranks before seed %(worse)s."),
        "manual": _("Tied on points. An organiser decided the order."),
    }.get(decision.rule, "")
    return sentence % facts
