"""What can be known about a rule set before any game: points by finishing order, rounded bases by raw score.

A league scores thousands of games under one rule set, and nearly all of them are plain: no stick left, no chombo, no
chips, nobody so low that a bust prize or a floor matters. For these the points are a sum of two numbers that were worked
out before.
"""

from collections.abc import Callable
from functools import lru_cache
from itertools import permutations
from operator import add

from scoring.core.hanchan import FinishedGame
from scoring.core.rounding import Basis, round_to
from scoring.core.ruleset import BustEnds, LedgerRule, Part, Rounding, ScoringRules
from scoring.core.ties import FinishingOrder, order_of, rank_points

Amounts = tuple[int, ...]
Seats = tuple[int, ...]
Plain = tuple[FinishingOrder, Amounts, Amounts]

HUNDRED = 100
"""Sticks come in hundreds."""

beyond_hundreds = HUNDRED.__rmod__
"""What a score has beyond full hundreds."""

KNOWN_SCORES = 4096
"""Rounded bases kept by raw score: more than all scores in hundreds that ordinary games end with."""


LOWEST = -1_000_000
"""Scores below this are looked at with care: they may be more than sticks can show."""


def plan_for(rules: ScoringRules) -> "Plan":
    """Return the plan of a rule set; it is made once and kept on the value itself."""
    plan: Plan | None = rules.__dict__.get("_plan")
    if plan is None:
        plan = rules.__dict__["_plan"] = Plan(rules)
    return plan


class Plan:
    """Looks plain games up; anything that is not plain, or not right, it leaves to the careful path."""

    def __init__(self, rules: ScoringRules) -> None:
        self.rules = rules
        self.players = rules.players or 0
        self.total = self.players * (rules.start_points or 0)
        self.floating = rules.uma_floating
        self.seats = tuple(range(self.players))
        self.lowest = _lowest_plain(rules)
        self.is_usable = not rules.missing and rules.fees is None
        self.orders: dict[Seats, FinishingOrder] = {}
        self.accounts: dict[int, tuple[_Account, _Account]] = {}
        if self.is_usable:
            self._prepare(rules)

    def _prepare(self, rules: ScoringRules) -> None:
        alone = (1,) * self.players
        for seats in permutations(range(self.players)):
            placements = tuple(seats.index(seat) + 1 for seat in range(self.players))
            self.orders[seats] = FinishingOrder(seats, placements, alone, ())
        rows = {0: rules.uma} if rules.uma is not None else dict(rules.uma_floating.rows if rules.uma_floating else ())
        (_, ranking), (_, settlement) = rules.accounts
        for floaters, row in rows.items():
            first = _Account(self, rules, ranking, row)
            second = first if settlement == ranking else _Account(self, rules, settlement, row)
            self.accounts[floaters] = (first, second)

    def score_plain(self, game: FinishedGame) -> Plain | None:
        """Return order, ranking and settlement of a plain game, or None for every other."""
        raw = game.raw
        if game.sticks_left or game.busts or game.chombo or game.chips:
            return None
        if sum(raw) != self.total or len(raw) != self.players or not self.is_usable:
            return None
        seats = tuple(sorted(self.seats, key=raw.__getitem__, reverse=True))
        if raw[seats[-1]] < self.lowest or any(map(beyond_hundreds, raw)):
            return None
        order = self.orders[seats] if len({*raw}) == self.players else order_of(game, self.rules)
        accounts = self.accounts.get(0 if self.floating is None else self.floating.floaters(raw))
        if accounts is None:
            return None
        first, second = accounts
        ranking = first.points(raw, order)
        return order, ranking, ranking if second is first else second.points(raw, order)


def _lowest_plain(rules: ScoringRules) -> int:
    """Return the lowest score for which neither a bust prize nor a floor has to be looked at."""
    floor = LOWEST if rules.below_zero_floor is None else rules.below_zero_floor
    if rules.bust is None or not rules.bust.prize:
        return floor
    return max(
        floor, {BustEnds.NEVER: LOWEST, BustEnds.BELOW_ZERO: 0, BustEnds.ZERO_OR_BELOW: HUNDRED}[rules.bust.ends]
    )


class _Account:
    """One ledger, ready to be added to raw scores."""

    def __init__(self, plan: Plan, rules: ScoringRules, rule: LedgerRule, row: Amounts) -> None:
        self.holds_base = Part.BASE in rule.parts and rules.score_basis == "points"
        return_points = (rules.return_points or 0) if self.holds_base else 0
        oka = rules.oka_points if Part.OKA in rule.parts else 0
        held = row if Part.UMA in rule.parts else (0,) * len(row)
        rounding = rules.rounding if rule.rounded and self.holds_base else None
        taken_off = 0 if rounding is not None else return_points
        self.rules, self.row, self.oka, self.taken_off = rules, held, oka, taken_off
        self.extras: dict[tuple[tuple[tuple[int, int], ...], Seats], Amounts] = {}
        self.sum = (plan.total if self.holds_base else 0) - plan.players * return_points + oka + sum(held)
        self.top_absorbs = rounding is not None and rounding.top_absorbs
        self.rounded = _rounder(rounding, return_points) if rounding is not None else None

    def points(self, raw: Amounts, order: FinishingOrder) -> Amounts:
        """Return the points of every seat, in 1/1000 pt. Raises ScoringError "unset" for a tie that the rules leave open."""
        known, rounded = (order.groups, order.seats), self.rounded
        extras = self.extras.get(known)
        if extras is None:
            extras = self.extras[known] = self._worked_out(order)
        if rounded is None:
            return tuple(map(add, raw, extras)) if self.holds_base else extras
        points = [*map(add, map(rounded, raw), extras)]
        if self.top_absorbs:
            points[order.seats[0]] += self.sum - sum(points)
        return tuple(points)

    def _worked_out(self, order: FinishingOrder) -> Amounts:
        """Return what an order adds to the raw scores: uma and oka, less the return points unless they are in the base."""
        shares = rank_points(order, self.row, self.oka, self.rules)
        return tuple(uma + oka - self.taken_off for uma, oka in zip(shares.uma, shares.oka, strict=True))


def _rounder(rounding: Rounding, return_points: int) -> Callable[[int], int]:
    @lru_cache(KNOWN_SCORES)
    def rounded(score: int) -> int:
        if rounding.basis is Basis.RAW:
            return round_to(score, rounding.unit, rounding.mode, Basis.RAW) - return_points
        return round_to(score - return_points, rounding.unit, rounding.mode, Basis.DIFF)

    return rounded
