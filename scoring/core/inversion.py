"""Raw scores calculated from points, if exactly one set of scores results in these points."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product

from scoring.core.accounts import Accounting
from scoring.core.given import MOST_STICKS, rows_of
from scoring.core.hanchan import STICK, FinishedGame, ScoringError
from scoring.core.points import format_points
from scoring.core.ruleset import Ledger, Leftover, Part, ScoringRules
from scoring.core.scoring import score
from scoring.core.ties import order_of

Amounts = tuple[int, ...]

HUNDRED = 100
"""Raw scores are multiples of 100."""

RULE_SETS_AT_HAND = 8
"""Number of cached rule sets; an imported file only uses a few."""


def worked_out(points: Amounts, rules: ScoringRules, placements: Amounts = ()) -> FinishedGame | None:
    """Return the only game in hundreds with these ranking points (1/1000 pt), or None if there is not exactly one.

    Riichi sticks left are assigned as in the rules; if the rules void them, their number follows from the sum. None if
    points are rounded, include chips or fouls, or may include a bust prize. Raise ScoringError "points_too_large" if a
    player has more than the whole table started with, usually because of a wrong digit or decimal point.
    """
    _check_held(points, rules)
    if rules.missing or len(points) != rules.players or not _can_be_inverted(rules) or _may_be_bust(points, rules):
        return None
    most = MOST_STICKS if rules.leftover is Leftover.VOID else 0
    found: dict[FinishedGame, None] = {}
    for worth in _worths(rules):
        raw = tuple(amount - added for amount, added in zip(points, worth, strict=True))
        sticks, rest = divmod(len(points) * (rules.start_points or 0) - sum(raw), STICK)
        if rest or not 0 <= sticks <= most or any(score % HUNDRED for score in raw):
            continue
        game = FinishedGame(raw, sticks)
        if _comes_to(game, points, placements, rules):
            found[game] = None
    return next(iter(found)) if len(found) == 1 else None


def _comes_to(game: FinishedGame, points: Amounts, placements: Amounts, rules: ScoringRules) -> bool:
    try:
        scored = score(game, rules)
    except ScoringError:
        return False
    return scored.ranking == points and (not placements or scored.order.placements == placements)


def _check_held(points: Amounts, rules: ScoringRules) -> None:
    """Raise ScoringError if a player's points require more than all start points, even in the best possible place."""
    held = dict(rules.accounts)[Ledger.RANKING]
    is_told = not rules.missing and len(points) == rules.players and _has_base(rules)
    if not is_told or _has_chips_or_fouls(rules) or rules.fees is not None:
        return
    slack = rules.rounding.unit if held.rounded and rules.rounding is not None else 0
    if rules.bust is not None and Part.BUST in held.parts and rules.bust.prize_in == "points":
        slack += (len(points) - 1) * rules.bust.prize
    most = len(points) * (rules.start_points or 0) + slack
    for seat, amount in enumerate(points):
        if amount - max((worth[seat] for worth in _worths(rules)), default=0) > most:
            raise ScoringError("points_too_large", seat, value=format_points(amount))


def _has_base(rules: ScoringRules) -> bool:
    return Part.BASE in dict(rules.accounts)[Ledger.RANKING].parts and rules.score_basis == "points"


def _has_chips_or_fouls(rules: ScoringRules) -> bool:
    parts = dict(rules.accounts)[Ledger.RANKING].parts
    has_chips = Part.CHIPS in parts and bool(rules.chips)
    return has_chips or (Part.PENALTIES in parts and rules.chombo is not None and rules.chombo.ledger == "game")


def _can_be_inverted(rules: ScoringRules) -> bool:
    held = dict(rules.accounts)[Ledger.RANKING]
    is_rounded = held.rounded and rules.rounding is not None and rules.rounding.unit > HUNDRED
    return _has_base(rules) and rules.below_zero_floor is None and not (is_rounded or _has_chips_or_fouls(rules))


def _may_be_bust(points: Amounts, rules: ScoringRules) -> bool:
    """Return whether the points may include a bust prize.

    With one or two busts, the last player pays at least what the others get, had less than 0, and has at most the mean
    of the last two placements.
    """
    held = dict(rules.accounts)[Ledger.RANKING]
    if rules.bust is None or not rules.asks_busts or Part.BUST not in held.parts:
        return False
    lost, held_by_all = 2 * (rules.return_points or 0), len(points) * (rules.start_points or 0)
    is_low = 2 * min(points) <= max(sum(row[-2:]) for row in rows_of(rules)) - lost
    return is_low or max(points) >= held_by_all - (rules.return_points or 0) or rules.fees is not None


@lru_cache(RULE_SETS_AT_HAND)
def _worths(rules: ScoringRules) -> tuple[Amounts, ...]:
    """Return the distinct sums of uma and oka over all finishing orders, by seat in 1/1000 pt.

    Orders that the rules leave undecided are omitted.
    """
    return tuple(dict.fromkeys(_all_worths(rules)))


def _all_worths(rules: ScoringRules) -> Iterator[Amounts]:
    ranking, players = Accounting(rules, dict(rules.accounts)[Ledger.RANKING]), rules.players or 0
    for raw in product(range(players), repeat=players):
        for row in rows_of(rules):
            try:
                yield ranking.worth(order_of(FinishedGame(raw), rules), row)
            except ScoringError:
                continue
