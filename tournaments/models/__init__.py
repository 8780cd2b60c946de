"""What is stored of tournaments: facts and decisions, who wants to play, and what a table and a hall see and hear."""

from tournaments.models.calls import ReadyTable, TableCall
from tournaments.models.projector import ProjectorDirection
from tournaments.models.registrations import Registration, RegistrationTerms
from tournaments.models.ticks import TICKS_GROW, Tick
from tournaments.models.timers import RoundTimer, TableTime
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
    "ProjectorDirection",
    "ReadyTable",
    "Registration",
    "RegistrationTerms",
    "RoundTimer",
    "StageRules",
    "StageSession",
    "TableCall",
    "TableTime",
    "Tick",
    "Tournament",
    "TournamentEdition",
    "TournamentRise",
]
