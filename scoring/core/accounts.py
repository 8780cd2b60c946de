"""The points of a game in one ledger: the parts and their sum."""

from collections.abc import Iterator, Mapping
from operator import add
from typing import NamedTuple

from scoring.core.busts import prizes
from scoring.core.explain import Account, Amounts, Scene
from scoring.core.hanchan import STICK, ScoringError
from scoring.core.rounding import Basis, round_to
from scoring.core.ruleset import ChomboKind, Fees, LedgerRule, Leftover, Part, Rounding, ScoringRules
from scoring.core.ties import FinishingOrder, rank_points

NOTHING: Mapping[int, Amounts] = {3: (0, 0, 0), 4: (0, 0, 0, 0)}

Parts = Mapping[Part, Amounts]


class _Bases(dict[int, int]):
    """A cache of the base by raw score, because the same scores occur again and again in a league."""

    def __init__(self, return_points: int, rounding: Rounding | None) -> None:
        super().__init__()
        self.return_points, self.rounding = return_points, rounding

    def __missing__(self, score: int) -> int:
        base, rounding = score - self.return_points, self.rounding
        if rounding is not None and rounding.basis is Basis.RAW:
            base = round_to(score, rounding.unit, rounding.mode, Basis.RAW) - self.return_points
        elif rounding is not None:
            base = round_to(base, rounding.unit, rounding.mode, Basis.DIFF)
        self[score] = base
        return base


class _Places(NamedTuple):
    """Oka and uma by seat for a finishing order, omitting parts that are zero, and their sums."""

    parts: Parts
    sums: Amounts


