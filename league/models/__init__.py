"""Facts and constraints of a league, and the boards derived from them."""

from league.models.boards import Adjustment, Board, StalePeriod, Standing
from league.models.desk import Confirmation, PendingPhoto, PendingSubmission, Photo, TableLink
from league.models.imports import ImportBatch
from league.models.leagues import League, Membership, Ruleset, RulesetVersion
from league.models.plans import PlannedSeat, SessionPoints
from league.models.play import Hanchan, Incident, Seat, Session
from league.models.players import Player, PlayerAlias
from league.models.records import Job, Revision

__all__ = [
    "Adjustment",
    "Board",
    "Confirmation",
    "Hanchan",
    "ImportBatch",
    "Incident",
    "Job",
    "League",
    "Membership",
    "PendingPhoto",
    "PendingSubmission",
    "Photo",
    "PlannedSeat",
    "Player",
    "PlayerAlias",
    "Revision",
    "Ruleset",
    "RulesetVersion",
    "Seat",
    "Session",
    "SessionPoints",
    "StalePeriod",
    "Standing",
    "TableLink",
]
