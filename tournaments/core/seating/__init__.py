"""Seating: who sits where, as even as can be, with a certificate that says how even."""

from tournaments.core.seating.bounds import best_bound
from tournaments.core.seating.certificate import Certificate, certificate
from tournaments.core.seating.draw import draw_blocks, lot_order
from tournaments.core.seating.problem import (
    MAX_PLAYERS,
    MAX_ROUNDS,
    Round,
    Schedule,
    SeatingError,
    Table,
    Wishes,
)
from tournaments.core.seating.seat import seat
from tournaments.core.seating.sessions import rotate_winds, session_tables
from tournaments.core.seating.swiss import next_swiss_round, round_by_standing

__all__ = [
    "MAX_PLAYERS",
    "MAX_ROUNDS",
    "Certificate",
    "Round",
    "Schedule",
    "SeatingError",
    "Table",
    "Wishes",
    "best_bound",
    "certificate",
    "draw_blocks",
    "lot_order",
    "next_swiss_round",
    "rotate_winds",
    "round_by_standing",
    "seat",
    "session_tables",
]
