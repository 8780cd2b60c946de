"""Totals of the players of a session, and checks of sums."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from django.db.models import F, Q, Sum

from league.core.board_lines import TWELFTHS
from league.core.periods import Period
from league.models import Hanchan, Incident, Player, Seat, Session
from league.selectors.games import game_from, seats_of
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.sheets.table import SheetColumn, SumOfRow, SumVerdict
from scoring.core import Ledger, ScoringError, ScoringRules, score
from scoring.core.hanchan import STICK


def points_in(seat: Seat, ledger: str) -> int:
    return seat.settlement if ledger == Ledger.SETTLEMENT else seat.points


def rules_of(hanchan: Iterable[Hanchan]) -> dict[int, ScoringRules | None]:
    """Return the rules of these hanchan by primary key of the version; None if they cannot be read."""
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
    """Check whether raw scores and riichi sticks add up to the start points."""
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
    """Return the expected sum of points under the hanchan's rules, or None if they cannot score it."""
    if rules is None:
        return None
    incidents: Iterable[Incident] = game.incidents.all()
    try:
        scored = score(game_from(game.sticks_left, seats, incidents, as_is=game.as_is), rules)
    except ScoringError:
        return None
    return sum(seat.points[Ledger(ledger)] for seat in scored.seats)


def points_before(session: Session, year: Period, players: Collection[int], points: str) -> Counter[int]:
    """Return players' points from the year's hanchan before a session, in 1/1000 pt. At most one query.

    `points`: the column of the ledger.
    """
    if not players:
        return Counter()
    is_before = Q(hanchan__session__date__lt=session.date) | Q(
        hanchan__session__date=session.date, hanchan__session__number__lt=session.number
    )
    seats = Seat.objects.counted().filter(
        is_before, league=session.league_id, player__in=players, day__gte=year.start, day__lt=year.end
    )
    gained = seats.order_by().values_list("player").annotate(gained=Sum(F(points) + F("total_only")))
    return Counter({player: int(found) for player, found in gained})


class PlayerSums:
    def __init__(self, session: Session, year: Period, players: Collection[int], ledger: str) -> None:
        self._ledger = ledger
        self.places = int(session.ruleset_version.parameters.get("players", 4))
        self._adjusted: Counter[int] = Counter()
        self._without_hanchan: Counter[int] = Counter()
        column = "settlement" if ledger == Ledger.SETTLEMENT else "points"
        self._before = points_before(session, year, players, column)
        self._add_points_without_hanchan(session, year, players)

    def _add_points_without_hanchan(self, session: Session, year: Period, players: Iterable[int]) -> None:
        """Add points without hanchan; those without a session belong to the first session of their day."""
        earlier = session.league.sessions.filter(date=session.date, number__lt=session.number)
        lines = points_without_hanchan(session.league, year, players)
        is_first = any(line.session is None for line in lines) and not earlier.exists()
        first = session.number if is_first else None
        for line in lines:
            number = first if line.session is None else line.session
            if line.day == session.date and number == session.number:
                sums = self._without_hanchan if line.is_sum else self._adjusted
                sums[line.player] += line.points
            elif (line.day, number or 0) < (session.date, session.number):
                self._before[line.player] += line.points

    def column(self, player: Player, seats: Sequence[Seat]) -> SheetColumn:
        return SheetColumn(
            player=player,
            subtotal=sum(points_in(seat, self._ledger) for seat in seats),
            total_only=sum(seat.total_only for seat in seats),
            adjustment=self._adjusted[player.pk],
            without_hanchan=self._without_hanchan[player.pk],
            places=places_of(seats, self.places),
            before=self._before[player.pk],
            chips=sum(seat.chips for seat in seats),
            placements=tuple(seat.placement for seat in seats),
        )


def places_of(seats: Iterable[Seat], places: int) -> tuple[int, ...]:
    """Return how often each placement was reached, in twelfths; a shared placement is split over those it covers."""
    counts: Counter[int] = Counter()
    for seat in seats:
        for place in range(seat.placement, seat.placement + seat.sharing):
            counts[place] += TWELFTHS // seat.sharing
    return tuple(counts[place] for place in range(1, max(places, *counts, 0) + 1))
