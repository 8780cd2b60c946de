"""Calculates the points of a finished game. docs/rules.md explains it step by step."""

from typing import NamedTuple

from scoring.core.accounts import NOTHING, Parts, accounting_of, chombo_points
from scoring.core.busts import prizes
from scoring.core.explain import Account, Amounts, PointsLine, Reason, Scene, explain, remarks
from scoring.core.given import check_given, order_of_given
from scoring.core.hanchan import STICK, FinishedGame, ScoringError, check_game
from scoring.core.ruleset import Ledger, Leftover, ScoringRules
from scoring.core.ties import FinishingOrder, order_of, split_sticks

_made_of = tuple.__new__
"""Faster than the constructor of a named tuple; tens of thousands of games are scored at once."""


class ScoredSeat(NamedTuple):
    number: int
    scored: "ScoredGame"

    @property
    def placement(self) -> int:
        """The placement. Players who share it have the same number."""
        return self.scored.order.placements[self.number]

    @property
    def sharing(self) -> int:
        """The number of players who share this placement; 1 if it is not shared."""
        return self.scored.order.sharing[self.number]

    @property
    def points(self) -> dict[Ledger, int]:
        """The points in both ledgers, in 1/1000 pt."""
        scored = self.scored
        return {Ledger.RANKING: scored.ranking[self.number], Ledger.SETTLEMENT: scored.settlement[self.number]}

    @property
    def total_only(self) -> int:
        """Points on the total only, in 1/1000 pt. They do not affect the game, which remains zero-sum."""
        return self.scored.total_only[self.number]

    @property
    def breakdown(self) -> dict[Ledger, tuple[PointsLine, ...]]:
        scene = self.scored.scene
        return {ledger: explain(scene, account, self.number) for ledger, account in self.scored.accounts.items()}

    @property
    def chips(self) -> int:
        """The player's chips: from hands, and from busts if the prize is paid in chips."""
        typed = self.scored.game.chips
        return (typed[self.number] if typed else 0) + self.scored.chip_prizes[self.number]

    @property
    def remarks(self) -> tuple[Reason, ...]:
        """Notes without ranking points: a chombo paid in another way, a bust prize in chips."""
        return remarks(self.scored.game, self.scored.rules, self.number, self.scored.chip_prizes[self.number])

    @property
    def lines(self) -> tuple[PointsLine, ...]:
        return self.breakdown[Ledger.RANKING]


class ScoredGame(NamedTuple):
    """A game with placements and points of both ledgers (1/1000 pt), first dealer first."""

    scene: Scene
    ranking: Amounts
    settlement: Amounts
    total_only: Amounts

    @property
    def game(self) -> FinishedGame:
        return self.scene.game

    @property
    def rules(self) -> ScoringRules:
        return self.scene.rules

    @property
    def order(self) -> FinishingOrder:
        return self.scene.order

    def parts(self, ledger: Ledger) -> Parts:
        """Return the non-zero parts of a ledger's points, by seat."""
        return accounting_of(self.rules)[ledger is Ledger.SETTLEMENT].parts(self.scene)

    @property
    def chip_prizes(self) -> Amounts:
        """Return the bust prizes in chips, by seat; empty if they are paid in points. The sum is 0."""
        bust = self.rules.bust
        if not self.game.busts or bust is None or bust.prize_in != "chips":
            return NOTHING[len(self.total_only)]
        return prizes(self.game, bust, self.order)

    @property
    def seats(self) -> tuple[ScoredSeat, ...]:
        return tuple(ScoredSeat(number, self) for number in range(len(self.total_only)))

    @property
    def accounts(self) -> dict[Ledger, Account]:
        both = zip((ledger for ledger, _ in self.rules.accounts), accounting_of(self.rules), strict=True)
        return {ledger: accounting.account(self.scene) for ledger, accounting in both}


def score(game: FinishedGame, rules: ScoringRules) -> ScoredGame:
    """Return the placements and points of a game under a rule set. Raise ScoringError if it cannot be scored."""
    if game.points:
        check_given(game, rules)
        scene = Scene(game, rules, order_of_given(game, rules), (), ())
    else:
        check_game(game, rules)
        order = order_of(game, rules)
        raw = _with_leftovers(game, rules, order) if game.sticks_left else game.raw
        row = _uma_row(raw, rules) if rules.uma is None else rules.uma
        scene = _made_of(Scene, (game, rules, order, raw, row))
    first, second = accounting_of(rules)
    ranking = first.points(scene)
    settlement = ranking if second is first else second.points(scene)
    total_only = _on_the_total(scene) if game.chombo else NOTHING[len(ranking)]
    return _made_of(ScoredGame, (scene, ranking, settlement, total_only))


def _with_leftovers(game: FinishedGame, rules: ScoringRules, order: FinishingOrder) -> Amounts:
    """Return the raw scores including sticks left on the table, if the rules add these before the base.

    The finishing order is determined before, so placements do not change. Source: Official rules of the Camarade League
    and of the Kyoto Jakuyukai (to the top); official rules of the M-League (split between tied tops).
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
    floating = rules.uma_floating
    assert floating is not None
    floaters = floating.floaters(raw)
    row = dict(floating.rows).get(floaters)
    if row is None:
        raise ScoringError("no_uma_row", floaters=floaters)
    return row


def _on_the_total(scene: Scene) -> Amounts:
    """Return the points on the total only. Source: Cinderella League 2020, "ペナルティ"."""
    game, chombo = scene.game, scene.rules.chombo
    if not any(game.chombo) or chombo is None or chombo.ledger != "total":
        return NOTHING[game.size]
    return chombo_points(scene)
