"""Finishing order, shared placements, and splits among tied players.

Seats are numbered from the first dealer, so the smaller number is the nearer seat.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import groupby
from operator import sub
from typing import Any, NamedTuple

from scoring.core.hanchan import FinishedGame, ScoringError
from scoring.core.ruleset import Remainder, ScoringRules, Split, TieAnswer, TieRule


class FinishingOrder(NamedTuple):
    """The finishing order.

    `seats`: first to last; `placements` and `sharing` (number of players sharing it): by seat.

    `groups`: tied players as (index of the first place, number of players).
    """

    seats: tuple[int, ...]
    placements: tuple[int, ...]
    sharing: tuple[int, ...]
    groups: tuple[tuple[int, int], ...]

    def tied(self, group: tuple[int, int]) -> tuple[int, ...]:
        first, count = group
        return self.seats[first : first + count]


_SEATS = ((), (0,), (0, 1), (0, 1, 2), (0, 1, 2, 3))


def order_of(game: FinishedGame, rules: ScoringRules) -> FinishingOrder:
    """Return the finishing order by raw score. Ties go to the seat nearer the first dealer, or share a placement.

    Raise ScoringError "unset" if there is a tie and the rules do not decide it. Source: Official rules of the Camarade
    League and of the Kyoto Jakuyukai (by seat); Cinderella League 2020, "基本ルール" (shared).
    """
    raw = game.raw
    if len(set(raw)) == len(raw) and not game.busts:
        return _order_without_ties(tuple(sorted(_SEATS[len(raw)], key=raw.__getitem__, reverse=True)))
    return _order_with_ties(game, rules)


@cache
def _order_without_ties(seats: tuple[int, ...]) -> FinishingOrder:
    placements = tuple(seats.index(seat) + 1 for seat in range(len(seats)))
    return FinishingOrder(seats, placements, (1,) * len(seats), ())


def _order_with_ties(game: FinishedGame, rules: ScoringRules) -> FinishingOrder:
    # A player whose riichi could not be paid is bust and last, whatever the sticks: house rules of a parlour,
    # "リーチについて".
    offenders = {bust.seat for bust in game.busts if bust.by == "riichi"}
    standing = [(seat in offenders, -score) for seat, score in enumerate(game.raw)]
    return order_by(standing, lambda: shares_placement(rules))


def order_by(standing: Sequence[Any], shares: Callable[[], bool]) -> FinishingOrder:
    """Return the finishing order by each seat's sort key, lowest first.

    `shares`: whether equal keys share a placement; only called if there are any.
    """
    seats = tuple(sorted(range(len(standing)), key=standing.__getitem__))
    groups, placements, sharing = [], [0] * len(seats), [1] * len(seats)
    first = 0
    for _, run in groupby(seats, key=standing.__getitem__):
        tied = tuple(run)
        is_shared = len(tied) > 1 and shares()
        if len(tied) > 1:
            groups.append((first, len(tied)))
        for offset, seat in enumerate(tied):
            placements[seat] = first + 1 + (0 if is_shared else offset)
            sharing[seat] = len(tied) if is_shared else 1
        first += len(tied)
    return FinishingOrder(seats, tuple(placements), tuple(sharing), tuple(groups))


def shares_placement(rules: ScoringRules) -> bool:
    """Return whether equal scores share a placement. Raise ScoringError "unset" if the rules do not define it."""
    return _answers(rules).rank is TieAnswer.SHARED


def _answers(rules: ScoringRules) -> TieRule:
    if rules.tie is None:
        raise ScoringError("unset", parameter="tie")
    return rules.tie


def share(pool: int, players: int, split: Split | None) -> tuple[int, ...] | None:
    """Return the shares of a pool (1/1000 pt), nearest seat first; None if the rules then use seat order.

    Raise ScoringError "unset" if the rules do not define who gets the remainder.
    """
    if split is None:
        each, rest = divmod(pool, players)
        if rest:
            raise ScoringError("unset", parameter="split")
        return (each,) * players
    each = pool // (players * split.unit) * split.unit
    rest = pool - players * each
    if rest and split.remainder is Remainder.SEAT_ORDER_IF_INDIVISIBLE:
        return None
    if split.remainder is Remainder.ALL_NEAREST:
        return (each + rest, *(each,) * (players - 1))
    return tuple(each + min(split.unit, max(0, rest - seat * split.unit)) for seat in range(players))


def rank_points(
    order: FinishingOrder, row: tuple[int, ...], oka: int, rules: ScoringRules
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return oka and uma of every seat, in 1/1000 pt. `row` and `oka` are 0 if not part of the account.

    If both uma and oka are split, they form one pool, so that a three-way tie for 40 is 13.4, 13.3 and 13.3. Raise
    ScoringError "unset". Source: Cinderella League 2020, "基本ルール" (the average of the places, including the top's oka);
    Official rules of the Camarade League (uma shared, oka to the seat nearest the first dealer).
    """
    okas, umas = [0] * len(row), [0] * len(row)
    for seat, uma in zip(order.seats, row, strict=True):
        umas[seat] = uma
    okas[order.seats[0]] = oka
    for group in order.groups:
        _share_in_group(order, group, row, (okas, umas), rules)
    return tuple(okas), tuple(umas)


def _share_in_group(
    order: FinishingOrder,
    group: tuple[int, int],
    row: tuple[int, ...],
    shares: tuple[list[int], list[int]],
    rules: ScoringRules,
) -> None:
    okas, umas = shares
    seats, (first, count), answers = order.tied(group), group, _answers(rules)
    pool, oka = sum(row[first : first + count]), sum(okas[seat] for seat in seats)
    splits_uma = answers.uma is TieAnswer.SPLIT
    splits_oka = oka != 0 and answers.oka is TieAnswer.SPLIT
    if splits_uma and splits_oka:
        pooled = share(pool + oka, count, rules.split)
        # The pool is already split; this only labels part of each share as oka, so the remainder rule does not matter.
        of_oka = pooled and share(oka, count, Split(rules.split.unit if rules.split else 1, Remainder.ONE_EACH_NEAREST))
        of_uma = pooled and of_oka and tuple(map(sub, pooled, of_oka))
    else:
        of_oka = share(oka, count, rules.split) if splits_oka else None
        of_uma = share(pool, count, rules.split) if splits_uma else None
    for target, given in ((okas, of_oka), (umas, of_uma)):
        for seat, points in zip(seats, given or (), strict=False):
            target[seat] = points


def split_sticks(points: int, seats: tuple[int, ...]) -> dict[int, int]:
    """Split leftover sticks among tied tops in hundreds, by seat; the remainder goes to the nearest seat.

    `points` of sticks; `seats` nearest to the first dealer first. Source: official rules of the M-League.
    """
    shares = share(points, len(seats), Split(100, Remainder.ONE_EACH_NEAREST)) or ()
    return dict(zip(seats, shares, strict=True))
