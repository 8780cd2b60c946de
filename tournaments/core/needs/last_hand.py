"""All endings of the last hand, and who reaches the goal in each.

Every hand value is tested, because a more expensive hand may drop the winner below a rival.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import combinations

from scoring.core import Bust, FinishedGame, ScoredGame, ScoringError, ScoringRules, score
from scoring.core.ruleset import Leftover
from tournaments.core.needs.case import Case, Hand, counts_places, points_of_places, reached

_FU = (25, *range(30, 120, 10))
_MANGAN = 2000
_ROUNDED_UP = 1920
"""Base points of 4 han 30 fu and 3 han 60 fu, scored as mangan with kiriage mangan."""

_LIMITS = (_MANGAN, 3000, 4000, 6000, 8000, 16_000, 24_000)
"""Base points: mangan, haneman, baiman, sanbaiman, and single to triple yakuman."""

Payments = Mapping[str, int]
"""Raw-score changes by player; payments are negative."""


@dataclass(frozen=True, slots=True)
class HandRules:
    """Payment rules. `honba`: added to a ron per honba; `honba_each`: paid by each player on a tsumo."""

    kiriage: bool
    honba: int
    honba_each: int
    noten_pool: int
    unit: int
    shares_missing_seat: bool


@lru_cache(maxsize=64)
def hand_rules(rules: ScoringRules) -> HandRules:
    house, players = rules.house, rules.players or 4
    honba = 100 * (players - 1)
    pool = 1000 * (players - 1)
    unit, missing, kiriage, each = 100, False, False, False
    if house is not None:
        kiriage = bool(house.kiriage)
        honba = honba if house.honba_value is None else house.honba_value
        pool = pool if house.noten_pool is None else house.noten_pool
        each = house.honba_tsumo == "each"
        if house.sanma is not None and players == 3:
            unit = house.sanma.round_unit or unit
            missing = house.sanma.tsumo_loss is False
    return HandRules(kiriage, honba, honba if each else honba // (players - 1), pool, unit, missing)


@lru_cache(maxsize=2)
def bases(*, kiriage: bool) -> tuple[int, ...]:
    found = {base for han in range(1, 5) for fu in _FU if (base := fu << (2 + han)) < _MANGAN and (han, fu) != (1, 25)}
    return tuple(sorted({base for base in found if not (kiriage and base == _ROUNDED_UP)} | set(_LIMITS)))


def ron(base: int, winner: str, discarder: str, dealer: str, honba: int, rules: HandRules) -> tuple[str, Payments]:
    value = _rounded_up((6 if winner == dealer else 4) * base, rules.unit)
    paid = value + honba * rules.honba
    return str(value), {winner: paid, discarder: -paid}


def tsumo(base: int, winner: str, seats: Sequence[str], honba: int, rules: HandRules) -> tuple[str, Payments]:
    dealer, payers = seats[0], [player for player in seats if player != winner]
    # With three players, the fourth player's share of a tsumo is lost or split between the two who pay.
    missing = base * (2 if winner == dealer else 1) if rules.shares_missing_seat else 0
    shares = {
        player: _rounded_up(base * (2 if dealer in {player, winner} else 1) + missing // len(payers), rules.unit)
        for player in payers
    }
    paid = {player: -share - honba * rules.honba_each for player, share in shares.items()}
    if winner == dealer:
        name = f"{shares[payers[0]]} all"
    else:
        child = next((share for player, share in shares.items() if player != dealer), shares[dealer])
        name = f"{child}-{shares[dealer]}"
    return name, {**paid, winner: -sum(paid.values())}


def noten(tenpai: Sequence[str], seats: Sequence[str], rules: HandRules) -> Payments:
    if not tenpai or len(tenpai) == len(seats):
        return {}
    gain, loss = rules.noten_pool // len(tenpai), rules.noten_pool // (len(seats) - len(tenpai))
    return {player: gain if player in tenpai else -loss for player in seats}


def _rounded_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


@dataclass(frozen=True, slots=True)
class End:
    """The end of a hanchan: raw scores, points (1/1000 pt) and placements by player, and who reached the goal."""

    scores: Mapping[str, int]
    points: Mapping[str, int]
    placements: Mapping[str, int]
    reached: frozenset[str]


@dataclass(frozen=True, slots=True)
class Win:
    winner: str
    discarder: str | None
    name: str
    end: End


@dataclass(frozen=True, slots=True)
class DrawnHand:
    tenpai: tuple[str, ...]
    end: End


@dataclass(frozen=True)
class LastHand:
    wins: tuple[Win, ...]
    draws: tuple[DrawnHand, ...]

    @cached_property
    def _by_way(self) -> dict[tuple[str, str | None], tuple[Win, ...]]:
        found: dict[tuple[str, str | None], list[Win]] = {}
        for win in self.wins:
            found.setdefault((win.winner, win.discarder), []).append(win)
        return {way: tuple(wins) for way, wins in found.items()}

    def wins_for(self, player: str, winner: str, discarder: str | None) -> tuple[Win, ...]:
        return tuple(win for win in self.of(winner, discarder) if player in win.end.reached)

    def of(self, winner: str, discarder: str | None) -> tuple[Win, ...]:
        return self._by_way.get((winner, discarder), ())

    def draws_for(self, player: str) -> tuple[DrawnHand, ...]:
        return tuple(draw for draw in self.draws if player in draw.end.reached)


def last_hand(case: Case, hand: Hand) -> LastHand:
    """Return all endings of the last hand; a dealer's win or draw always counts as the end."""
    wins = tuple(win for winner in case.players for win in _wins(case, hand, winner, (None, *case.rivals(winner))))
    return LastHand(wins, tuple(_draws(case, hand)))


