"""House rules as sentences, by section of a rule sheet."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import get_language, pgettext, pgettext_lazy
from django.utils.translation import gettext as _

from scoring.core import HouseRules
from scoring.core.house import HouseText, OtherChips, said
from scoring.messages.house.clauses import Clause
from scoring.messages.house.flow import DEAL, LENGTH, PAYMENTS
from scoring.messages.house.hands import CHIPS, OTHERS, PAO, RIICHI, SANMA, VALUES
from scoring.messages.numbers import raw_text

SECTIONS: Mapping[str, tuple[Promise, Mapping[str, Clause]]] = {
    "length": (pgettext_lazy("rule of a house", "Length and end"), LENGTH),
    "deal": (pgettext_lazy("rule of a house", "Dealer and winds"), DEAL),
    "payments": (pgettext_lazy("rule of a house", "Honba, draws and multiple wins"), PAYMENTS),
    "riichi": (pgettext_lazy("rule of a house", "Riichi, dora and calls"), RIICHI),
    "values": (pgettext_lazy("rule of a house", "Hand values"), VALUES),
    "pao": (pgettext_lazy("rule of a house", "Pao"), PAO),
    "sanma": (pgettext_lazy("rule of a house", "Three players"), SANMA),
    "chips": (pgettext_lazy("rule of a house", "Chips for hands"), CHIPS),
}
"""Sections of a rule sheet with their rules, by path in the house table."""

CLAUSES: Mapping[str, Clause] = {path: clause for _heading, own in SECTIONS.values() for path, clause in own.items()}


@dataclass(frozen=True, slots=True)
class HouseSentence:
    """A defined rule: section, path, label and sentence."""

    section: str
    path: str
    label: str
    sentence: str


def house_label(path: str) -> str:
    """Return the label of a house rule such as `extension.ends_at`; empty for other paths."""
    return str(CLAUSES[path].label) if path in CLAUSES else ""


def house_sentences(house: HouseRules) -> Iterator[HouseSentence]:
    values = said(house)
    for section, (_heading, clauses) in SECTIONS.items():
        for path in filter(values.__contains__, clauses):
            text = _other_chips(values[path]) if path == OTHERS else clauses[path].sentence(values[path])
            yield HouseSentence(section, path, house_label(path), text)


def _other_chips(others: tuple[OtherChips, ...]) -> str:
    named = pgettext("between the rows of a table", "; ").join(
        _("%(label)s: %(count)s") % {"label": chips.label, "count": raw_text(chips.count)} for chips in others
    )
    return _("Other chips: %(list)s.") % {"list": named}


def own_text(text: HouseText | None) -> str:
    """Return the house's text in the active language, else in the other one."""
    if text is None:
        return ""
    first, second = (text.ja, text.en) if (get_language() or "").startswith("ja") else (text.en, text.ja)
    return first or second or ""
