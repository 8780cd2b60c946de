"""Rankings: totals, ties broken by the given tie-breaks, and the reason for each decision."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Generic, TypeVar

from scoring.core.points import format_points

Player = TypeVar("Player", bound=Hashable)
Key = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PlayerResult:
    """A player's result in one hanchan. `points` in 1/1000 pt; `game` identifies the hanchan.

    `raw`: None if only the points are known. `total_only`: chombo points on the total, not included in `points`.
    """

    points: int
    placement: int
    raw: int | None
    game: Hashable = None
    total_only: int = 0


@dataclass(frozen=True, slots=True)
class TieBreakReason:
    rule: str
    better: int
    worse: int
    hanchan: int | None = None

    def __str__(self) -> str:
        if self.rule == "manual":
            return "by hand"
        as_text = (lambda value: format_points(value, decimals=1)) if self.rule in _IN_POINTS else str
        sign = "<" if self.rule in _SMALLER_IS_BETTER else ">"
        place = f"hanchan {self.hanchan}: " if self.hanchan is not None else f"{self.rule}: "
        what = f"{self.rule} " if self.hanchan is not None and self.rule != "points" else ""
        return f"{place}{what}{as_text(self.better)} {sign} {as_text(self.worse)}"

    def as_json(self) -> dict[str, Any]:
        return {"rule": self.rule, "better": self.better, "worse": self.worse, "hanchan": self.hanchan}


@dataclass(frozen=True, slots=True)
class Tied(Generic[Player]):
    """A player tied on total: places below the first tied player, and the reason for ranking above the next one.

    `shared`: the players share the rank. `undecided`: a manual decision is needed.
    """

    player: Player
    offset: int
    decided_by: TieBreakReason | None = None
    shared: bool = False
    undecided: bool = False


_IN_POINTS = frozenset({"points", "total"})
_SMALLER_IS_BETTER = frozenset({"placement", "seed"})

Results = Mapping[Player, Sequence[PlayerResult]]
Values = Mapping[str, Mapping[Player, int]]
"""Values of further tie-breaks by name, for every player. Higher is better, except for the seed."""


def standings(
    results: Mapping[Player, Sequence[PlayerResult]],
    adjustments: Mapping[Player, int],
    tiebreak: Sequence[str],
    decisions: Iterable[Sequence[Player]] = (),
) -> list[tuple[int, int, Tied[Player]]]:
    """Return rank, total in 1/1000 pt and line of each player, best first.

    Tied players share a rank, and the next ranks are skipped.
    `results` in order of play; `adjustments` in 1/1000 pt; `tiebreak`: names from TIEBREAKS; `decisions`: manual orders
    of players, best first. Raise ValueError for an unknown tie-break.
    """
    totals = {
        player: sum(result.points for result in played) + adjustments.get(player, 0)
        for player, played in results.items()
    }
    ranking: list[tuple[int, int, Tied[Player]]] = []
    ordered = sorted(totals, key=lambda player: -totals[player])
    for total, group in groupby(ordered, key=totals.__getitem__):
        first = len(ranking) + 1
        tied = break_ties({player: results[player] for player in group}, tiebreak, decisions)
        ranking += [(first + line.offset, total, line) for line in tied]
    return ranking


def break_ties(
    results: Mapping[Player, Sequence[PlayerResult]],
    tiebreak: Sequence[str],
    decisions: Iterable[Sequence[Player]] = (),
    values: Values[Player] | None = None,
) -> tuple[Tied[Player], ...]:
    """Return players with equal totals in the order decided by the tie-breaks.

    `values`: further tie-breaks by name, such as the seed. Raise ValueError for an unknown one.
    """
    given = values or {}
    if unknown := [name for name in tiebreak if name not in TIEBREAKS and name not in given]:
        raise ValueError(f"unknown tie-break {unknown[0]!r}; known: {', '.join((*TIEBREAKS, *given))}")
    decided = tuple(tuple(order) for order in decisions)
    criteria = _CRITERIA | {name: _by_value(name, numbers) for name, numbers in given.items()}
    return tuple(_broken(dict(results), tuple(tiebreak), (decided, criteria), 0))


def _broken(
    results: dict[Player, Sequence[PlayerResult]],
    tiebreak: tuple[str, ...],
    by: tuple[tuple[tuple[Player, ...], ...], Mapping[str, "_Compare"]],
    offset: int,
) -> list[Tied[Player]]:
    """Return the players in order. `by`: manual decisions, and the comparison function of each tie-break."""
    players = list(results)
    if len(players) == 1:
        return [Tied(players[0], offset)]
    if not tiebreak or tiebreak[0] == "shared":
        return [Tied(player, offset, shared=True) for player in players]
    if tiebreak[0] == "manual":
        return _by_hand(players, by[0], offset)
    keys = by[1][tiebreak[0]](results)
    if keys is None:
        return _broken(results, tiebreak[1:], by, offset)
    order: list[Tied[Player]] = []
    ordered = sorted(players, key=lambda player: tuple(-value for value in keys[player].values))
    for _, group in groupby(ordered, key=lambda player: keys[player].values):
        members = {player: results[player] for player in group}
        if order:
            order[-1] = _explained(order[-1], keys, next(iter(members)))
        order += _broken(members, tiebreak[1:], by, offset + len(order))
    return order


def _by_hand(players: list[Player], decisions: tuple[tuple[Player, ...], ...], offset: int) -> list[Tied[Player]]:
    for order in decisions:
        if set(players) <= set(order):
            chosen = [player for player in dict.fromkeys(order) if player in players]
            last = len(chosen) - 1
            return [
                Tied(player, offset + place, TieBreakReason("manual", place + 1, place + 2) if place < last else None)
                for place, player in enumerate(chosen)
            ]
    return [Tied(player, offset, shared=True, undecided=True) for player in players]


@dataclass(frozen=True, slots=True)
class _Criterion:
    """A player's values for a tie-break, compared from first to last (higher wins), each with its name and hanchan."""

    values: Key
    names: tuple[tuple[str, int | None], ...]


