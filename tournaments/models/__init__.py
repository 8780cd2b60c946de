"""What is stored of tournaments: facts and decisions, who wants to play, and what happens at a table."""

from tournaments.models.registrations import Registration, RegistrationTerms
from tournaments.models.ticks import TICKS_GROW, Tick
from tournaments.models.tournaments import (
    DECISIONS,
    DECISIONS_GROW,
    REVOCATIONS,
    TOURNAMENTS,
    Decision,
    DecisionQuerySet,
    Director,
    Entry,
    StageRules,
    StageSession,
    Tournament,
    TournamentEdition,
    TournamentRise,
)

__all__ = [
    "DECISIONS",
    "DECISIONS_GROW",
    "REVOCATIONS",
    "TICKS_GROW",
    "TOURNAMENTS",
    "Decision",
    "DecisionQuerySet",
    "Director",
    "Entry",
    "Registration",
    "RegistrationTerms",
    "StageRules",
    "StageSession",
    "Tick",
    "Tournament",
    "TournamentEdition",
    "TournamentRise",
]
