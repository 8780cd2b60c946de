"""The bracket of a format as a picture: boxes for blocks and outcomes, lines for the paths between them."""

from tournaments.core.bracket.boxes import HEAD, MAX_ROWS, ROW, USUAL_ROWS, Box, BoxGroup, PlayerCounts
from tournaments.core.bracket.layout import BracketLayout, BracketLine, layout
from tournaments.core.bracket.placement import next_block

__all__ = [
    "HEAD",
    "MAX_ROWS",
    "ROW",
    "USUAL_ROWS",
    "Box",
    "BoxGroup",
    "BracketLayout",
    "BracketLine",
    "PlayerCounts",
    "layout",
    "next_block",
]
