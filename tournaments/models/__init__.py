"""What is stored of tournaments: facts and decisions, and who wants to play."""

from tournaments.models.registrations import Registration, RegistrationTerms
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
    "TOURNAMENTS",
    "Decision",
    "DecisionQuerySet",
    "Director",
    "Entry",
    "Registration",
    "RegistrationTerms",
    "StageRules",
    "StageSession",
    "Tournament",
    "TournamentEdition",
    "TournamentRise",
]
