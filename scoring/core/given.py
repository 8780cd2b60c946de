"""Games known only by their points: validation and finishing order."""

from collections.abc import Iterator

from scoring.core.hanchan import FinishedGame, ScoringError
from scoring.core.points import MAX_POINTS, POINT, format_points, shown
from scoring.core.ruleset import Ledger, Leftover, Part, ScoringRules
from scoring.core.ties import FinishingOrder, order_by, shares_placement

MOST_STICKS = 4
"""Maximum number of riichi sticks left on the table: one per player."""


def check_given(game: FinishedGame, rules: ScoringRules) -> None:
    """Raise ScoringError unless the points are possible for a game.

    Their sum must match the rules, unless a wrong sum is accepted.
    """
    if rules.missing:
        raise ScoringError("ruleset_incomplete", parameters=", ".join(rules.missing))
    if len(game.points) != rules.players:
        raise ScoringError("players", count=len(game.points), players=rules.players)
    _check_facts(game, rules.players)
    total = sum(game.points)
    if not game.as_is and not any(abs(total - sum_) <= leeway for sum_, leeway in _sums(rules)):
        expected = next(_sums(rules))[0]
        said, difference = format_points(total), format_points(total - expected)
        raise ScoringError("points_unbalanced", sum=said, expected=format_points(expected), difference=difference)


def _check_facts(game: FinishedGame, players: int) -> None:
    if game.sticks_left or game.busts or any((*game.chombo, *game.chips, *game.deposits)):
        raise ScoringError("points_alone")
    for seat, points in enumerate(game.points):
        if abs(points) > MAX_POINTS:
            raise ScoringError("points_too_large", seat, value=shown(points))
    if game.placements and not _are_of_one_game(game.placements, players):
        raise ScoringError("placements", placements=", ".join(map(str, game.placements)))


def _are_of_one_game(placements: tuple[int, ...], players: int) -> bool:
    expected = tuple(1 + sum(other < each for other in placements) for each in placements)
    return len(placements) == players and placements == expected


def _sums(rules: ScoringRules) -> Iterator[tuple[int, int]]:
    """Yield the possible sums of a game's points, each with its rounding tolerance.

    If the rules void leftover sticks, the sum is lower.
    """
    players = rules.players or 0
    held = dict(rules.accounts)[Ledger.RANKING]
    has_base = Part.BASE in held.parts and rules.score_basis == "points"
    base = players * ((rules.start_points or 0) - (rules.return_points or 0)) if has_base else 0
    oka = rules.oka_points if Part.OKA in held.parts else 0
    fees = rules.fees if Part.FEES in held.parts else None
    paid = players * fees.game + fees.top if fees is not None else 0
    rounding = rules.rounding if held.rounded and has_base else None
    leeway = players * rounding.unit if rounding is not None and not rounding.top_absorbs else 0
    for row in rows_of(rules) if Part.UMA in held.parts else ((),):
        for sticks in range(MOST_STICKS + 1) if has_base and rules.leftover is Leftover.VOID else (0,):
            yield base + oka + sum(row) - paid - POINT * sticks, leeway


def rows_of(rules: ScoringRules) -> tuple[tuple[int, ...], ...]:
    """Return the uma rows that a game may be scored with."""
    if rules.uma is not None:
        return (rules.uma,)
    return tuple(row for _, row in rules.uma_floating.rows) if rules.uma_floating is not None else ()


def order_of_given(game: FinishedGame, rules: ScoringRules) -> FinishingOrder:
    """Return the finishing order by the given placements, else by points; ties as the rules define.

    Raise ScoringError "unset" if there is a tie and the rules do not decide it.
    """
    standing = game.placements or tuple(-points for points in game.points)
    return order_by(standing, lambda: bool(game.placements) or shares_placement(rules))
