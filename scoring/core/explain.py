"""Explains the points of a seat: one line per part, each with the rule's values as its reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from scoring.core.busts import shares_of
from scoring.core.hanchan import FinishedGame
from scoring.core.ruleset import ChomboKind, LedgerRule, Part, ScoringRules, TieAnswer
from scoring.core.ties import FinishingOrder

Amounts = tuple[int, ...]


class Scene(NamedTuple):
    """Input for the ledgers of a game.

    `raw` includes leftover sticks if the rules add them before the base; `row`: uma per placement. Both are empty if
    points were given.
    """

    game: FinishedGame
    rules: ScoringRules
    order: FinishingOrder
    raw: Amounts
    row: Amounts


@dataclass(frozen=True, slots=True)
class Account:
    """One ledger of a game: the amounts of each part by seat, and their sums (1/1000 pt)."""

    rule: LedgerRule
    parts: Mapping[Part, Amounts]
    points: Amounts


CLAUSES = {
    "base": "return_points",
    "base_floored": "below_zero_floor",
    "base_rounded": "rounding",
    "oka": "oka",
    "oka_shared": "tie",
    "oka_by_seat": "tie",
    "uma": "uma",
    "uma_floating": "uma_floating",
    "uma_by_seat": "tie",
    "uma_shared": "tie",
    "uma_shared_unevenly": "split",
    "leftover": "leftover",
    "rounding": "rounding",
    "floor": "below_zero_floor",
    "bust_paid_win": "bust",
    "bust_paid_draw": "bust",
    "bust_paid_riichi": "bust",
    "bust_paid_other": "bust",
    "bust_won": "bust",
    "bust_chips": "bust",
    "chips": "chips",
    "fees": "fees",
    "penalties": "chombo",
    "chombo_none": "chombo",
    "chombo_mangan": "chombo",
    "chombo_flat_each": "chombo",
    "chombo_total": "chombo",
    "given": "ledgers",
}
"""The rule parameter behind each reason."""


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for a line: a code and the values for its text."""

    code: str
    values: Mapping[str, object]

    @property
    def clause(self) -> str:
        return CLAUSES[self.code]


@dataclass(frozen=True, slots=True)
class PointsLine:
    """One part of a seat's points (1/1000 pt), with its reason."""

    part: Part
    points: int
    reason: Reason


def explain(scene: Scene, account: Account, seat: int) -> tuple[PointsLine, ...]:
    """Return the explained parts of a seat's points in one ledger (1/1000 pt), in the order of the parts."""
    return tuple(
        PointsLine(part, amounts[seat], REASONS[part](scene, account, seat))
        for part, amounts in account.parts.items()
        if amounts[seat] or part in {Part.BASE, Part.GIVEN}
    )


def remarks(game: FinishedGame, rules: ScoringRules, seat: int, chips: int = 0) -> tuple[Reason, ...]:
    """Return notes on a seat without ranking points: chombo paid in sticks or on the total, bust prize in `chips`."""
    return (*_chombo(game, rules, seat), *((Reason("bust_chips", {"count": chips}),) if chips else ()))


def _chombo(game: FinishedGame, rules: ScoringRules, seat: int) -> tuple[Reason, ...]:
    chombo, count = rules.chombo, game.chombo[seat] if game.chombo else 0
    if not count or chombo is None or (chombo.kind is ChomboKind.TOTAL and chombo.ledger == "game"):
        return ()
    values = {"count": count, "amount": chombo.amount, "points": chombo.amount * count}
    return (Reason(f"chombo_{chombo.kind.value}", values),)


def _base(scene: Scene, account: Account, seat: int) -> Reason:
    rules, raw = scene.rules, scene.raw[seat]
    values: dict[str, object] = {
        "raw": scene.game.raw[seat],
        "sticks": raw - scene.game.raw[seat],
        "return_points": rules.return_points,
        "exact": raw - (rules.return_points or 0),
        "points": account.parts[Part.BASE][seat],
    }
    is_top = seat == scene.order.seats[0]
    floor = rules.below_zero_floor
    if floor is not None and raw < floor and not is_top:
        return Reason("base_floored", values | {"floor": floor})
    rounding = rules.rounding if account.rule.rounded else None
    if rounding is None or (is_top and rounding.top_absorbs) or values["exact"] == values["points"]:
        return Reason("base", values)
    facts = {"mode": rounding.mode.value, "basis": rounding.basis.value, "unit": rounding.unit}
    return Reason("base_rounded", values | facts)


