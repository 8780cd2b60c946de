"""A table under way, as the ticker tells it, for tests of what shows it."""

from django.utils import timezone

from tournaments.selectors.live import LiveTable


def live_table(players: list[int], *hands: tuple[int, ...], hand: str = "S4", sticks: int = 0) -> LiveTable:
    """Return a table of these players (by primary key, East first) after these scores, from 25,000 each."""
    history = ((25000,) * len(players), *hands)
    return LiveTable(tuple(players), history[-1], hand, 0, sticks, 0, (), timezone.now(), history)
