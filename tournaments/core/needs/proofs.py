"""Who has reached the goal, and who cannot any more, whatever scores come out: by proof.

A score has no bound: whoever wins often enough passes everybody, and whoever pays often enough falls behind everybody. So
totals alone prove something only where the rules put a bound on it: where places alone make points, and where no score counts
for less than a floor. For every finish of the table and every choice of rivals to be above, what is wanted is a system of
differences of scores; it is impossible if its least solution breaks the sum of the scores, or if it has none.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import inf

from tournaments.core.needs.case import Case
from tournaments.core.needs.margins import counts_scores, meeting_of, needed
from tournaments.core.needs.patterns import HUNDRED, Finish, finishes
from tournaments.core.needs.rounding import reach_of


@dataclass(frozen=True, slots=True)
class Proofs:
    """Players of the table in their order: who reaches the goal whatever happens, and who whatever happens does not."""

    secured: tuple[str, ...]
    out: tuple[str, ...]


def proofs_of(case: Case) -> Proofs:
    """Return who is through and who is out before the hanchan, by the totals alone."""
    if case.wanted == 0:
        return Proofs(case.players, ())
    rules = case.rules
    if counts_scores(rules) and rules.below_zero_floor is None:
        return Proofs((), ())
    return Proofs(
        tuple(player for player in case.players if not any(_ways(case, player, reached=False))),
        tuple(player for player in case.players if not any(_ways(case, player, reached=True))),
    )


def _ways(case: Case, player: str, *, reached: bool) -> Iterator[bool]:
    """Yield, for each way to reach the goal or to miss it, whether it can be."""
    # The finishes hold every order already, so the rivals may sit as they like.
    seats, rivals = range(len(case.players)), case.rivals(player)
    for finish in finishes(case.rules):
        for own in seats:
            free = [seat for seat in seats if seat != own]
            seated = dict(zip(free, rivals, strict=True))
            yield from _choices(case, finish, player, own, seated, reached=reached)


def _choices(
    case: Case, finish: Finish, player: str, own: int, seated: Mapping[int, str], *, reached: bool
) -> Iterator[bool]:
    for above in product((True, False), repeat=len(seated)):
        beaten = sum(above)
        bounds = _bounds_by_others(case, finish, player, own, beaten, reached=reached)
        if bounds is None:
            continue
        constraints = []
        for (seat, rival), is_above in zip(seated.items(), above, strict=True):
            need = needed(case, player, rival, meeting_of(finish, own, seat))
            if is_above:
                constraints.append((own, seat, need.possibly))
            elif need.surely == -inf:
                break
            elif need.surely != inf:
                constraints.append((seat, own, HUNDRED - need.surely))
        else:
            if all(least < inf for _, _, least in constraints):
                finite = [each for each in constraints if each[2] > -inf]
                yield _can_be(case, finish, own, finite, bounds)


def _bounds_by_others(
    case: Case, finish: Finish, player: str, own: int, beaten: int, *, reached: bool
) -> tuple[float, float] | None:
    """Return between what the own score lies so that enough of those elsewhere are passed, or too few; None: never."""
    elsewhere = sorted(case.others.values())
    wanted = case.wanted - beaten
    if not reached:
        # The one that must not be passed.
        return _below(case, finish, player, own, elsewhere, wanted)
    if wanted <= 0:
        return -inf, inf
    if wanted > len(elsewhere):
        return None
    if not counts_scores(case.rules):
        return (-inf, inf) if case.totals[player] + finish.bonus[own] > elsewhere[wanted - 1] else None
    return _score_for(case, finish, player, own, elsewhere[wanted - 1]) - _room(case), inf


def _below(
    case: Case, finish: Finish, player: str, own: int, elsewhere: Sequence[int], wanted: int
) -> tuple[float, float] | None:
    if wanted <= 0:
        return None
    if wanted > len(elsewhere):
        return -inf, inf
    if not counts_scores(case.rules):
        return (-inf, inf) if case.totals[player] + finish.bonus[own] <= elsewhere[wanted - 1] else None
    return -inf, _score_for(case, finish, player, own, elsewhere[wanted - 1]) + _room(case)


def _score_for(case: Case, finish: Finish, player: str, own: int, total: int) -> int:
    """Return the raw score that brings the player level with a total."""
    return total - case.totals[player] - finish.bonus[own] + (case.rules.return_points or 0)


def _room(case: Case) -> int:
    return max(reach_of(case.rules, top).room for top in (-1, 0, 1))


def _can_be(
    case: Case, finish: Finish, own: int, constraints: Sequence[tuple[int, int, float]], bounds: tuple[float, float]
) -> bool:
    """Return whether scores can differ by at least so much: (seat, other seat, how much more the first has)."""
    floor = case.rules.below_zero_floor
    if floor is None:
        # Places alone make points: which differences of scores go with them does not matter.
        return True
    players = range(len(case.players))
    # Below the floor scores count alike, so who is above need not count for more.
    order = [
        (one, other, 0)
        for one, other in product(players, players)
        if finish.steps[one] <= finish.steps[other] and one != other
    ]
    least: list[float] = [floor] * len(case.players)
    least[own] = max(least[own], bounds[0])
    for _ in range(len(least) + 1):
        before = list(least)
        for one, other, more in (*order, *constraints):
            least[one] = max(least[one], least[other] + more)
        if least == before:
            total = len(case.players) * (case.rules.start_points or 0)
            return least[own] <= bounds[1] and sum(least) <= total
    return False
