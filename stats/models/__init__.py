"""What is kept of players' numbers, a file for each kind: derived from the facts, never edited; and a league's own titles."""

from stats.models.achievements import Achievement, AchievementDue, Award
from stats.models.feats import KeptFeats, PlayerFeats
from stats.models.months import KeptMonth, PlayerMonth
from stats.models.rating_triggers import RATINGS_MARK
from stats.models.ratings import PlayerRating, RatingBlock, RatingMark, RatingProgress
from stats.models.titles import OwnTitle

__all__ = [
    "RATINGS_MARK",
    "Achievement",
    "AchievementDue",
    "Award",
    "KeptFeats",
    "KeptMonth",
    "OwnTitle",
    "PlayerFeats",
    "PlayerMonth",
    "PlayerRating",
    "RatingBlock",
    "RatingMark",
    "RatingProgress",
]
