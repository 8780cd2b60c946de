"""What a player needs in the last hanchan and in its last hand: exact, proved, never simulated. docs/adr/0060 tells how."""

from tournaments.core.needs.by_places import (
    PLACE,
    by_places,
    counts_places,
    points_of_places,
    total_of_places,
)
from tournaments.core.needs.case import Case, CaseError, Hand, Totals, read_case
from tournaments.core.needs.goal import reached, wins_level
from tournaments.core.needs.last_hand import (
    DrawnHand,
    End,
    LastHand,
    Win,
    last_hand,
    last_hand_with_riichi,
    with_riichi,
)
from tournaments.core.needs.margins import (
    ALWAYS,
    NEVER,
    Margin,
    Margins,
    counts_scores,
    margins_of,
    ordinary,
    score_to_pass,
)
from tournaments.core.needs.patterns import FinishPlace
from tournaments.core.needs.plain import plain_margins
from tournaments.core.needs.proofs import Proofs, proofs_of, proofs_of_tables
from tournaments.core.needs.tables import Apart, Tables, above_now, apart, places_missing
from tournaments.core.needs.wild_cards import Holder, WildCard, proofs_of_wild_card

__all__ = [
    "ALWAYS",
    "NEVER",
    "PLACE",
    "Apart",
    "Case",
    "CaseError",
    "DrawnHand",
    "End",
    "FinishPlace",
    "Hand",
    "Holder",
    "LastHand",
    "Margin",
    "Margins",
    "Proofs",
    "Tables",
    "Totals",
    "WildCard",
    "Win",
    "above_now",
    "apart",
    "by_places",
    "counts_places",
    "counts_scores",
    "last_hand",
    "last_hand_with_riichi",
    "margins_of",
    "ordinary",
    "places_missing",
    "plain_margins",
    "points_of_places",
    "proofs_of",
    "proofs_of_tables",
    "proofs_of_wild_card",
    "reached",
    "read_case",
    "score_to_pass",
    "total_of_places",
    "wins_level",
    "with_riichi",
]
