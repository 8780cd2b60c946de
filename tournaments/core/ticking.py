"""A table from hand to hand, from scores alone: next dealer, honba and sticks.

Han and fu are not entered. If scores change as in a draw, assume a draw, otherwise a win; the user may correct this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations
from uuid import UUID

from scoring.core import ScoringRules

WINDS = "ESWN"
STICK = 1000

ROUNDS = {"tonpuu": 1, "tonnan": 2, "full": 4}
"""Number of wind rounds per hanchan."""

MOST_HANDS = 200
MOST_COUNTERS = 99
MOST_SCORE = 10_000_000


class Keeps(StrEnum):
    WIN = "win"
    TENPAI = "tenpai"
    NEVER = "never"


@dataclass(frozen=True, slots=True)
class TickRules:
    """The rules for moving to the next hand. `last`: 0-based index of the hand after which play may end."""

    players: int
    start: int
    last: int
    noten_pool: int
    honba_on_draw: bool
    keeps: Mapping[str, Keeps]

    @property
    def total(self) -> int:
        return self.players * self.start


def tick_rules(rules: ScoringRules) -> TickRules:
    """Return the rules for moving to the next hand, with the usual value for rules left open."""
    house, players = rules.house, rules.players or 4
    renchan = house.renchan if house is not None else None
    keeps = {"E": Keeps(getattr(renchan, "east", None) or Keeps.TENPAI)}
    keeps["S"] = Keeps(getattr(renchan, "south", None) or keeps["E"])
    rounds = ROUNDS.get((house.rounds if house is not None else None) or "", 2)
    pool = house.noten_pool if house is not None and house.noten_pool is not None else STICK * (players - 1)
    on_draw = house is None or house.honba_on_draw is not False
    return TickRules(players, rules.start_points or 0, rounds * players - 1, pool, on_draw, keeps)


@dataclass(frozen=True, slots=True)
class Situation:
    """A table before a hand. `scores` and `riichi` by seat; scores are without declared riichi sticks."""

    scores: tuple[int, ...]
    hand: str = "E1"
    honba: int = 0
    sticks: int = 0
    riichi: tuple[int, ...] = ()

    def dealer(self) -> int:
        return int(self.hand[1]) - 1

    def without_riichi(self) -> tuple[int, ...]:
        return tuple(score + STICK * (seat in self.riichi) for seat, score in enumerate(self.scores))

    def turned(self, seat: int) -> Situation:
        off = seat in self.riichi
        scores = tuple(score + (STICK if off else -STICK) * (at == seat) for at, score in enumerate(self.scores))
        riichi = tuple(sorted(set(self.riichi) ^ {seat}))
        return replace(self, scores=scores, sticks=self.sticks + (-1 if off else 1), riichi=riichi)


def at_first(rules: TickRules) -> Situation:
    return Situation((rules.start,) * rules.players)


def every_hand(players: int = 4) -> tuple[str, ...]:
    return tuple(f"{wind}{number}" for wind in WINDS for number in range(1, players + 1))


def is_last(hand: str, rules: TickRules) -> bool:
    """Return whether play may end after a hand: the last regular hand or any hand of an extension."""
    return every_hand(rules.players).index(hand) >= rules.last


def sticks_after(before: Situation, scores: Sequence[int | None], rules: TickRules) -> int | None:
    """Return the riichi sticks on the table after a hand, None if the scores are impossible.

    If all scores are given, it is the missing sum. If one is missing, the sticks stay after a draw and go to a winner.
    """
    known = [score for score in scores if score is not None]
    if len(known) == len(scores):
        left, rest = divmod(rules.total - sum(known), STICK)
        return left if not rest and 0 <= left <= MOST_COUNTERS else None
    drawn = filled(scores, before.sticks, rules)
    return before.sticks if _is_draw(before, drawn, rules) else 0


def filled(scores: Sequence[int | None], sticks: int, rules: TickRules) -> tuple[int, ...]:
    rest = rules.total - STICK * sticks - sum(score for score in scores if score is not None)
    return tuple(rest if score is None else score for score in scores)


def after_hand(before: Situation, scores: Sequence[int], sticks: int, rules: TickRules) -> Situation:
    moved = _moved(before, scores)
    dealer, keeps = before.dealer(), rules.keeps.get(before.hand[0], rules.keeps["S"])
    if sticks == before.sticks and _is_draw(before, scores, rules):
        ready = moved[dealer] > 0 or (not any(moved) and dealer in before.riichi)
        stays = ready and keeps is Keeps.TENPAI
        honba = before.honba + 1 if rules.honba_on_draw else 0
    else:
        stays = moved[dealer] > 0 and keeps is not Keeps.NEVER
        honba = before.honba + 1 if stays else 0
    hand = before.hand if stays else next_hand(before.hand, rules.players)
    return Situation(tuple(scores), hand, min(honba, MOST_COUNTERS), sticks)


def next_hand(hand: str, players: int = 4) -> str:
    hands = every_hand(players)
    return hands[min(hands.index(hand) + 1, len(hands) - 1)]


def _moved(before: Situation, scores: Sequence[int]) -> tuple[int, ...]:
    return tuple(after - was for was, after in zip(before.scores, scores, strict=True))


def _is_draw(before: Situation, scores: Sequence[int], rules: TickRules) -> bool:
    return _moved(before, scores) in set(_draws(rules))


def _draws(rules: TickRules) -> Iterable[tuple[int, ...]]:
    seats = range(rules.players)
    yield (0,) * rules.players
    for count in range(1, rules.players):
        gain, loss = rules.noten_pool // count, rules.noten_pool // (rules.players - count)
        for ready in combinations(seats, count):
            yield tuple(gain if seat in ready else -loss for seat in seats)


@dataclass(frozen=True, slots=True)
class Ticked:
    """One fact sent by a phone: the table after `number` hands, or the withdrawal of an earlier fact."""

    key: UUID
    number: int
    situation: Situation | None
    takes_back: UUID | None = None


def standing(facts: Iterable[Ticked]) -> list[Ticked]:
    """Return the table after each hand, in order of play, from the facts sent.

    Ignores duplicates; a withdrawal may arrive before the fact it withdraws. If two phones send the same hand, the
    later one wins.
    """
    facts = list(facts)
    gone = {fact.takes_back for fact in facts}
    by_number = {fact.number: fact for fact in facts if fact.situation is not None and fact.key not in gone}
    return [by_number[number] for number in sorted(by_number)]


def scores_after(found: Sequence[Ticked], rules: TickRules) -> tuple[tuple[int, ...], ...]:
    """Return the scores after each hand, starting scores first; riichi sticks on the table count for their owners."""
    after = [each.situation.without_riichi() for each in found if each.situation is not None and each.number]
    return ((rules.start,) * rules.players, *after)
