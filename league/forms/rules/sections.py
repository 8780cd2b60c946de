from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from league.forms.rules.house import PREFIX
from scoring.core import ScoringRules
from scoring.messages import describe_ruleset
from scoring.messages.clauses import HOUSE_SECTIONS
from scoring.messages.numbers import lazily, sentences


@dataclass(frozen=True, slots=True)
class RuleSection:
    """Questions under a heading. `clauses`: clauses of the rule sheet that summarise the answers."""

    key: str
    heading: str | Promise
    fields: Sequence[str]
    clauses: Sequence[str]


USUAL = RuleSection(
    "usual",
    _("Basic settings"),
    (
        "start_points",
        "return_points",
        "uma",
        "oka_kind",
        "oka_amount",
        "tie_rank",
        "rounding_mode",
        "leftover",
        "bust_ends",
        "bust_prize",
        "chombo_kind",
        "chombo_amount",
    ),
    ("uma", "uma_floating", "oka"),
)
"""The questions in which leagues differ most; open by default."""

OF_POINTS: Sequence[RuleSection] = (
    USUAL,
    RuleSection(
        "floating",
        _("Players and floating uma"),
        ("players", "uma_kind", "uma_threshold", "uma_inclusive", "uma_rows"),
        ("players", "uma_floating"),
    ),
    RuleSection(
        "ties",
        _("Ties: who gets uma and oka"),
        ("tie_uma", "tie_oka", "split_unit", "split_remainder"),
        ("tie", "split"),
    ),
    RuleSection(
        "rounding",
        _("Rounding: what is rounded"),
        ("rounding_basis", "rounding_unit", "rounding_top_absorbs"),
        ("rounding",),
    ),
    RuleSection(
        "negative",
        _("Scores below zero"),
        ("below_zero_floor", "lend_below_zero"),
        ("below_zero_floor", "lend_below_zero"),
    ),
    RuleSection(
        "bust",
        _("Bust: who gets the prize"),
        ("bust_prize_in", "bust_win", "bust_draw", "bust_shares", "bust_other", "bust_illegal_riichi"),
        ("bust",),
    ),
    RuleSection(
        "chombo",
        _("Chombo: the hand, and other penalties"),
        ("chombo_ledger", "chombo_hand", "chombo_dealer", "chombo_deposits_back", "fine_amount"),
        ("chombo", "fine"),
    ),
    RuleSection("side", _("Chips and fees"), ("chips", "fees_game", "fees_top"), ("chips", "fees")),
    RuleSection(
        "accounts",
        _("What each account includes"),
        ("score_basis", "ranking_parts", "settlement_parts", "ranking_rounded", "settlement_rounded"),
        ("score_basis", "ledgers"),
    ),
)
"""Sections that affect points."""

OF_TABLE: Sequence[RuleSection] = tuple(
    RuleSection(
        f"house-{key}",
        lazily(section.heading),
        [f"{PREFIX}{path.replace('.', '_')}" for path in section.rules],
        (f"house.{key}",),
    )
    for key, section in HOUSE_SECTIONS.items()
)
"""Sections about play, which do not affect points."""

WITHOUT_POINTS = frozenset(("lend_below_zero", "chombo_hand", "chombo_dealer", "chombo_deposits_back", "fine_amount"))
"""Questions in OF_POINTS that do not affect points."""


def summaries(rules: ScoringRules) -> Mapping[str, str]:
    """Return the summary of each section in the active language; "" if undecided."""
    said = {line.parameter: line.sentence for line in describe_ruleset(rules)}
    return {
        section.key: sentences(*(said.get(clause, "") for clause in section.clauses))
        for section in (*OF_POINTS, *OF_TABLE)
    }
