"""How the lines of a leaderboard are ordered: by what, from how many hanchan on, and who shares a rank."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from league.core.board_lines import EARLIER_COLUMNS, Line

SCALE = 10**9
"""Averages are compared as whole numbers at this scale: finer than any two different averages of real games."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a board is ordered by, and how many hanchan a player needs to have a rank."""

    metric: str
    minimum: int = 0

    def score(self, hanchan: int, total: int, placement_halves: int) -> int:
        """Return what the order goes by, more is better; averages at SCALE, cut off toward zero."""
        games = hanchan or 1
        match self.metric:
            case "average_points":
                average = abs(total) * SCALE // games
                return average if total >= 0 else -average
            case "average_placement":
                return -(placement_halves * SCALE // games)
        return total

    def has_rank(self, hanchan: int) -> bool:
        """Return whether so many hanchan are enough for a rank; without any nobody has one."""
        return hanchan >= max(1, self.minimum)


def ranks(scores: Mapping[int, int]) -> dict[int, int]:
    """Return each player's rank, the best first; equal scores share one and the next is skipped."""
    ordered = sorted(scores, key=scores.__getitem__, reverse=True)
    found: dict[int, int] = {}
    rank, before = 0, None
    for place, player in enumerate(ordered, start=1):
        if (score := scores[player]) != before:
            rank, before = place, score
        found[player] = rank
    return found


@dataclass(frozen=True, slots=True)
class BoardPlace:
    """Where a line stands: its score, the rank that equal scores share, and the one before the last day of play.

    A line below the minimum of hanchan has no rank, and none before if it was below it then.
    """

    score: int
    rank: int | None
    previous: int | None


def board_places(ranking: Ranking, lines: Mapping[int, Line]) -> dict[int, BoardPlace]:
    """Return where each player's line stands among all lines of a board."""
    scores = {player: ranking.score(*line[:3]) for player, line in lines.items()}
    now = ranks({player: score for player, score in scores.items() if ranking.has_rank(lines[player][0])})
    were = {player: line[EARLIER_COLUMNS] for player, line in lines.items()}
    before = ranks({player: ranking.score(*was) for player, was in were.items() if ranking.has_rank(was[0])})
    return {player: BoardPlace(score, now.get(player), before.get(player)) for player, score in scores.items()}


def ties_among(places: Mapping[int, BoardPlace]) -> list[list[int]]:
    """Return the groups of players who share a rank; each in one order, so that the same of them always bears a reason."""
    return equals_among({player: place.rank for player, place in places.items() if place.rank is not None})


def equals_among(shared: Mapping[int, int]) -> list[list[int]]:
    """Return the same of players by the rank that equal ones share."""
    if len(set(shared.values())) == len(shared):
        return []
    groups: dict[int, list[int]] = defaultdict(list)
    for player, rank in shared.items():
        groups[rank].append(player)
    return [sorted(group) for group in groups.values() if len(group) > 1]
