"""The last hand: every way in which it can end, and who has reached the goal then.

All values are looked at, for the goal does not follow the value: a bigger hand can push somebody down and a rival up with it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

from scoring.core import Bust, FinishedGame, ScoredGame, ScoringError, ScoringRules, score
from scoring.core.ruleset import Leftover
from tournaments.core.needs.by_places import counts_places, points_of_places
from tournaments.core.needs.case import Case, Hand
from tournaments.core.needs.goal import reached
from tournaments.core.needs.hands import Payments, bases, hand_rules, noten, ron, tsumo


@dataclass(frozen=True, slots=True)
class End:
    """How a hanchan ended: raw scores, points of it (1/1000 pt) and placements by player, and who has reached the goal."""

    scores: Mapping[str, int]
    points: Mapping[str, int]
    placements: Mapping[str, int]
    reached: frozenset[str]


@dataclass(frozen=True, slots=True)
class Win:
    """A hand that somebody wins, off `discarder` or (None) by the own draw."""

    winner: str
    discarder: str | None
    name: str
    end: End


@dataclass(frozen=True, slots=True)
class DrawnHand:
    """A hand that nobody wins; `tenpai` are ready, in the order of the players."""

    tenpai: tuple[str, ...]
    end: End


@dataclass(frozen=True)
class LastHand:
    """Every way in which the last hand can end; values from small to large."""

    wins: tuple[Win, ...]
    draws: tuple[DrawnHand, ...]

    @cached_property
    def _by_way(self) -> dict[tuple[str, str | None], tuple[Win, ...]]:
        found: dict[tuple[str, str | None], list[Win]] = {}
        for win in self.wins:
            found.setdefault((win.winner, win.discarder), []).append(win)
        return {way: tuple(wins) for way, wins in found.items()}

    def wins_for(self, player: str, winner: str, discarder: str | None) -> tuple[Win, ...]:
        """Return the hands of a winner, off somebody or by the own draw, after which a player reaches the goal."""
        return tuple(win for win in self.of(winner, discarder) if player in win.end.reached)

    def of(self, winner: str, discarder: str | None) -> tuple[Win, ...]:
        return self._by_way.get((winner, discarder), ())

    def draws_for(self, player: str) -> tuple[DrawnHand, ...]:
        return tuple(draw for draw in self.draws if player in draw.end.reached)


def last_hand(case: Case, hand: Hand) -> LastHand:
    """Return every way in which the hand can end; a dealer's win or draw ends the hanchan here, whatever the rules say."""
    wins = tuple(win for winner in case.players for win in _wins(case, hand, winner, (None, *case.rivals(winner))))
    return LastHand(wins, tuple(_draws(case, hand)))


def last_hand_with_riichi(case: Case, hand: Hand, player: str, before: LastHand) -> LastHand:
    """Return how the hand can end once somebody has declared riichi, as far as the declaration changes it for themselves.

    These are the draws and the hands that are won off them. What they win themselves is as it was in `before`, since the stick
    comes back with it. Hands among the others are left out.
    """
    declared = with_riichi(hand, player)
    own = (win for win in before.wins if win.winner == player)
    off = (win for rival in case.rivals(player) for win in _wins(case, declared, rival, (player,)))
    return LastHand((*own, *off), tuple(_draws(case, declared)))


def with_riichi(hand: Hand, player: str) -> Hand:
    if player in hand.riichi:
        return hand
    scores = {**hand.scores, player: hand.scores[player] - 1000}
    deposits = {**hand.deposits, player: hand.deposits.get(player, 0) + 1}
    return replace(hand, scores=scores, sticks=hand.sticks + 1, riichi=hand.riichi | {player}, deposits=deposits)


def _wins(case: Case, hand: Hand, winner: str, discarders: Sequence[str | None]) -> Iterator[Win]:
    rules = hand_rules(case.rules)
    for base in bases(kiriage=rules.kiriage):
        for discarder in discarders:
            if discarder is None:
                name, paid = tsumo(base, winner, hand.seats, hand.honba, rules)
            else:
                name, paid = ron(base, winner, discarder, hand.dealer, hand.honba, rules)
            yield Win(winner, discarder, name, _won(case, hand, winner, paid))


def _won(case: Case, hand: Hand, winner: str, paid: Payments) -> End:
    scores = {player: score + paid.get(player, 0) for player, score in hand.scores.items()}
    scores[winner] += 1000 * hand.sticks
    return _end(case, hand, scores, 0, ("win", (winner,)))


def _draws(case: Case, hand: Hand) -> Iterator[DrawnHand]:
    rules = hand_rules(case.rules)
    for count in range(len(case.players) + 1):
        for tenpai in combinations(case.players, count):
            if hand.riichi <= set(tenpai):
                paid = noten(tenpai, hand.seats, rules)
                scores = {player: score + paid.get(player, 0) for player, score in hand.scores.items()}
                yield DrawnHand(tenpai, _end(case, hand, scores, hand.sticks, ("draw", tenpai)))


Cause = tuple[str, tuple[str, ...]]
"""How the hand ended, "win" or "draw", and whose hands did it."""


def _end(case: Case, hand: Hand, scores: Mapping[str, int], sticks: int, cause: Cause) -> End:
    order = hand.from_first_dealer
    raw = tuple(scores[player] for player in order)
    deposits = tuple(hand.deposits.get(player, 0) for player in order) if sticks else ()
    game = FinishedGame(raw, sticks, _busts(case.rules, order, raw, cause), deposits=deposits)
    scored = _scored(game, case.rules)
    if scored is None:
        return End(scores, {}, {}, frozenset())
    brought = points_of_places(scored.order.placements) if counts_places(case.rules) else scored.ranking
    points = dict(zip(order, brought, strict=True))
    placements = dict(zip(order, scored.order.placements, strict=True))
    return End(scores, points, placements, _reached(case, scores, points, placements))


def _scored(game: FinishedGame, rules: ScoringRules) -> ScoredGame | None:
    """Return the game scored. What the rules leave open is left out: sticks go to nobody, a bust costs nothing.

    None where they leave open who is ahead: then nobody can be said to have reached anything.
    """
    if game.sticks_left and (rules.leftover is None or sum(game.deposits) != game.sticks_left):
        rules = rules if rules.leftover not in {None, Leftover.RETURNED} else replace(rules, leftover=Leftover.VOID)
    try:
        return score(game, rules)
    except ScoringError:
        pass
    try:
        return score(replace(game, busts=()), replace(rules, bust=None))
    except ScoringError:
        return None


def _busts(rules: ScoringRules, order: tuple[str, ...], raw: tuple[int, ...], cause: Cause) -> tuple[Bust, ...]:
    if not rules.asks_busts:
        return ()
    by, names = cause
    seats = tuple(sorted(order.index(name) for name in names))
    return tuple(
        Bust(seat, by, winners=seats if by == "win" else (), tenpai=seats if by == "draw" else ())
        for seat, value in enumerate(raw)
        if rules.is_bust(value)
    )


def _reached(
    case: Case, scores: Mapping[str, int], points: Mapping[str, int], placements: Mapping[str, int]
) -> frozenset[str]:
    gained = {player: (points[player], -placements[player], scores[player]) for player in case.players}
    return frozenset(reached(case, gained))