class Accounting:
    """A ledger under one rule set. Values that depend only on the finishing order are cached."""

    def __init__(self, rules: ScoringRules, rule: LedgerRule) -> None:
        self.rules, self.rule = rules, rule
        self.has_base = Part.BASE in rule.parts and rules.score_basis == "points"
        rounding = rules.rounding if rule.rounded else None
        self.return_points = rules.return_points or 0
        self.base_of = _Bases(self.return_points, rounding).__getitem__
        self.absorbs = rounding is not None and rounding.top_absorbs
        self.has_fees = Part.FEES in rule.parts and rules.fees is not None
        self.floor = rules.below_zero_floor
        self.oka = rules.oka_points if Part.OKA in rule.parts else 0
        self.places: dict[object, _Places] = {}

    def account(self, scene: Scene) -> Account:
        return Account(self.rule, self.parts(scene), self.points(scene))

    def points(self, scene: Scene) -> Amounts:
        """Return the points of every seat in this ledger (1/1000 pt)."""
        game, order, raw, row = scene.game, scene.order, scene.raw, scene.row
        if game.points:
            return game.points
        places = self.places.get((order.seats, order.groups, row)) or self._worth_of(order, row)
        points = places.sums
        if self.has_base:
            top = order.seats[0]
            base, rounding, floor = self._base(raw, top)
            base[top] += rounding + floor
            points = tuple(map(add, base, points))
        if game.sticks_left or game.busts or game.chips or game.chombo or self.has_fees:
            points = tuple(map(sum, zip(points, *(amounts for _, amounts in self._side_parts(scene)), strict=True)))
        return points

    def parts(self, scene: Scene) -> Parts:
        """Return the non-zero parts of the points, by seat."""
        if given := scene.game.points:
            return {Part.GIVEN: given}
        order, parts = scene.order, dict[Part, Amounts]()
        if self.has_base:
            top, players = order.seats[0], len(scene.raw)
            base, rounding, floor = self._base(scene.raw, top)
            parts[Part.BASE] = tuple(base)
            parts |= {Part.ROUNDING: only(top, rounding, players)} if rounding else {}
            parts |= {Part.FLOOR: only(top, floor, players)} if floor else {}
        parts |= self._worth_of(order, scene.row).parts
        return parts | {part: amounts for part, amounts in self._side_parts(scene) if any(amounts)}

    # --- Parts that depend on the raw scores -------------------------------------------------------------------------

    def _base(self, raw: Amounts, top: int) -> tuple[list[int], int, int]:
        """Return the base of every seat, and the differences from rounding and from the floor, which the top absorbs.

        Neither changes the sum. Sources: Official rules of the Camarade League, "ウマのつけかた", and rules of the Kyoto
        Jakuyukai, "精算" (rounding); house rules of the Banchi group, "3人打ちレート・ゲーム代" (floor).
        """
        floor, floored, rounding = self.floor, raw, 0
        if floor is not None and min(raw) < floor:
            floored = tuple(score if seat == top else max(score, floor) for seat, score in enumerate(raw))
        base = [*map(self.base_of, floored)]
        if self.absorbs:
            base[top] = floored[top] - self.return_points
            rounding = sum(floored) - len(raw) * self.return_points - sum(base)
        return base, rounding, 0 if floored is raw else sum(raw) - sum(floored)

    # --- Parts that depend on the finishing order --------------------------------------------------------------------

    def worth(self, order: FinishingOrder, row: Amounts) -> Amounts:
        sums = self._worth_of(order, row).sums
        taken_off = self.return_points if self.has_base else 0
        fees = self._fees(order) if self.has_fees else NOTHING[len(sums)]
        return tuple(points + fee - taken_off for points, fee in zip(sums, fees, strict=True))

    def _worth_of(self, order: FinishingOrder, row: Amounts) -> _Places:
        oka, uma = rank_points(order, row if Part.UMA in self.rule.parts else NOTHING[len(row)], self.oka, self.rules)
        both = {Part.OKA: oka, Part.UMA: uma}
        places = self.places[order.seats, order.groups, row] = _Places(
            {part: amounts for part, amounts in both.items() if any(amounts)}, tuple(map(add, oka, uma))
        )
        return places

    # --- Parts that depend on events ---------------------------------------------------------------------------------

    def _side_parts(self, scene: Scene) -> Iterator[tuple[Part, Amounts]]:
        game, rules, held = scene.game, scene.rules, self.rule.parts
        chips = game.chips
        # Cinderella League 2020, "基本ルール": tied tops share the rank points, then the nearest seat gets the sticks.
        if self.has_base and game.sticks_left and rules.leftover is Leftover.TOP_AFTER_RANK_POINTS:
            yield Part.LEFTOVER, only(scene.order.seats[0], STICK * game.sticks_left, len(scene.raw))
        if game.busts and rules.bust is not None:
            moved = prizes(game, rules.bust, scene.order)
            if rules.bust.prize_in == "chips":
                chips = tuple(map(add, chips or NOTHING[len(moved)], moved))
            elif Part.BUST in held:
                yield Part.BUST, moved
        if Part.CHIPS in held and any(chips):
            yield Part.CHIPS, _chip_points(chips, rules)
        if self.has_fees:
            yield Part.FEES, self._fees(scene.order)
        if Part.PENALTIES in held and any(game.chombo) and rules.chombo is not None and rules.chombo.ledger == "game":
            yield Part.PENALTIES, chombo_points(scene)

    def _fees(self, order: FinishingOrder) -> Amounts:
        fees, top = self.rules.fees or Fees(), order.seats[0]
        return tuple(-fees.game - (fees.top if seat == top else 0) for seat in range(len(order.seats)))


def accounting_of(rules: ScoringRules) -> tuple[Accounting, Accounting]:
    """Return the ranking and settlement accounts, the same object if equal. Cached on the rules."""
    try:
        both: tuple[Accounting, Accounting] = rules.__dict__["_accounting"]
    except KeyError:
        (_, first), (_, second) = rules.accounts
        ranking = Accounting(rules, first)
        both = rules.__dict__["_accounting"] = ranking, ranking if second == first else Accounting(rules, second)
    return both


def chombo_points(scene: Scene) -> Amounts:
    """Return the points that chombo subtract from each seat, whether in the game or on the total."""
    chombo = scene.rules.chombo
    if chombo is None or chombo.kind is not ChomboKind.TOTAL:
        return NOTHING[len(scene.raw)]
    return tuple(chombo.amount * count for count in scene.game.chombo)


def _chip_points(chips: Amounts, rules: ScoringRules) -> Amounts:
    if rules.chips is None:
        if rules.ledgers is not None:
            raise ScoringError("unset", parameter="chips.value")
        return NOTHING[len(chips)]
    return tuple(rules.chips * count for count in chips)


def only(seat: int, amount: int, players: int) -> Amounts:
    return tuple(amount if number == seat else 0 for number in range(players))
