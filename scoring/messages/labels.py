"""Labels of parameters, parts of points, ledgers and tie-breaks."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from scoring.core import Part
from scoring.messages.house import CLAUSES, SECTIONS
from scoring.messages.numbers import lazily

LABELS: Mapping[str, Promise | str] = {
    "players": pgettext_lazy("parameter of the rules", "Players at a table"),
    "start_points": pgettext_lazy("parameter of the rules", "Start points"),
    "return_points": pgettext_lazy("parameter of the rules", "Return points"),
    "score_basis": pgettext_lazy("parameter of the rules", "Scoring"),
    "oka": pgettext_lazy("parameter of the rules", "Oka"),
    "uma": pgettext_lazy("parameter of the rules", "Uma"),
    "uma_floating": pgettext_lazy("parameter of the rules", "Floating uma"),
    "uma_floating.threshold": pgettext_lazy("parameter of the rules", "Floating uma threshold"),
    "uma_floating.rows": pgettext_lazy("parameter of the rules", "Floating uma table"),
    "tie": pgettext_lazy("parameter of the rules", "Tied scores"),
    "tie.rank": pgettext_lazy("parameter of the rules", "Placement on ties"),
    "tie.uma": pgettext_lazy("parameter of the rules", "Uma on ties"),
    "tie.oka": pgettext_lazy("parameter of the rules", "Oka on a tie for 1st"),
    "split": pgettext_lazy("parameter of the rules", "Remainders"),
    "split.unit": pgettext_lazy("parameter of the rules", "Smallest unit"),
    "split.remainder": pgettext_lazy("parameter of the rules", "Recipient of remainders"),
    "rounding": pgettext_lazy("parameter of the rules", "Rounding"),
    "leftover": pgettext_lazy("parameter of the rules", "Leftover riichi sticks"),
    "below_zero_floor": pgettext_lazy("parameter of the rules", "Scores below zero"),
    "bust": pgettext_lazy("parameter of the rules", "Bust"),
    "bust.ends": pgettext_lazy("parameter of the rules", "Bust condition"),
    "bust.prize": pgettext_lazy("parameter of the rules", "Bust prize"),
    "bust.win": pgettext_lazy("parameter of the rules", "Bust prize on a win"),
    "bust.draw_shares": pgettext_lazy("parameter of the rules", "Bust prize on a draw"),
    "bust.other": pgettext_lazy("parameter of the rules", "Bust prize in other cases"),
    "bust.illegal_riichi": pgettext_lazy("parameter of the rules", "Riichi without enough points"),
    "chombo": pgettext_lazy("parameter of the rules", "Chombo"),
    "chombo.kind": pgettext_lazy("parameter of the rules", "Chombo penalty"),
    "chombo.amount": pgettext_lazy("parameter of the rules", "Chombo points"),
    "chombo.ledger": pgettext_lazy("parameter of the rules", "Where chombo penalties count"),
    "chombo.deposits_back": pgettext_lazy("parameter of the rules", "Riichi sticks after a chombo"),
    "chombo.hand": pgettext_lazy("parameter of the rules", "Hand after a chombo"),
    "chombo.dealer": pgettext_lazy("parameter of the rules", "Deal after a chombo"),
    "fine": pgettext_lazy("parameter of the rules", "Fines"),
    "lend_below_zero": pgettext_lazy("parameter of the rules", "Loan below zero"),
    "chips": pgettext_lazy("parameter of the rules", "Chips"),
    "chips.value": pgettext_lazy("parameter of the rules", "Chip value"),
    "fees": pgettext_lazy("parameter of the rules", "Table fees"),
    "ledgers": pgettext_lazy("parameter of the rules", "Ranking and settlement"),
    "house": pgettext_lazy("parameter of the rules", "House rules"),
    "house.text": lazily(SECTIONS["text"].heading),
    **{f"house.{path}": lazily(clause.label) for path, clause in CLAUSES.items()},
    "ruleset": pgettext_lazy("parameter of the rules", "Rule set"),
    "deposits": pgettext_lazy("parameter of the rules", "Owners of remaining sticks"),
}

PARTS: Mapping[str, Promise] = {
    Part.BASE: pgettext_lazy("part of the points", "base"),
    Part.OKA: pgettext_lazy("part of the points", "oka"),
    Part.UMA: pgettext_lazy("part of the points", "uma"),
    Part.BUST: pgettext_lazy("part of the points", "bust prize"),
    Part.CHIPS: pgettext_lazy("part of the points", "chips"),
    Part.FEES: pgettext_lazy("part of the points", "fees"),
    Part.PENALTIES: pgettext_lazy("part of the points", "penalties"),
    Part.LEFTOVER: pgettext_lazy("part of the points", "leftover sticks"),
    Part.ROUNDING: pgettext_lazy("part of the points", "rounding difference"),
    Part.FLOOR: pgettext_lazy("part of the points", "floor difference"),
    Part.GIVEN: pgettext_lazy("part of the points", "points as entered"),
}


def parameter_label(path: str) -> str:
    """Return the label of a parameter, else the label of its table followed by the rest of its path."""
    known = _known(path)
    if known == path:
        return str(LABELS[path])
    if not known:
        return path
    return _("%(label)s (%(path)s)") % {"label": LABELS[known], "path": path.removeprefix(known).lstrip(".")}


def _known(path: str) -> str:
    while path and path not in LABELS:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return path


def part_label(part: str) -> str:
    return str(PARTS.get(part, part))
