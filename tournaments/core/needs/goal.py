"""Who has reached the goal once the hanchan is over."""

from collections.abc import Mapping

from tournaments.core.needs.case import Case

Gained = Mapping[str, tuple[int, ...]]
"""What a hanchan brought each player: points (1/1000 pt), and what else decides level totals, best first and more is better."""


def reached(case: Case, gained: Gained) -> list[str]:
    """Return who of the table has reached the goal, in the order of the players."""
    return [player for player in case.players if _beaten(case, player, gained) >= case.wanted]


def _beaten(case: Case, player: str, gained: Gained) -> int:
    own = case.totals[player] + gained[player][0]
    at_the_table = sum(_is_above(case, player, rival, gained) for rival in case.rivals(player))
    return at_the_table + sum(own > total for total in case.others.values())


def _is_above(case: Case, player: str, rival: str, gained: Gained) -> bool:
    own, theirs = (case.totals[each] + gained[each][0] for each in (player, rival))
    if own != theirs or not case.last_decides:
        return own > theirs
    if gained[player] != gained[rival]:
        return gained[player] > gained[rival]
    return case.is_earlier(player, rival)
