"""A rule set compiled once: what is known about it before any game, and the few steps that a plain game then takes.

A league scores thousands of games under one rule set, and nearly all of them are plain: no stick left, no chombo, no
chips, nobody so low that a bust prize or a floor matters. What a finishing order is worth is worked out when it is first
met; from there every account is one step. Whatever is not plain, or not right, is left to the careful path.
"""

from collections.abc import Hashable, Iterator
from typing import NamedTuple

from scoring.core.hanchan import FinishedGame
from scoring.core.ruleset import BustEnds, Ledger, LedgerRule, Part, ScoringRules
from scoring.core.steps import (
    ABSORBED_BY_TOP,
    EXACT,
    HUNDRED,
    KEYS,
    LOWEST,
    Amounts,
    Parts,
    Step,
    Worth,
    places_alone,
    rounded,
    rounded_bases,
    scores_from,
)
from scoring.core.ties import FinishingOrder, order_of, rank_points

NOBODY = -1
"""No game has so many players: rules that cannot score yet have no plain games."""


class KnownOrder(NamedTuple):
    """A finishing order and what it is worth in the ranking and in the settlement."""

    order: FinishingOrder
    ranking: Worth
    settlement: Worth


def plan_for(rules: ScoringRules) -> "Plan":
    """Return the plan of a rule set; it is made once and kept on the value itself."""
    try:
        plan: Plan = rules.__dict__["_plan"]
    except KeyError:
        plan = rules.__dict__["_plan"] = Plan(rules)
    return plan


class Plan:
    """The steps of a rule set for plain games: `rank` for the ranking, `settle` for a settlement that differs from it."""

    def __init__(self, rules: ScoringRules) -> None:
        seats = rules.players or 4
        (_, ranking), (_, settlement) = rules.accounts
        self.rules = rules
        self.players = NOBODY if rules.missing else seats
        self.total = seats * (rules.start_points or 0)
        self.are_plain = scores_from(_lowest_plain(rules)).issuperset
        self.key_of = KEYS[seats]
        self.floating = rules.uma_floating if rules.uma is None else None
        self.ranking = _Account(rules, ranking, seats)
        self.settlement = self.ranking if settlement == ranking else _Account(rules, settlement, seats)
        self.rank = self.ranking.step
        self.settle = None if settlement == ranking else self.settlement.step
        self.known: dict[Hashable, KnownOrder] = {}

    def known_order(self, game: FinishedGame) -> KnownOrder | None:
        """Return what the finishing order of a plain game is worth, or None for every other game.

        Raises ScoringError "unset" for a tie that the rules leave open.
        """
        raw = game.raw
        if game.sticks_left or game.busts or game.chombo or game.chips or game.deposits:
            return None
        if len(raw) != self.players or sum(raw) != self.total or not self.are_plain(raw):
            return None
        key = self.key_of(raw)
        if self.floating is not None:
            key = key, self.floating.floaters(raw)
        return self.known.get(key) or self._first_of(key, game)

    def _first_of(self, key: Hashable, game: FinishedGame) -> KnownOrder | None:
        """Return what an order is worth that no game has had before, or None where the rules do not say it."""
        order, floating = order_of(game, self.rules), self.floating
        row = self.rules.uma if floating is None else floating.row_for(floating.floaters(game.raw))
        if row is None:
            return None
        ranking = self.ranking.worth(order, row)
        settlement = ranking if self.settle is None else self.settlement.worth(order, row)
        known = self.known[key] = KnownOrder(order, ranking, settlement)
        return known

    def parts(self, raw: Amounts, known: KnownOrder, ledger: Ledger) -> Parts:
        """Return the parts of a plain game in one ledger by seat, those that come to nothing left out (1/1000 pt)."""
        if ledger is Ledger.RANKING:
            return self.ranking.parts(raw, known.ranking)
        return self.settlement.parts(raw, known.settlement)


def _lowest_plain(rules: ScoringRules) -> int:
    """Return the lowest score for which neither a bust prize nor a floor has to be looked at."""
    floor = LOWEST if rules.below_zero_floor is None else rules.below_zero_floor
    if rules.bust is None or not rules.bust.prize:
        return floor
    return max(
        floor, {BustEnds.NEVER: LOWEST, BustEnds.BELOW_ZERO: 0, BustEnds.ZERO_OR_BELOW: HUNDRED}[rules.bust.ends]
    )


class _Account:
    """One ledger of a rule set: the step from raw scores to its points, and what finishing orders are worth in it."""

    def __init__(self, rules: ScoringRules, rule: LedgerRule, seats: int) -> None:
        self.rules, self.held, self.seats = rules, rule.parts, seats
        self.has_base = Part.BASE in rule.parts and rules.score_basis == "points"
        self.return_points = rules.return_points or 0
        self.rounding = rules.rounding if rule.rounded and self.has_base else None
        self.bases = rounded_bases(self.rounding, self.return_points) if self.rounding else {}
        self.step = self._step()

    def _step(self) -> Step:
        if not self.has_base:
            return places_alone
        if self.rounding is None:
            return EXACT[self.seats]
        return ABSORBED_BY_TOP[self.seats](self.bases) if self.rounding.top_absorbs else rounded(self.bases)

    def worth(self, order: FinishingOrder, row: Amounts) -> Worth:
        """Return what an order is worth under a row of points per place. Raises ScoringError "unset"."""
        rules, top = self.rules, order.seats[0]
        parts = {part: amounts for part, amounts in self._places(order, row) if any(amounts)}
        given = tuple(map(sum, zip((0,) * self.seats, *parts.values(), strict=True)))
        taken_off = self.return_points if self.has_base and self.rounding is None else 0
        base = self.seats * ((rules.start_points or 0) - self.return_points)
        return Worth(tuple(points - taken_off for points in given), base + sum(given), top, parts)

    def _places(self, order: FinishingOrder, row: Amounts) -> Iterator[tuple[Part, Amounts]]:
        rules, held, top = self.rules, self.held, order.seats[0]
        oka = rules.oka_points if Part.OKA in held else 0
        shares = rank_points(order, row if Part.UMA in held else (0,) * self.seats, oka, rules)
        yield Part.OKA, shares.oka
        yield Part.UMA, shares.uma
        if Part.FEES in held and rules.fees is not None:
            fees = rules.fees
            yield Part.FEES, tuple(-fees.game - (fees.top if seat == top else 0) for seat in range(self.seats))

    def parts(self, raw: Amounts, worth: Worth) -> Parts:
        """Return base, rounding and what the order is worth, by seat."""
        if not self.has_base:
            return worth.parts
        exact = [score - self.return_points for score in raw]
        if self.rounding is None:
            return {Part.BASE: tuple(exact), **worth.parts}
        base = [self.bases[score] for score in raw]
        if not self.rounding.top_absorbs:
            return {Part.BASE: tuple(base), **worth.parts}
        base[worth.top] = exact[worth.top]
        moved = sum(exact) - sum(base)
        rounding = {Part.ROUNDING: tuple(moved if seat == worth.top else 0 for seat in range(self.seats))}
        return {Part.BASE: tuple(base), **(rounding if moved else {}), **worth.parts}
