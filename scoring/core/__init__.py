"""Scoring rules in plain Python: exact and deterministic, without Django."""

from scoring.core.cards import STATUSES, Card, UnknownCardError, load_card, load_cards, read_card
from scoring.core.explain import Account, PointsLine, Reason
from scoring.core.hanchan import Bust, FinishedGame, ScoringError, check_game, read_game, write_game
from scoring.core.house import HouseRules
from scoring.core.inversion import worked_out
from scoring.core.parameters import read_ruleset, write_ruleset
from scoring.core.plain import InputError
from scoring.core.points import format_points, parse_points
from scoring.core.reading import RulesetError, readers_of
from scoring.core.ruleset import LEDGER_PARTS, Ledger, Part, ScoringRules
from scoring.core.scoring import ScoredGame, ScoredSeat, score
from scoring.core.standings import TIEBREAKS, PlayerResult, TieBreakReason, Tied, break_ties, standings

PARAMETERS = tuple(readers_of(ScoringRules))
"""Names of all parameters."""
