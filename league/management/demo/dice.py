"""Simulated hanchan, hand by hand: riichi, draws, repeats, and busts with their cause."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from league.models import Hanchan
from scoring.core import Bust, FinishedGame, ScoringRules
from scoring.core.hanchan import STICK

HONBA = 300
NOTEN_POOL = 3000
RIICHI_CHANCE = 0.2
DRAW_CHANCE = 0.16
TSUMO_CHANCE = 0.42
TENPAI_CHANCE = 0.4

VALUES = (1000, 1300, 2000, 2600, 3900, 5200, 8000, 12000, 16000, 24000, 32000)
WEIGHTS = (13, 7, 17, 9, 14, 9, 18, 8, 3, 0.5, 0.25)
YAKUMAN = ("国士無双", "四暗刻", "大三元", "字一色", "緑一色")


@dataclass(slots=True)
class HanchanUnderWay:
    """State of a hanchan during play. `strengths`: weights of winning a hand."""

    dice: Random
    strengths: Sequence[int]
    raw: list[int]
    is_bust: Callable[[int], bool]
    sticks: int = 0
    honba: int = 0
    dealer: int = 0
    hand: int = 1
    busts: list[Bust] = field(default_factory=list)
    yakuman: list[tuple[int, str]] = field(default_factory=list)

    @property
    def seats(self) -> range:
        return range(len(self.raw))


@dataclass(frozen=True, slots=True)
class FinishedTable:
    """A simulated hanchan after the last hand."""

    game: FinishedGame
    end_reason: str
    yakuman: tuple[tuple[int, str], ...]


def play_out(dice: Random, strengths: Sequence[int], rules: ScoringRules) -> FinishedTable:
    table = HanchanUnderWay(dice, strengths, [rules.start_points or 0] * len(strengths), rules.is_bust)
    last = 2 * len(table.raw)
    while table.hand <= last and not table.busts:
        _play_hand(table)
    game = FinishedGame(tuple(table.raw), table.sticks, busts=tuple(table.busts))
    reason = Hanchan.EndReason.BUST if table.busts else Hanchan.EndReason.NORMAL
    return FinishedTable(game, reason, tuple(table.yakuman))


def _play_hand(table: HanchanUnderWay) -> None:
    for seat in table.seats:
        if table.raw[seat] >= STICK and table.dice.random() < RIICHI_CHANCE:
            table.raw[seat] -= STICK
            table.sticks += 1
    if table.dice.random() < DRAW_CHANCE:
        _draw(table)
    else:
        _win(table)


def _draw(table: HanchanUnderWay) -> None:
    tenpai = [seat for seat in table.seats if table.dice.random() < TENPAI_CHANCE]
    noten = [seat for seat in table.seats if seat not in tenpai]
    if tenpai and noten:
        pool = NOTEN_POOL if len(table.raw) == 4 else NOTEN_POOL - STICK
        for seat in tenpai:
            table.raw[seat] += pool // len(tenpai)
        for seat in noten:
            table.raw[seat] -= pool // len(noten)
    for seat in table.seats:
        if table.is_bust(table.raw[seat]):
            table.busts.append(Bust(seat, "draw", tenpai=tuple(tenpai)))
    _next_hand(table, dealer_stays=table.dealer in tenpai, honba=table.honba + 1)


def _win(table: HanchanUnderWay) -> None:
    winner = table.dice.choices(list(table.seats), table.strengths)[0]
    value = table.dice.choices(VALUES, WEIGHTS)[0]
    if value == VALUES[-1]:
        table.yakuman.append((winner, table.dice.choice(YAKUMAN)))
    if table.dice.random() < TSUMO_CHANCE:
        _pay_tsumo(table, winner, value)
    else:
        _pay_ron(table, winner, value)
    table.raw[winner] += STICK * table.sticks
    table.sticks = 0
    for seat in table.seats:
        if table.is_bust(table.raw[seat]):
            table.busts.append(Bust(seat, "win", winners=(winner,)))
    stays = winner == table.dealer
    _next_hand(table, dealer_stays=stays, honba=table.honba + 1 if stays else 0)


def _pay_ron(table: HanchanUnderWay, winner: int, value: int) -> None:
    loser = table.dice.choice([seat for seat in table.seats if seat != winner])
    paid = _hundreds(value * 3 // 2 if winner == table.dealer else value) + HONBA * table.honba
    table.raw[loser] -= paid
    table.raw[winner] += paid


def _pay_tsumo(table: HanchanUnderWay, winner: int, value: int) -> None:
    for seat in table.seats:
        if seat != winner:
            share = value // 2 if table.dealer in (winner, seat) else value // 4
            paid = _hundreds(share) + 100 * table.honba
            table.raw[seat] -= paid
            table.raw[winner] += paid


def _hundreds(points: int) -> int:
    return -(-points // 100) * 100


def _next_hand(table: HanchanUnderWay, *, dealer_stays: bool, honba: int) -> None:
    table.honba = honba
    is_last = table.hand == 2 * len(table.raw)
    # In the last hand a dealer in the lead stops.
    if dealer_stays and not (is_last and table.raw[table.dealer] == max(table.raw)):
        return
    table.hand += 1
    table.dealer = (table.dealer + 1) % len(table.raw)


def with_tie(game: FinishedGame, dice: Random) -> FinishedGame:
    """Return the game with two players level on points; the total stays the same."""
    raw = list(game.raw)
    first, second = dice.sample([seat for seat, score in enumerate(raw) if score > 1000], 2)
    third = next(seat for seat, score in enumerate(raw) if seat not in (first, second) and score > 1000)
    if (raw[first] + raw[second]) % 200:
        raw[first] += 100
        raw[third] -= 100
    raw[first] = raw[second] = (raw[first] + raw[second]) // 2
    return replace(game, raw=tuple(raw))
