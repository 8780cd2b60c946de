"""What is drawn by the ten thousand, with numpy: the one place of a tournament that needs more than Python to reckon."""

from tournaments.estimates.forward import DrawnEndings, Outset, Tables, endings_of, title_of
from tournaments.estimates.odds import Odds, odds_of

__all__ = ["DrawnEndings", "Odds", "Outset", "Tables", "endings_of", "odds_of", "title_of"]
