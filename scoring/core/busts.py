from collections.abc import Iterator

from scoring.core.hanchan import Bust, FinishedGame, ScoringError
from scoring.core.points import POINT, format_points
from scoring.core.ruleset import EVENLY, BustRule, Remainder, Split
from scoring.core.ties import FinishingOrder, share


def prizes(game: FinishedGame, rule: BustRule, order: FinishingOrder) -> tuple[int, ...]:
    """Return the bust prizes won or paid by each seat, in 1/1000 pt or in chips; the sum is 0.

    Each busted player in `game.busts` pays a separate prize. Raise ScoringError if the shares are unknown. Source:
    Official rules of the Camarade League, "トビ料について".
    """
    moved = [0] * len(game.raw)
    for bust in game.busts:
        for seat, amount in shares_of(bust, rule, order):
            moved[seat] += amount
            moved[bust.seat] -= amount
    return tuple(moved)


def shares_of(bust: Bust, rule: BustRule, order: FinishingOrder) -> Iterator[tuple[int, int]]:
    """Yield the shares of the prize for one bust as (seat, amount), in 1/1000 pt or in chips.

    Raise ScoringError if they are unknown.
    """
    if not rule.prize:
        return iter(())
    if bust.shares:
        return _given(bust, rule, order)
    if bust.by == "win":
        return _to_winners(bust, rule)
    if bust.by == "draw":
        return _to_tenpai(bust, rule, order)
    return _otherwise(bust, rule, order)


def _given(bust: Bust, rule: BustRule, order: FinishingOrder) -> Iterator[tuple[int, int]]:
    """Yield the shares agreed at the table. They must go to other players and add up to the prize."""
    others = set(order.seats) - {bust.seat}
    unit = 1 if rule.prize_in == "points" else POINT
    total = sum(amount for _, amount in bust.shares)
    if any(amount < 0 or amount % unit or seat not in others for seat, amount in bust.shares):
        raise ScoringError("bust_share", bust.seat)
    if total != rule.prize * unit:
        raise _wrong_shares(bust, rule, total)
    return ((seat, amount // unit) for seat, amount in bust.shares)


def _wrong_shares(bust: Bust, rule: BustRule, total: int) -> ScoringError:
    prize = rule.prize if rule.prize_in == "points" else rule.prize * POINT
    return ScoringError("bust_shares", bust.seat, total=format_points(total), prize=format_points(prize))


def _to_winners(bust: Bust, rule: BustRule) -> Iterator[tuple[int, int]]:
    winners = bust.winners
    if len(winners) > 1 and rule.win is None:
        raise ScoringError("unset", bust.seat, parameter="bust.win")
    if rule.win == "each":
        return ((seat, rule.prize) for seat in winners)
    if rule.win == "split":
        return _evenly(tuple(sorted(winners)), rule)
    return iter([(winners[0], rule.prize)])


def _to_tenpai(bust: Bust, rule: BustRule, order: FinishingOrder) -> Iterator[tuple[int, int]]:
    """Yield the shares of the tenpai players, by placement; tied players in the order of their seats.

    Source: Official rules of the Camarade League, "ノーテンバップでとんだ場合".
    """
    seats = tuple(seat for seat in order.seats if seat in bust.tenpai)
    if rule.draw_shares is None:
        raise ScoringError("unset", bust.seat, parameter="bust.draw_shares")
    if rule.draw_shares == EVENLY:
        return _evenly(tuple(sorted(seats)), rule)
    shares = dict(rule.draw_shares).get(len(seats))
    if shares is None:
        raise ScoringError("no_draw_shares", bust.seat, tenpai=len(seats))
    return iter(list(zip(seats, shares, strict=True)))


def _otherwise(bust: Bust, rule: BustRule, order: FinishingOrder) -> Iterator[tuple[int, int]]:
    if rule.other == "equal_split":
        return _evenly(tuple(sorted(seat for seat in order.seats if seat != bust.seat)), rule)
    if rule.other == "manual":
        raise _wrong_shares(bust, rule, 0)
    if rule.other is None:
        raise ScoringError("unset", bust.seat, parameter="bust.other")
    return iter(())


def _evenly(seats: tuple[int, ...], rule: BustRule) -> Iterator[tuple[int, int]]:
    unit = 100 if rule.prize_in == "points" else 1
    shares = share(rule.prize, len(seats), Split(unit, Remainder.ONE_EACH_NEAREST)) or ()
    return iter(list(zip(seats, shares, strict=True)))
