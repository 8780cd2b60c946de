"""Who has reached the goal once the hanchan is over."""

from collections.abc import Mapping

from tournaments.core.needs.case import Case, Totals

Gained = Mapping[str, tuple[int, ...]]
"""What a hanchan brought each player: points (1/1000 pt), and what else decides level totals, best first and more is better."""


def reached(case: Case, gained: Gained) -> list[str]:
    totals = {player: case.totals[player] + gained[player][0] for player in case.players}
    wanted = case.wanted
    return [player for player in case.players if _beaten(case, player, totals, gained) >= wanted]


def _beaten(case: Case, player: str, totals: Totals, gained: Gained) -> int:
    """Return how many a player is above. The last hand asks this thousands of times on every key."""
    own, beaten = totals[player], 0
    for rival, theirs in totals.items():
        if own > theirs or (own == theirs and rival != player and wins_level(case, player, rival, gained)):
            beaten += 1
    return beaten + sum(own > total for total in case.others.values()) if case.others else beaten


def wins_level(case: Case, player: str, rival: str, gained: Gained) -> bool:
    if not case.last_decides:
        return False
    if gained[player] != gained[rival]:
        return gained[player] > gained[rival]
    return case.is_earlier(player, rival)
