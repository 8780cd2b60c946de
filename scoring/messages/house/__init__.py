"""The rules of a house as sentences, section by section of a rule sheet."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import get_language, pgettext, pgettext_lazy
from django.utils.translation import gettext as _

from scoring.core import HouseRules
from scoring.core.house import HouseText
from scoring.core.house_parameters import said
from scoring.messages.house.clauses import Clause
from scoring.messages.house.flow import CLAUSES as FLOW
from scoring.messages.house.hands import CLAUSES as HANDS
from scoring.messages.house.payments import CLAUSES as PAYMENTS
from scoring.messages.numbers import raw_text

CLAUSES: Mapping[str, Clause] = {**FLOW, **PAYMENTS, **HANDS}
"""What is said of each rule by its path in the table of the house."""

OTHERS = "chips.others"

SECTIONS: Mapping[str, tuple[Promise, tuple[str, ...]]] = {
    "length": (
        pgettext_lazy("rule of a house", "Length and end"),
        (
            "rounds",
            "extension.next",
            "extension.if_top_below",
            "extension.ends_at",
            "extension.inclusive",
            "extension.sudden_death",
            "extension.last_round",
            "cold_game",
            "agari_yame.who",
            "agari_yame.top",
            "tenpai_yame.who",
            "tenpai_yame.top",
        ),
    ),
    "deal": (
        pgettext_lazy("rule of a house", "The deal and the winds"),
        (
            "renchan.east",
            "renchan.south",
            "renchan_multi_ron",
            "dealer_may_pass",
            "honba_on_draw",
            "round_winds.east",
            "round_winds.south",
        ),
    ),
    "payments": (
        pgettext_lazy("rule of a house", "Honba, draws and several winners"),
        (
            "honba_value",
            "honba_tsumo",
            "noten_pool",
            "multi_ron",
            "multi_ron_honba",
            "multi_ron_deposits",
            "abortive.kinds",
            "abortive.dealer",
            "abortive.honba",
            "abortive.last_hand",
            "nagashi.counts_as",
            "nagashi.value",
            "nagashi.own_calls",
            "nagashi.own_riichi",
            "nagashi.honba_next",
        ),
    ),
    "riichi": (
        pgettext_lazy("rule of a house", "Riichi, dora and calls"),
        (
            "ippatsu",
            "ura",
            "kan_dora",
            "red_fives",
            "open_tanyao",
            "swap_calling",
            "min_riichi_points",
            "riichi_needs_draw",
            "riichi_deposit",
            "open_riichi_deposit",
            "furiten_riichi",
        ),
    ),
    "values": (
        pgettext_lazy("rule of a house", "Values of hands"),
        (
            "kiriage",
            "kazoe",
            "sanbaiman_from",
            "yakuman_stacking",
            "double_yakuman_forms",
            "double_wind_pair_fu",
            "rinshan_tsumo_fu",
            "open_no_fu_hand",
        ),
    ),
    "pao": (
        pgettext_lazy("rule of a house", "Pao"),
        (
            "pao.hands",
            "pao.ron",
            "pao.honba_payer",
            "pao.scope",
        ),
    ),
    "sanma": (
        pgettext_lazy("rule of a house", "Three players"),
        (
            "sanma.round_unit",
            "sanma.tsumo_loss",
            "sanma.north",
        ),
    ),
    "chips": (
        pgettext_lazy("rule of a house", "Chips for hands"),
        (
            "chips.red",
            "chips.gold",
            "chips.ippatsu",
            "chips.ura",
            "chips.open_hands",
            "chips.yakuman_ron",
            "chips.yakuman_tsumo_each",
            "chips.kazoe_pays",
            OTHERS,
        ),
    ),
}
"""The sections of a rule sheet and the rules in each."""


@dataclass(frozen=True, slots=True)
class HouseSentence:
    """One rule that is said: its section and path, what people call it, and the sentence."""

    section: str
    path: str
    label: str
    sentence: str


def house_label(path: str) -> str:
    """Return what people call a rule of a house, such as `extension.ends_at`; nothing for what is no rule."""
    if path == OTHERS:
        return pgettext("rule of a house", "Other chips")
    return str(CLAUSES[path].label) if path in CLAUSES else ""


def house_sentences(house: HouseRules) -> Iterator[HouseSentence]:
    """Yield a sentence for every rule that a house says, in the order of a rule sheet; its own text is not among them."""
    values = said(house)
    for section, (_heading, paths) in SECTIONS.items():
        for path in paths:
            if path not in values:
                continue
            text = _other_chips(values[path]) if path == OTHERS else CLAUSES[path].sentence(values[path])
            yield HouseSentence(section, path, house_label(path), text)


def _other_chips(others: tuple[tuple[str, int], ...]) -> str:
    named = pgettext("between the rows of a table", "; ").join(
        _("%(label)s: %(count)s") % {"label": label, "count": raw_text(count)} for label, count in others
    )
    return _("Further chips: %(list)s.") % {"list": named}


def own_text(text: HouseText | None) -> str:
    """Return the house's own words in the active language, those of the other one where there are only those."""
    if text is None:
        return ""
    first, second = (text.ja, text.en) if (get_language() or "").startswith("ja") else (text.en, text.ja)
    return first or second or ""