def last_hand_with_riichi(case: Case, hand: Hand, player: str, before: LastHand) -> LastHand:
    """Return the endings that change for a player who declares riichi: draws and deal-ins.

    Own wins are as in `before`, because the stick comes back. Hands between other players are left out.
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
            scores = {player: score + paid.get(player, 0) for player, score in hand.scores.items()}
            scores[winner] += 1000 * hand.sticks
            yield Win(winner, discarder, name, _end(case, hand, scores, 0, ("win", (winner,))))


def _draws(case: Case, hand: Hand) -> Iterator[DrawnHand]:
    rules = hand_rules(case.rules)
    for count in range(len(case.players) + 1):
        for tenpai in combinations(case.players, count):
            if hand.riichi <= set(tenpai):
                paid = noten(tenpai, hand.seats, rules)
                scores = {player: score + paid.get(player, 0) for player, score in hand.scores.items()}
                yield DrawnHand(tenpai, _end(case, hand, scores, hand.sticks, ("draw", tenpai)))


Cause = tuple[str, tuple[str, ...]]
"""How the hand ended ("win" or "draw"), and the players whose hands decided it."""


def _end(case: Case, hand: Hand, scores: Mapping[str, int], sticks: int, cause: Cause) -> End:
    first = hand.seats.index(hand.first_dealer)
    order = hand.seats[first:] + hand.seats[:first]
    raw = tuple(scores[player] for player in order)
    deposits = tuple(hand.deposits.get(player, 0) for player in order) if sticks else ()
    game = FinishedGame(raw, sticks, _busts(case.rules, order, raw, cause), deposits=deposits)
    scored = _scored(game, case.rules)
    if scored is None:
        return End(scores, {}, {}, frozenset())
    brought = points_of_places(scored.order.placements) if counts_places(case.rules) else scored.ranking
    points = dict(zip(order, brought, strict=True))
    placements = dict(zip(order, scored.order.placements, strict=True))
    gained = {player: (points[player], -placements[player], scores[player]) for player in case.players}
    return End(scores, points, placements, frozenset(reached(case, gained)))


def _scored(game: FinishedGame, rules: ScoringRules) -> ScoredGame | None:
    """Return the scored game; under incomplete rules, leftover sticks are lost and busts cost nothing.

    Return None if the rules leave the order of tied players open, so that it is unknown who reaches the goal.
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
