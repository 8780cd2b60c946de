"""What a player needs in the last hanchan and in its last hand: exact, proved, never simulated. docs/adr/0060 tells how."""

from tournaments.core.needs.case import Case, CaseError, Hand, Totals, read_case
from tournaments.core.needs.goal import reached
from tournaments.core.needs.last_hand import (
    DrawnHand,
    End,
    LastHand,
    Win,
    last_hand,
    last_hand_with_riichi,
    with_riichi,
)
from tournaments.core.needs.margins import ALWAYS, NEVER, Margin, Margins, margins_of, ordinary, score_to_pass
from tournaments.core.needs.patterns import FinishPlace
from tournaments.core.needs.plain import plain_margins
from tournaments.core.needs.proofs import Proofs, proofs_of, proofs_of_tables
from tournaments.core.needs.tables import Apart, Tables, above_now, apart, places_missing

__all__ = [
    "ALWAYS",
    "NEVER",
    "Apart",
    "Case",
    "CaseError",
    "DrawnHand",
    "End",
    "FinishPlace",
    "Hand",
    "LastHand",
    "Margin",
    "Margins",
    "Proofs",
    "Tables",
    "Totals",
    "Win",
    "above_now",
    "apart",
    "last_hand",
    "last_hand_with_riichi",
    "margins_of",
    "ordinary",
    "places_missing",
    "plain_margins",
    "proofs_of",
    "proofs_of_tables",
    "reached",
    "read_case",
    "score_to_pass",
    "with_riichi",
]
