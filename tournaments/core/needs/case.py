"""The input before a last hanchan: players, totals, rules and goal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from scoring.core import InputError, ScoringRules
from scoring.core.plain import as_table, read_names, read_points, read_whole
from scoring.core.ruleset import TieAnswer, TieRule

Totals = Mapping[str, int]
"""Points by player, in 1/1000 pt."""

MOST = 10_000_000_000
"""Limit for totals, in 1/1000 pt; far above any real total."""

MOST_HONBA = 100
MOST_OTHERS = 1000


def is_ahead(order: Sequence[str], player: str, rival: str) -> bool:
    """Return whether `order` (best first, possibly incomplete) puts the player ahead of the rival."""
    return {player, rival} <= set(order) and order.index(player) < order.index(rival)


@dataclass(frozen=True, slots=True)
class Hand:
    """The last hand. `seats`: dealer first, in turn order; `scores`: raw scores without declared riichi sticks.

    `sticks` on the table include those of `riichi`. `deposits`: owners of the sticks, if the rules return them.
    """

    seats: tuple[str, ...]
    first_dealer: str
    scores: Mapping[str, int]
    honba: int = 0
    sticks: int = 0
    riichi: frozenset[str] = frozenset()
    deposits: Mapping[str, int] = field(default_factory=dict)

    @property
    def dealer(self) -> str:
        return self.seats[0]


@dataclass(frozen=True, slots=True)
class Case:
    """A case: `goal` places for the table's players and the `others`, whose totals are final.

    `earlier`: order used if both total and last hanchan are equal, best first; empty if undecided. `last_decides`:
    equal totals are decided by the higher last hanchan.
    """

    rules: ScoringRules
    players: tuple[str, ...]
    totals: Totals
    goal: int = 1
    earlier: tuple[str, ...] = ()
    others: Totals = field(default_factory=dict)
    hand: Hand | None = None
    last_decides: bool = True

    @property
    def wanted(self) -> int:
        return max(0, len(self.players) + len(self.others) - self.goal)

    def rivals(self, player: str) -> tuple[str, ...]:
        return tuple(each for each in self.players if each != player)

    def is_earlier(self, player: str, rival: str) -> bool:
        return is_ahead(self.earlier, player, rival)


_KEYS = ("players", "totals", "goal", "earlier", "others", "hand")
_HAND_KEYS = ("seats", "first_dealer", "scores", "honba", "sticks", "riichi", "deposits")


def read_case(table: Mapping[str, Any], rules: ScoringRules) -> Case:
    as_table(table, "case", *_KEYS)
    if rules.missing:
        raise InputError(f"ruleset: it cannot score yet; set {', '.join(rules.missing)} first")
    players = _names(table.get("players"), "players")
    if rules.players != len(players):
        raise InputError(f"players: {len(players)} are given; this rule set is for {rules.players}")
    totals = _points(table.get("totals"), "totals")
    if set(totals) != set(players):
        raise InputError("totals: one for each of the players is expected, and no others")
    others = _points(table.get("others", {}), "others")
    if set(others) & set(players) or len(others) > MOST_OTHERS:
        raise InputError(f"others: at most {MOST_OTHERS} who are not at the table are expected")
    goal = read_whole(table.get("goal", 1), "goal", 1, len(players) + len(others))
    earlier = _names(table.get("earlier", []), "earlier")
    if not set(earlier) <= {*players, *others}:
        raise InputError("earlier: players of the case are expected, each once, best first")
    hand = table.get("hand")
    return Case(rules, players, totals, goal, earlier, others, None if hand is None else _hand(hand, players, rules))


def _hand(value: Any, players: tuple[str, ...], rules: ScoringRules) -> Hand:
    as_table(value, "hand", *_HAND_KEYS)
    seats = _names(value.get("seats"), "hand.seats")
    if set(seats) != set(players):
        raise InputError("hand.seats: the players of the table are expected, the dealer first")
    first = value.get("first_dealer", seats[0])
    if first not in seats:
        raise InputError("hand.first_dealer: one of the players is expected")
    scores = value.get("scores")
    if not isinstance(scores, Mapping) or set(scores) != set(players):
        raise InputError("hand.scores: a raw score for each of the players is expected")
    raw = {player: read_whole(score, f"hand.scores.{player}", -MOST, MOST) for player, score in scores.items()}
    riichi = _names(value.get("riichi", []), "hand.riichi")
    if not set(riichi) <= set(players):
        raise InputError("hand.riichi: players of the table are expected")
    sticks = read_whole(value.get("sticks", 0), "hand.sticks", 0, MOST_HONBA)
    if sticks < len(riichi):
        raise InputError(
            f"hand.sticks: {len(riichi)} have declared riichi, so at least as many sticks must be on the table"
        )
    deposits = value.get("deposits", {})
    if not isinstance(deposits, Mapping) or not set(deposits) <= set(players):
        raise InputError("hand.deposits: a number of sticks by player is expected")
    hand = Hand(
        seats=seats,
        first_dealer=first,
        scores=raw,
        honba=read_whole(value.get("honba", 0), "hand.honba", 0, MOST_HONBA),
        sticks=sticks,
        riichi=frozenset(riichi),
        deposits={player: read_whole(count, "hand.deposits", 0, MOST_HONBA) for player, count in deposits.items()},
    )
    check_hand(hand, rules)
    return hand


def check_hand(hand: Hand, rules: ScoringRules) -> None:
    for player, score in hand.scores.items():
        if score % 100:
            raise InputError(f"hand.scores.{player}: {score} is not a multiple of 100")
    held, expected = sum(hand.scores.values()) + 1000 * hand.sticks, len(hand.seats) * (rules.start_points or 0)
    if held != expected:
        raise InputError(
            f"hand.scores: with the sticks they add up to {held} instead of {expected}: {held - expected} off"
        )


def _names(value: object, path: str) -> tuple[str, ...]:
    named = read_names(value, path)
    if len(set(named)) != len(named):
        raise InputError(f"{path}: a player is named twice")
    return named


def _points(value: object, path: str) -> dict[str, int]:
    read = {str(player): read_points(amount, path) for player, amount in as_table(value, path).items()}
    if any(abs(amount) > MOST for amount in read.values()):
        raise InputError(f"{path}: this is not a plausible total")
    return read


Gained = Mapping[str, tuple[int, ...]]
"""Points of a hanchan by player (1/1000 pt), followed by tie-breaks; higher is better."""


def reached(case: Case, gained: Gained) -> list[str]:
    totals = {player: case.totals[player] + gained[player][0] for player in case.players}
    wanted = case.wanted
    return [player for player in case.players if _beaten(case, player, totals, gained) >= wanted]


def _beaten(case: Case, player: str, totals: Totals, gained: Gained) -> int:
    own, beaten = totals[player], 0
    for rival, theirs in totals.items():
        if own > theirs or (own == theirs and rival != player and wins_level(case, player, rival, gained)):
            beaten += 1
    return beaten + sum(own > total for total in case.others.values()) if case.others else beaten


def wins_level(case: Case, player: str, rival: str, gained: Gained) -> bool:
    if not case.last_decides:
        return False
    if gained[player] != gained[rival]:
        return gained[player] > gained[rival]
    return case.is_earlier(player, rival)


PLACE = 1000
"""Value of one placement, in units of totals."""

MISSED = 1_000_000
"""Penalty for a hanchan not played: players with more hanchan rank first."""

_BASIS = "place taken"


def by_places(rules: ScoringRules) -> ScoringRules:
    """Return the same rules, but scoring only the placement.

    Tied raw scores share a placement if the rules leave the tie open.
    """
    return replace(
        rules,
        score_basis=_BASIS,
        oka=0,
        uma=(0,) * (rules.players or 4),
        uma_floating=None,
        tie=rules.tie or TieRule(TieAnswer.SHARED, TieAnswer.SHARED, TieAnswer.SHARED),
        rounding=None,
        below_zero_floor=None,
        bust=None,
        fees=None,
        ledgers=None,
    )


def counts_places(rules: ScoringRules) -> bool:
    return rules.score_basis == _BASIS


def points_of_places(placements: Sequence[int]) -> tuple[int, ...]:
    return tuple(-PLACE * placement for placement in placements)


def total_of_places(placements: Sequence[int], missed: int = 0) -> int:
    return sum(points_of_places(placements)) - MISSED * missed
