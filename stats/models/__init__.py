"""What is kept of players' numbers, a file for each kind: derived from the facts, never edited."""

from stats.models.months import KeptMonth, PlayerMonth
from stats.models.rating_triggers import RATINGS_MARK
from stats.models.ratings import PlayerRating, RatingBlock, RatingMark, RatingProgress

__all__ = [
    "RATINGS_MARK",
    "KeptMonth",
    "PlayerMonth",
    "PlayerRating",
    "RatingBlock",
    "RatingMark",
    "RatingProgress",
]
