"""What is drawn by the ten thousand, with numpy: the one place of a tournament that needs more than Python to reckon."""

from tournaments.estimates.odds import Odds, odds_of

__all__ = ["Odds", "odds_of"]
