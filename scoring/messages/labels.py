"""Labels of parameters, parts of points, ledgers and tie-breaks."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import pgettext_lazy

from scoring.core import Part
from scoring.messages.clauses import HOUSE_CLAUSES, HOUSE_SECTIONS, RULES
from scoring.messages.numbers import Texts, in_language

LABELS: Mapping[str, Texts] = {
    **{path: clause.label for path, clause in RULES.items()},
    **{f"house.{path}": clause.label for path, clause in HOUSE_CLAUSES.items()},
    "house.text": HOUSE_SECTIONS["text"].heading,
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
        return in_language(LABELS[path])
    if not known:
        return path
    facts = {"label": in_language(LABELS[known]), "path": path.removeprefix(known).lstrip(".")}
    return _("%(label)s (%(path)s)") % facts


def _known(path: str) -> str:
    while path and path not in LABELS:
        path = path[: max(path.rfind("."), path.rfind("["), 0)]
    return path


def part_label(part: str) -> str:
    return str(PARTS.get(part, part))
