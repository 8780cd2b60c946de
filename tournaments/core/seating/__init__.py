"""Seating: who sits where, as even as can be, with a certificate that says how even."""

from tournaments.core.seating.certificate import Certificate, certificate
from tournaments.core.seating.problem import Round, Schedule, SeatingError, Table, Wishes
from tournaments.core.seating.seat import seat

__all__ = ["Certificate", "Round", "Schedule", "SeatingError", "Table", "Wishes", "certificate", "seat"]
