"""What is kept of players' numbers, a file for each kind: derived from the facts, never edited."""

from stats.models.months import KeptMonth, PlayerMonth

__all__ = ["KeptMonth", "PlayerMonth"]
