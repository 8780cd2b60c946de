"""What is kept of players' numbers, a file for each kind: derived from the facts, never edited; and a league's own titles."""

from stats.models.achievements import Achievement, AchievementDue, Award
from stats.models.feats import KeptFeats, PlayerFeats
from stats.models.months import KeptMonth, PlayerMonth
from stats.models.titles import OwnTitle

__all__ = [
    "Achievement",
    "AchievementDue",
    "Award",
    "KeptFeats",
    "KeptMonth",
    "OwnTitle",
    "PlayerFeats",
    "PlayerMonth",
]
