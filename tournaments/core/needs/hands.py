"""What a hand can be worth: every value that exists, and who pays what of it.

A value is a base (fu and han) of which the payments follow: once, twice, four or six times, each rounded up. Honba and sticks
are no part of it, nor of its name.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from scoring.core import ScoringRules

_FU = (25, *range(30, 120, 10))
_MANGAN = 2000
_ROUNDED_UP = 1920
"""4 han 30 fu and 3 han 60 fu, a mangan where such hands are rounded up."""

_LIMITS = (_MANGAN, 3000, 4000, 6000, 8000, 16_000, 24_000)
"""Mangan, haneman, baiman, sanbaiman, and one to three yakuman."""

Payments = Mapping[str, int]
"""What each player gets, or pays with a minus, in points of sticks."""


@dataclass(frozen=True, slots=True)
class HandRules:
    """How hands are paid. `honba`: what one adds to a ron; `honba_each`: what each then pays to a draw of one's own."""

    kiriage: bool
    honba: int
    honba_each: int
    noten_pool: int
    unit: int
    shares_missing_seat: bool


@lru_cache(maxsize=64)
def hand_rules(rules: ScoringRules) -> HandRules:
    """Return how hands are paid; what the rules leave open is as almost everybody plays it."""
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
    """Return every base there is, smallest first: 22, and one more where no hand is rounded up to a mangan."""
    found = {base for han in range(1, 5) for fu in _FU if (base := fu << (2 + han)) < _MANGAN and (han, fu) != (1, 25)}
    return tuple(sorted({base for base in found if not (kiriage and base == _ROUNDED_UP)} | set(_LIMITS)))


def ron(base: int, winner: str, discarder: str, dealer: str, honba: int, rules: HandRules) -> tuple[str, Payments]:
    value = _rounded_up((6 if winner == dealer else 4) * base, rules.unit)
    paid = value + honba * rules.honba
    return str(value), {winner: paid, discarder: -paid}


def tsumo(base: int, winner: str, seats: Sequence[str], honba: int, rules: HandRules) -> tuple[str, Payments]:
    """Return name and payments of a hand won by the own draw; `seats`: the dealer first."""
    dealer, payers = seats[0], [player for player in seats if player != winner]
    # With three at the table the fourth's part is lost, or the two share it.
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
    """Return what players who are not ready pay to those who are, at a draw."""
    if not tenpai or len(tenpai) == len(seats):
        return {}
    gain, loss = rules.noten_pool // len(tenpai), rules.noten_pool // (len(seats) - len(tenpai))
    return {player: gain if player in tenpai else -loss for player in seats}


def _rounded_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
