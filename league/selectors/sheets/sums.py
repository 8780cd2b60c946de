"""What each player of a session has altogether."""

from collections import Counter
from collections.abc import Iterable, Mapping

from league.core.periods import Period
from league.core.placements import TWELFTHS
from league.models import Hanchan, Player, Seat, Session
from league.selectors.before_session import points_before
from league.selectors.points_without_hanchan import points_without_hanchan
from league.selectors.sheets.checks import points_in
from league.selectors.sheets.table import SheetColumn
from scoring.core import Ledger


class PlayerSums:
    """What each player of a session has besides its hanchan: adjustments and points of the day, the year before."""

    def __init__(self, session: Session, year: Period, players: Mapping[int, Player], ledger: str) -> None:
        self._ledger = ledger
        self.places = int(session.ruleset_version.parameters.get("players", 4))
        self._adjusted: Counter[int] = Counter()
        self._without_hanchan: Counter[int] = Counter()
        column = "settlement" if ledger == Ledger.SETTLEMENT else "points"
        self._before = points_before(session, year, list(players), column)
        self._add_points_without_hanchan(session, year, players)

    def _add_points_without_hanchan(self, session: Session, year: Period, players: Iterable[int]) -> None:
        """Add what comes from no hanchan; what belongs to no session of its day stands with the first one."""
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

    def column(self, player: Player, hanchan: Iterable[Hanchan]) -> SheetColumn:
        seats = [seat for game in hanchan for seat in game.seats.all() if seat.player_id == player.pk]
        return SheetColumn(
            player=player,
            subtotal=sum(points_in(seat, self._ledger) for seat in seats),
            total_only=sum(seat.total_only for seat in seats),
            adjustment=self._adjusted[player.pk],
            without_hanchan=self._without_hanchan[player.pk],
            places=places_of(seats, self.places),
            before=self._before[player.pk],
            chips=sum(seat.chips for seat in seats),
        )


def places_of(seats: Iterable[Seat], places: int) -> tuple[int, ...]:
    """Return how often each place was taken, in twelfths; players who share a placement share the places it covers."""
    return places_from(((seat.placement, seat.sharing) for seat in seats), places)


def places_from(taken: Iterable[tuple[int, int]], places: int) -> tuple[int, ...]:
    """Return the same from each placement and how many shared it."""
    counts: Counter[int] = Counter()
    for placement, sharing in taken:
        for place in range(placement, placement + sharing):
            counts[place] += TWELFTHS // sharing
    return tuple(counts[place] for place in range(1, max(places, *counts, 0) + 1))
