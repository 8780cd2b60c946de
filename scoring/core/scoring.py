"""The pipeline from a finished game to points. docs/rules.md walks through it step by step."""

from collections.abc import Iterator
from typing import NamedTuple

from scoring.core.busts import prizes
from scoring.core.explain import Account, Amounts, PointsLine, Reason, Scene, explain, remarks
from scoring.core.given import check_given, order_of_given
from scoring.core.hanchan import STICK, FinishedGame, ScoringError, check_game
from scoring.core.plan import KnownOrder, plan_for
from scoring.core.rounding import Basis, round_to
from scoring.core.ruleset import ChomboKind, Ledger, LedgerRule, Leftover, Part, ScoringRules
from scoring.core.steps import Parts
from scoring.core.ties import FinishingOrder, order_of, rank_points, split_sticks

_NOTHING = {3: (0, 0, 0), 4: (0, 0, 0, 0)}

_made_of = tuple.__new__
"""Makes a named tuple without passing its fields through a function of theirs; games come by the ten thousand."""


class ScoredSeat(NamedTuple):
    """What one player takes away; it looks up what it is asked for in the scored game."""

    number: int
    scored: "ScoredGame"

    @property
    def placement(self) -> int:
        """The placement; players who share it have the same number."""
        return self.scored.order.placements[self.number]

    @property
    def sharing(self) -> int:
        """How many players have this placement; 1 when nobody shares it."""
        return self.scored.order.sharing[self.number]

    @property
    def points(self) -> dict[Ledger, int]:
        """The points in both ledgers, in 1/1000 pt."""
        scored = self.scored
        return {
            Ledger.RANKING: scored.ranking[self.number],
            Ledger.SETTLEMENT: scored.settlement[self.number],
        }

    @property
    def total_only(self) -> int:
        """What lies on the total alone and leaves the game zero-sum, in 1/1000 pt."""
        return self.scored.total_only[self.number]

    @property
    def breakdown(self) -> dict[Ledger, tuple[PointsLine, ...]]:
        """The lines of both ledgers; those of a ledger add up to its points."""
        scene = self.scored.scene
        return {ledger: explain(scene, account, self.number) for ledger, account in self.scored.accounts.items()}

    @property
    def remarks(self) -> tuple[Reason, ...]:
        """What happened to this player without touching the points of the game: a chombo paid otherwise."""
        return remarks(self.scored.game, self.scored.rules, self.number)

    @property
    def lines(self) -> tuple[PointsLine, ...]:
        """The lines of the ranking ledger."""
        return self.breakdown[Ledger.RANKING]


class ScoredGame(NamedTuple):
    """A game with its placements and the points of both ledgers (1/1000 pt), first dealer first.

    `known` is what the plan of the rule set knew of the finishing order, None where the game was not plain.
    """

    game: FinishedGame
    rules: ScoringRules
    order: FinishingOrder
    ranking: Amounts
    settlement: Amounts
    total_only: Amounts
    known: KnownOrder | None = None

    def parts(self, ledger: Ledger) -> Parts:
        """Return what the points of a ledger are made of, by seat, parts that come to nothing left out; quick."""
        if self.known is not None:
            return plan_for(self.rules).parts(self.game.raw, self.known, ledger)
        return _account(self.scene, dict(self.rules.accounts)[ledger]).parts

    @property
    def seats(self) -> tuple[ScoredSeat, ...]:
        """The seats from the first dealer on."""
        return tuple(ScoredSeat(number, self) for number in range(len(self.total_only)))

    @property
    def scene(self) -> Scene:
        """What the accounts are worked out from."""
        return _scene(self.game, self.rules, self.order)

    @property
    def accounts(self) -> dict[Ledger, Account]:
        """Both ledgers, part by part."""
        scene = self.scene
        return {ledger: _account(scene, rule) for ledger, rule in self.rules.accounts}


