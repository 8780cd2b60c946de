"""Whether the rows of a sheet add up, and what explains it where they do not."""

from collections.abc import Iterable, Mapping, Sequence

from league.models import Hanchan, Incident, Seat
from league.selectors.games import game_from, seats_of
from league.selectors.sheets.table import SumOfRow, SumVerdict
from scoring.core import Ledger, ScoringError, ScoringRules, score
from scoring.core.hanchan import STICK


def points_in(seat: Seat, ledger: str) -> int:
    return seat.settlement if ledger == Ledger.SETTLEMENT else seat.points


def rules_of(hanchan: Iterable[Hanchan]) -> dict[int, ScoringRules | None]:
    """Return the rules of these hanchan by version; None for rules that cannot be read."""
    versions = {game.ruleset_version_id: game.ruleset_version for game in hanchan}
    return {pk: version.readable() for pk, version in versions.items()}


def points_check(games: Iterable[Hanchan], ledger: str, rules: Mapping[int, ScoringRules | None]) -> SumOfRow:
    total, sticks, is_right = 0, 0, True
    for game in games:
        seats = seats_of(game)
        points = sum(points_in(seat, ledger) for seat in seats)
        total += points
        sticks += game.sticks_left if points else 0
        is_right = is_right and points == _expected(game, seats, ledger, rules[game.ruleset_version_id])
    if not is_right:
        return SumOfRow(total, SumVerdict.WRONG)
    return SumOfRow(total, SumVerdict.EXPLAINED, sticks) if total else SumOfRow(total, SumVerdict.BALANCED)


def raw_check(games: Iterable[Hanchan], rules: Mapping[int, ScoringRules | None]) -> SumOfRow:
    """Return whether the raw scores and the sticks on the table are what the players sat down with."""
    total, sticks, is_right = 0, 0, True
    for game in games:
        version, seats = rules[game.ruleset_version_id], seats_of(game)
        if not game.has_raw_scores:
            continue
        raw = sum(seat.raw_score or 0 for seat in seats)
        expected = len(seats) * (version.start_points or 0) if version else None
        total += raw
        sticks += game.sticks_left
        is_right = is_right and raw + STICK * game.sticks_left == expected
    if not is_right:
        return SumOfRow(total, SumVerdict.WRONG)
    return SumOfRow(total, SumVerdict.EXPLAINED, sticks) if sticks else SumOfRow(total, SumVerdict.BALANCED)


def _expected(game: Hanchan, seats: Sequence[Seat], ledger: str, rules: ScoringRules | None) -> int | None:
    """Return what the points of a hanchan must add up to under its rules; None if they cannot score it."""
    if rules is None:
        return None
    incidents: Iterable[Incident] = game.incidents.all()
    try:
        scored = score(game_from(game.sticks_left, seats, incidents, as_is=game.as_is), rules)
    except ScoringError:
        return None
    return sum(seat.points[Ledger(ledger)] for seat in scored.seats)
