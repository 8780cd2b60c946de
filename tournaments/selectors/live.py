"""Tables as they are being played."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class LiveTable:
    """A hanchan under way: players by primary key and scores in the order of the seats, `history` after each hand."""

    players: tuple[int, ...]
    scores: tuple[int, ...]
    hand: str
    honba: int
    sticks: int
    dealer: int
    riichi: tuple[int, ...]
    at: datetime
    history: tuple[tuple[int, ...], ...]


def live_tables(sessions: Collection[int]) -> dict[tuple[int, int], LiveTable]:
    """Return the tables under way by session and number."""
    del sessions
    return {}