def score(game: FinishedGame, rules: ScoringRules) -> ScoredGame:
    """Return the placements and points of a game under a rule set. Raises ScoringError with a sentence.

    Most games have no stick left, no bust prize, no chombo and no chips; for those the plan of the rule set has a few
    steps, which the tests hold to the careful path.
    """
    plan = plan_for(rules)
    known = plan.known_order(game)
    if known is None:
        return score_carefully(game, rules)
    raw, settle, (order, ranked, settled) = game.raw, plan.settle, known
    ranking = plan.rank(raw, ranked)
    settlement = ranking if settle is None else settle(raw, settled)
    return _made_of(ScoredGame, (game, rules, order, ranking, settlement, _NOTHING[len(raw)], known))


def score_carefully(game: FinishedGame, rules: ScoringRules) -> ScoredGame:
    """Return the same for any game, part by part; points that were given are what both accounts hold."""
    if game.points:
        check_given(game, rules)
        return ScoredGame(game, rules, order_of_given(game, rules), game.points, game.points, _NOTHING[game.size])
    check_game(game, rules)
    order = order_of(game, rules)
    scene = _scene(game, rules, order)
    (_, first), (_, second) = rules.accounts
    ranking = _account(scene, first).points
    settlement = ranking if second == first else _account(scene, second).points
    return ScoredGame(game, rules, order, ranking, settlement, _on_the_total(game, rules))


def _scene(game: FinishedGame, rules: ScoringRules, order: FinishingOrder) -> Scene:
    if game.points:
        return Scene(game, rules, order, (), ())
    raw = _with_leftovers(game, rules, order) if game.sticks_left else game.raw
    return Scene(game, rules, order, raw, _uma_row(raw, rules))


def _with_leftovers(game: FinishedGame, rules: ScoringRules, order: FinishingOrder) -> Amounts:
    """Return the raw scores with the sticks left on the table added before the base, where the rules do so.

    The top was found before, so a placement never changes by it. Source: Official rules of the Camarade League and of the
    Kyoto Jakuyukai (to the top); official rules of the M-League (split between tied tops).
    """
    sticks = STICK * game.sticks_left
    match rules.leftover:
        case Leftover.TOP:
            gains = {order.seats[0]: sticks}
        case Leftover.SPLIT_TOPS:
            tops = order.tied(order.groups[0]) if order.groups and order.groups[0][0] == 0 else order.seats[:1]
            gains = split_sticks(sticks, tuple(sorted(tops)))
        case Leftover.RETURNED:
            gains = {seat: STICK * count for seat, count in enumerate(game.deposits)}
        case _:
            return game.raw
    return tuple(score + gains.get(seat, 0) for seat, score in enumerate(game.raw))


def _uma_row(raw: Amounts, rules: ScoringRules) -> Amounts:
    """Return the points per place; a floating uma counts the floaters after leftover sticks were added."""
    if rules.uma is not None:
        return rules.uma
    floating = rules.uma_floating
    assert floating is not None
    floaters = floating.floaters(raw)
    row = floating.row_for(floaters)
    if row is None:
        raise ScoringError("no_uma_row", floaters=floaters)
    return row


def _account(scene: Scene, rule: LedgerRule) -> Account:
    if given := scene.game.points:
        return Account(rule, {Part.GIVEN: given}, given)
    parts = {part: amounts for part, amounts in _parts(scene, rule) if any(amounts) or part is Part.BASE}
    points = tuple(map(sum, zip(*parts.values(), strict=True))) if parts else _NOTHING[len(scene.raw)]
    return Account(rule, parts, points)


def _parts(scene: Scene, rule: LedgerRule) -> Iterator[tuple[Part, Amounts]]:
    rules, order, held = scene.rules, scene.order, rule.parts
    if Part.BASE in held and rules.score_basis == "points":
        yield from _base(scene, rule)
        # Cinderella League 2020, "基本ルール": tied tops share the rank points first, then the nearest seat takes the sticks.
        if rules.leftover is Leftover.TOP_AFTER_RANK_POINTS and scene.game.sticks_left:
            yield Part.LEFTOVER, _only(order.seats[0], STICK * scene.game.sticks_left, len(scene.raw))
    oka = rules.oka_points if Part.OKA in held else 0
    if Part.UMA in held or oka:
        row = scene.row if Part.UMA in held else _NOTHING[len(scene.raw)]
        shares = rank_points(order, row, oka, rules)
        yield Part.OKA, shares.oka
        yield Part.UMA, shares.uma
    yield from _side_parts(scene, rule)