Criteria = dict[Player, _Criterion]


def _explained(upper: Tied[Player], keys: Mapping[Player, _Criterion], lower: Player) -> Tied[Player]:
    mine, theirs = keys[upper.player], keys[lower]
    pairs = zip(mine.values, theirs.values, strict=True)
    place = next(number for number, (one, other) in enumerate(pairs) if one != other)
    rule, hanchan = mine.names[place]
    better, worse = _as_read(rule, mine.values[place]), _as_read(rule, theirs.values[place])
    return Tied(upper.player, upper.offset, TieBreakReason(rule, better, worse, hanchan), upper.shared, upper.undecided)


def _as_read(rule: str, value: int) -> int:
    """Return a compared value for display: placements and seeds were negated for the comparison."""
    return -value if rule in _SMALLER_IS_BETTER else value


_Unsettled = tuple[list[int | None], tuple[tuple[str, int | None], ...]]
"""Compared values of a player, None where unknown, with their names and hanchan."""


def _backwards(order: tuple[str, ...]) -> Callable[[dict[Player, Sequence[PlayerResult]]], Criteria[Player] | None]:
    """Return a tie-break that compares the last hanchan by these criteria, then the one before, and so on.

    Tied players may sit at different tables, so hanchan are compared by their number in each player's own sequence. If
    players have played different numbers of hanchan, it decides nothing. Source: Cinderella League 2020, "補足1" and
    "補足2".
    """

    def criterion(results: dict[Player, Sequence[PlayerResult]]) -> Criteria[Player] | None:
        if len({len(played) for played in results.values()}) > 1:
            return None
        criteria = {player: _last_first(played, order) for player, played in results.items()}
        if any(result.raw is None for played in results.values() for result in played):
            _silence_unknown(list(criteria.values()))
        return {
            player: _Criterion(tuple(value or 0 for value in values), names)
            for player, (values, names) in criteria.items()
        }

    return criterion


