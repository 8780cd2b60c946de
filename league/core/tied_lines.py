"""Equal players parted as far as the lines of their board say who is ahead, without a look at their hanchan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import NamedTuple

from scoring.core import TieBreakReason

BACKWARDS = frozenset({"last_hanchan", "last_hanchan_by_placement"})
"""Tie-breaks by the last hanchan, then the one before; they say nothing where players have unequally many."""

UNDECIDING = frozenset({"shared", "manual"})
"""Tie-breaks that compare nothing and end the comparison."""


class TiedLine(NamedTuple):
    """What a line says that tie-breaks ask: how many hanchan, the last placements as digits, the best raw score."""

    hanchan: int
    recent: int
    raw_best: int | None


@dataclass(frozen=True, slots=True)
class EqualPlayers:
    """Players whom lines do not part, or a single one. `tiebreak`: what is still to be asked of their hanchan.

    `reason`: why the last of them stands above the next ones.
    """

    players: tuple[int, ...]
    tiebreak: tuple[str, ...] = ()
    reason: TieBreakReason | None = None


def parted(lines: Mapping[int, TiedLine], tiebreak: Sequence[str]) -> list[EqualPlayers]:
    """Return these players in the order that their lines decide, best first, those together whom they do not part."""
    players, steps = tuple(lines), tuple(tiebreak)
    while steps and steps[0] in BACKWARDS and len({line.hanchan for line in lines.values()}) > 1:
        steps = steps[1:]
    if len(players) == 1 or not steps or steps[0] in UNDECIDING:
        return [EqualPlayers(players)]
    match steps[0]:
        case "best_raw":
            best = {player: -line.raw_best for player, line in lines.items() if line.raw_best is not None}
            # Where somebody's is not known it decides nothing.
            return _by(best, lines, steps) if len(best) == len(lines) else parted(lines, steps[1:])
        case "last_hanchan_by_placement":
            return _by({player: line.recent % 10 for player, line in lines.items()}, lines, steps)
    return [EqualPlayers(players, steps)]


def _by(keys: Mapping[int, int], lines: Mapping[int, TiedLine], steps: tuple[str, ...]) -> list[EqualPlayers]:
    """Return the players parted by keys, the least first."""
    groups = [(key, tuple(group)) for key, group in groupby(sorted(lines, key=keys.__getitem__), key=keys.__getitem__)]
    is_placement = steps[0] in BACKWARDS
    parts: list[list[EqualPlayers]] = []
    for _, group in groups:
        if is_placement:
            # The same step goes on with the score of that hanchan, then with the one before.
            parts.append([EqualPlayers(group, steps if len(group) > 1 else ())])
        else:
            parts.append(parted({player: lines[player] for player in group}, steps[1:]))
    hanchan = next(iter(lines.values())).hanchan if is_placement else None
    rule, sign = ("placement", 1) if is_placement else ("best_raw", -1)
    for upper, ((better, _), (worse, _)) in zip(parts, pairwise(groups), strict=False):
        reason = TieBreakReason(rule, sign * better, sign * worse, hanchan)
        upper[-1] = EqualPlayers(upper[-1].players, upper[-1].tiebreak, reason)
    return [equal for part in parts for equal in part]