def _base(scene: Scene, rule: LedgerRule) -> Iterator[tuple[Part, Amounts]]:
    """Yield the base and what the top absorbs.

    Rounding and the floor below zero never change what an account adds up to: the top takes the difference. Source:
    Official rules of the Camarade League, "ウマのつけかた", and rules of the Kyoto Jakuyukai, "精算" (the top takes the sum
    of the others); house rules of the Banchi group, "3人打ちレート・ゲーム代" (the floor).
    """
    rules, raw = scene.rules, scene.raw
    return_points = rules.return_points or 0
    floor, rounds = rules.below_zero_floor, rule.rounded and rules.rounding is not None
    if floor is None and not rounds:
        yield Part.BASE, tuple(score - return_points for score in raw)
        return
    top, players = scene.order.seats[0], len(raw)
    floored = [score if floor is None or seat == top else max(score, floor) for seat, score in enumerate(raw)]
    base = [score - return_points for score in floored]
    absorbed = 0
    if rounds:
        absorbed = _round_base(scene, base, floored)
    yield Part.BASE, tuple(base)
    yield Part.ROUNDING, _only(top, absorbed, players)
    yield Part.FLOOR, _only(top, sum(raw) - sum(floored), players)


def _round_base(scene: Scene, base: list[int], floored: list[int]) -> int:
    """Round the base of every seat in place, all but the top where it absorbs; return what the top then takes."""
    rounding, return_points = scene.rules.rounding, scene.rules.return_points or 0
    assert rounding is not None
    top, exact = scene.order.seats[0], sum(base)
    for seat, value in enumerate(base):
        if seat == top and rounding.top_absorbs:
            continue
        if rounding.basis is Basis.RAW:
            base[seat] = round_to(floored[seat], rounding.unit, rounding.mode, Basis.RAW) - return_points
        else:
            base[seat] = round_to(value, rounding.unit, rounding.mode, Basis.DIFF)
    return exact - sum(base) if rounding.top_absorbs else 0


def _side_parts(scene: Scene, rule: LedgerRule) -> Iterator[tuple[Part, Amounts]]:
    game, rules, held = scene.game, scene.rules, rule.parts
    chips = game.chips
    if game.busts and rules.bust is not None:
        moved = prizes(game, rules.bust, scene.order)
        if rules.bust.prize_in == "chips":
            chips = tuple(map(sum, zip(chips or _NOTHING[len(moved)], moved, strict=True)))
        elif Part.BUST in held:
            yield Part.BUST, moved
    if Part.CHIPS in held and any(chips):
        yield Part.CHIPS, _chip_points(chips, rules)
    if Part.FEES in held and rules.fees is not None:
        top = scene.order.seats[0]
        yield (
            Part.FEES,
            tuple(-rules.fees.game - (rules.fees.top if seat == top else 0) for seat in range(len(game.raw))),
        )
    if Part.PENALTIES in held and any(game.chombo) and rules.chombo is not None and rules.chombo.ledger == "game":
        yield Part.PENALTIES, _chombo_points(game, rules)


def _chip_points(chips: Amounts, rules: ScoringRules) -> Amounts:
    if rules.chips is None:
        if rules.ledgers is not None:
            raise ScoringError("unset", parameter="chips.value")
        return _NOTHING[len(chips)]
    return tuple(rules.chips * count for count in chips)


def _on_the_total(game: FinishedGame, rules: ScoringRules) -> Amounts:
    """Return what lies on the total and leaves the game zero-sum. Source: Cinderella League 2020, "ペナルティ"."""
    if not any(game.chombo) or rules.chombo is None or rules.chombo.ledger != "total":
        return _NOTHING[len(game.raw)]
    return _chombo_points(game, rules)


def _chombo_points(game: FinishedGame, rules: ScoringRules) -> Amounts:
    chombo = rules.chombo
    if chombo is None or chombo.kind is not ChomboKind.TOTAL:
        return _NOTHING[len(game.raw)]
    return tuple(chombo.amount * count for count in game.chombo)


def _only(seat: int, amount: int, players: int) -> Amounts:
    return tuple(amount if number == seat else 0 for number in range(players))