def _group_of(scene: Scene, seat: int) -> tuple[int, int] | None:
    return next((group for group in scene.order.groups if seat in scene.order.tied(group)), None)


def _oka(scene: Scene, account: Account, seat: int) -> Reason:
    rules, group = scene.rules, _group_of(scene, seat)
    values: dict[str, object] = {
        "oka": rules.oka_points,
        "players": rules.players,
        "start_points": rules.start_points,
        "return_points": rules.return_points,
        "is_auto": rules.oka is None,
        "points": account.parts[Part.OKA][seat],
    }
    if group is None:
        return Reason("oka", values)
    values |= {"tied": scene.order.tied(group)}
    return Reason("oka_shared" if account.parts[Part.OKA][seat] != rules.oka_points else "oka_by_seat", values)


def _uma(scene: Scene, account: Account, seat: int) -> Reason:
    place, group = scene.order.seats.index(seat) + 1, _group_of(scene, seat)
    floating = scene.rules.uma_floating
    values: dict[str, object] = {
        "place": place,
        "row": scene.row,
        "floaters": floating.floaters(scene.raw) if floating else None,
        "threshold": floating.threshold if floating else None,
        "inclusive": floating.inclusive if floating else None,
        "points": account.parts[Part.UMA][seat],
    }
    if group is None:
        return Reason("uma_floating" if floating else "uma", values)
    (first, count), tied = group, scene.order.tied(group)
    shared = scene.row[first : first + count]
    values |= {"tied": tied, "first": first + 1, "last": first + count, "shared": shared}
    return Reason(_tied_uma(scene, shared, tuple(account.parts[Part.UMA][other] for other in tied)), values)


def _tied_uma(scene: Scene, row: Amounts, taken: Amounts) -> str:
    tie = scene.rules.tie
    if tie is None or tie.uma is TieAnswer.SEAT:
        return "uma_by_seat"
    if len(set(taken)) == 1 and sum(taken) == sum(row):
        return "uma_shared"
    return "uma_by_seat" if taken == row else "uma_shared_unevenly"


def _bust(scene: Scene, account: Account, seat: int) -> Reason:
    points = account.parts[Part.BUST][seat]
    own = next((bust for bust in scene.game.busts if bust.seat == seat), None)
    if own is not None:
        return Reason(f"bust_paid_{own.by}", {"winners": own.winners, "tenpai": own.tenpai, "points": points})
    return Reason("bust_won", {"busted": _busted_for(scene, seat), "points": points})


def _busted_for(scene: Scene, seat: int) -> Amounts:
    rule = scene.rules.bust
    assert rule is not None
    shares = ((bust.seat, shares_of(bust, rule, scene.order)) for bust in scene.game.busts)
    return tuple(bust for bust, paid in shares if seat in {other for other, _ in paid})


def _chips(scene: Scene, account: Account, seat: int) -> Reason:
    points, value = account.parts[Part.CHIPS][seat], scene.rules.chips or 0
    return Reason("chips", {"count": points // value if value else 0, "value": value, "points": points})


_Explain = Callable[[Scene, Account, int], Reason]


def _plain(part: Part, facts: Callable[[Scene, int], dict[str, object]]) -> _Explain:
    return lambda scene, account, seat: Reason(part.value, {**facts(scene, seat), "points": account.parts[part][seat]})


REASONS: dict[Part, _Explain] = {
    Part.BASE: _base,
    Part.OKA: _oka,
    Part.UMA: _uma,
    Part.LEFTOVER: _plain(Part.LEFTOVER, lambda scene, _seat: {"sticks": scene.game.sticks_left}),
    Part.ROUNDING: _plain(Part.ROUNDING, lambda _scene, _seat: {}),
    Part.FLOOR: _plain(Part.FLOOR, lambda scene, _seat: {"floor": scene.rules.below_zero_floor}),
    Part.BUST: _bust,
    Part.CHIPS: _chips,
    Part.FEES: _plain(Part.FEES, lambda scene, seat: {"is_top": seat == scene.order.seats[0]}),
    Part.PENALTIES: _plain(Part.PENALTIES, lambda scene, seat: {"count": scene.game.chombo[seat]}),
    Part.GIVEN: lambda _scene, account, seat: Reason("given", {"points": account.points[seat]}),
}