def _last_first(played: Sequence[PlayerResult], order: tuple[str, ...]) -> _Unsettled:
    values: list[int | None] = []
    names: list[tuple[str, int | None]] = []
    for number in range(len(played), 0, -1):
        result = played[number - 1]
        qualities = {
            "points": result.points,
            "placement": -result.placement,
            "raw": result.raw,
            # Equal results now but different totals before: due to a chombo. The player who came from behind wins
            # ("補足1", 追いつき).
            "total": result.points + result.total_only,
        }
        values += [qualities[name] for name in order]
        names += [(name, number) for name in order]
    return values, tuple(names)


def _silence_unknown(criteria: Sequence[_Unsettled]) -> None:
    """Replace raw scores by 0 where one of the players still tied has none."""
    for place in range(len(criteria[0][0])):
        if any(values[place] is None for values, _ in criteria):
            equal: dict[tuple[int | None, ...], list[list[int | None]]] = {}
            for values, _ in criteria:
                equal.setdefault(tuple(values[:place]), []).append(values)
            for group in equal.values():
                if any(values[place] is None for values in group):
                    for values in group:
                        values[place] = 0


def _placement_counts(results: dict[Player, Sequence[PlayerResult]]) -> Criteria[Player]:
    def counts(played: Sequence[PlayerResult]) -> _Criterion:
        values = tuple(sum(result.placement == place for result in played) for place in range(1, 5))
        return _Criterion(values, tuple((f"placements_{place}", None) for place in range(1, 5)))

    return {player: counts(played) for player, played in results.items()}


def _best_raw(results: dict[Player, Sequence[PlayerResult]]) -> Criteria[Player] | None:
    if not all(results.values()):
        return None
    known = {player: [result.raw for result in played if result.raw is not None] for player, played in results.items()}
    if not all(known.values()):
        return None
    best = {player: max(scores) for player, scores in known.items()}
    return {player: _Criterion((raw,), (("best_raw", None),)) for player, raw in best.items()}


def _by_value(name: str, numbers: Mapping[Any, int]) -> "_Compare":
    sign = -1 if name in _SMALLER_IS_BETTER else 1

    def criterion(results: dict[Any, Sequence[PlayerResult]]) -> Criteria[Any] | None:
        if not results.keys() <= numbers.keys():
            return None
        return {player: _Criterion((sign * numbers[player],), ((name, None),)) for player in results}

    return criterion


def _head_to_head(results: dict[Player, Sequence[PlayerResult]]) -> Criteria[Player]:
    """Return for each player how often they placed above the tied players at the same table, minus how often below."""
    placements = {
        player: {result.game: result.placement for result in played if result.game is not None}
        for player, played in results.items()
    }

    def balance(player: Player) -> int:
        mine = placements[player]
        met = (
            (mine[game], theirs[game])
            for other, theirs in placements.items()
            if other != player
            for game in mine.keys() & theirs.keys()
        )
        return sum((own < other) - (own > other) for own, other in met)

    return {player: _Criterion((balance(player),), (("head_to_head", None),)) for player in results}


_Compare = Callable[[dict[Any, Sequence[PlayerResult]]], Criteria[Any] | None]
_CRITERIA: dict[str, _Compare] = {
    "last_hanchan": _backwards(("points", "placement", "raw", "total")),
    "last_hanchan_by_placement": _backwards(("placement", "raw", "points", "total")),
    "placement_counts": _placement_counts,
    "best_raw": _best_raw,
    "head_to_head": _head_to_head,
}

TIEBREAKS = (*_CRITERIA, "shared", "manual")
"""Names of all tie-breaks. A league or a stage lists the ones it uses, in order of priority."""
