"""Order of the standings: metric, minimum number of hanchan, shared ranks."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from league.core.board_lines import Line, RankingBasis, basis_of, earlier_of

SCALE = 10**9
"""Scale at which averages are compared as integers: finer than any two different averages in practice."""

AVERAGES = frozenset({"average_points", "average_placement"})


@dataclass(frozen=True, slots=True)
class Ranking:
    """The metric of the standings and the minimum number of hanchan.

    A total counts as the number of hanchan it represents. Averages exclude totals without a number of hanchan.
    """

    metric: str
    minimum: int = 0

    def counted(self, basis: RankingBasis) -> int:
        """Return the number of hanchan the metric is based on."""
        match self.metric:
            case "average_points":
                return basis.hanchan + basis.sums_hanchan
            case "average_placement":
                return basis.hanchan + basis.sums_placed
        return basis.hanchan + basis.sums_hanchan + basis.sums_unknown

    def amount(self, basis: RankingBasis) -> int:
        """Return the sum before averaging, higher is better: 1/1000 pt, or minus twice the sum of placements."""
        match self.metric:
            case "average_points":
                return basis.total - basis.sums_left_out
            case "average_placement":
                return -(basis.placement_halves + basis.sums_halves)
        return basis.total

    def score(self, basis: RankingBasis) -> int:
        """Return the value to sort by, higher is better; averages are in units of 1/SCALE, truncated toward zero."""
        amount = self.amount(basis)
        if not self.is_average:
            return amount
        average = abs(amount) * SCALE // (self.counted(basis) or 1)
        return average if amount >= 0 else -average

    @property
    def is_average(self) -> bool:
        return self.metric in AVERAGES

    def has_rank(self, counted: int) -> bool:
        """Return whether a player with that many hanchan is ranked: at least the minimum, and never without a hanchan."""
        return counted >= max(1, self.minimum)


def ranks(scores: Mapping[int, int]) -> dict[int, int]:
    """Return each player's rank, best first; ties share a rank and the following ranks are skipped."""
    ordered = sorted(scores, key=scores.__getitem__, reverse=True)
    found: dict[int, int] = {}
    rank, before = 0, None
    for place, player in enumerate(ordered, start=1):
        if (score := scores[player]) != before:
            rank, before = place, score
        found[player] = rank
    return found


@dataclass(frozen=True, slots=True)
class LineChange:
    """How a player's line changed since a given day.

    `points`: in 1/1000 pt. `then`, `now`: rank on that day and today; None below the minimum.
    """

    points: int
    then: int | None
    now: int | None

    @property
    def has_moved(self) -> bool:
        return self.then != self.now


@dataclass(frozen=True, slots=True)
class BoardPlace:
    """A player's score, rank (possibly shared) and rank before the last day of play; ranks are None below the minimum."""

    score: int
    rank: int | None
    previous: int | None


def board_places(ranking: Ranking, lines: Mapping[int, Line]) -> dict[int, BoardPlace]:
    bases = {player: basis_of(line) for player, line in lines.items()}
    scores = {player: ranking.score(basis) for player, basis in bases.items()}
    now = ranked(ranking, bases)
    before = ranked(ranking, {player: earlier_of(line) for player, line in lines.items()})
    return {player: BoardPlace(score, now.get(player), before.get(player)) for player, score in scores.items()}


def ranked(ranking: Ranking, bases: Mapping[int, RankingBasis]) -> dict[int, int]:
    enough = {player: basis for player, basis in bases.items() if ranking.has_rank(ranking.counted(basis))}
    return ranks({player: ranking.score(basis) for player, basis in enough.items()})


def ties_among(places: Mapping[int, BoardPlace]) -> list[list[int]]:
    """Return the groups of players who share a rank, each sorted by player so that the result is stable."""
    return equals_among({player: place.rank for player, place in places.items() if place.rank is not None})


def equals_among(shared: Mapping[int, int]) -> list[list[int]]:
    if len(set(shared.values())) == len(shared):
        return []
    groups: dict[int, list[int]] = defaultdict(list)
    for player, rank in shared.items():
        groups[rank].append(player)
    return [sorted(group) for group in groups.values() if len(group) > 1]
