"""Everything that stands on somebody's own page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from accounts.models import Claim
from accounts.selectors.engagements import Engagement, engagements_of
from accounts.selectors.evenings import OwnEvening, evenings_ahead, table_of
from accounts.selectors.memberships import OwnLeague, own_leagues
from accounts.selectors.places import OwnPlaces, places_of
from league.models import Hanchan, League, PlannedSeat, Player, Seat
from league.selectors.confirming import asked_of, leagues_asking

LAST = 5
"""So many of the last hanchan stand on the page."""


@dataclass(frozen=True, slots=True)
class OwnResult:
    """A person's line of a hanchan, with their points as the league's boards count them, 1/1000 pt."""

    league: League
    seat: Seat
    points: int


@dataclass(frozen=True, slots=True)
class AskedResults:
    """Results of one league that wait for a word of the person."""

    league: League
    hanchan: list[Hanchan]


@dataclass(frozen=True, slots=True)
class MyPage:
    """What a person finds on their own page, of all their leagues together. `table`: who begins beside them in the next evening."""

    leagues: list[OwnLeague]
    evenings: list[OwnEvening]
    table: list[PlannedSeat]
    asked: list[AskedResults]
    places: list[OwnPlaces]
    results: list[OwnResult]
    engagements: list[Engagement]
    claims: list[Claim]

    @property
    def waiting(self) -> int:
        """How many results wait for a word."""
        return sum(len(each.hanchan) for each in self.asked)

    @property
    def calls(self) -> list[Engagement]:
        return [each for each in self.engagements if each.call]

    @property
    def active(self) -> list[OwnLeague]:
        return [each for each in self.leagues if each.league.is_active]

    @property
    def over(self) -> list[OwnLeague]:
        """Archived ones, and those taken down that are theirs."""
        return [each for each in self.leagues if not each.league.is_active]

    @property
    def unclaimed(self) -> list[OwnLeague]:
        """Active leagues in whose list of players nobody is known to be the person, or said to be."""
        waiting = {each.league_id for each in self.claims}
        return [each for each in self.active if not each.players and each.league.pk not in waiting]


def my_page(user: User, now: datetime) -> MyPage:
    """Return a person's page. A dozen queries, however many leagues; four more for each in which results wait."""
    leagues = own_leagues(user)
    players = [player for each in leagues if each.league.is_active for player in each.players]
    evenings = evenings_ahead(leagues, now)
    return MyPage(
        leagues=leagues,
        evenings=evenings,
        table=table_of(evenings[0], user) if evenings else [],
        asked=_asked(user, leagues),
        places=places_of(leagues, now),
        results=_last_results(players),
        engagements=engagements_of(players),
        claims=_waiting_claims(user),
    )


def _asked(user: User, leagues: Sequence[OwnLeague]) -> list[AskedResults]:
    mine = [each.league for each in leagues if each.membership is not None and each.players]
    found = (AskedResults(league, asked_of(user, league)) for league in leagues_asking(user, mine))
    return [each for each in found if each.hanchan]


def _waiting_claims(user: User) -> list[Claim]:
    """Return whom a person says they are, where nobody has answered yet. One query."""
    mine = Claim.objects.filter(user=user, state=Claim.State.WAITING, league__in=League.objects.visible_to(user))
    return list(mine.filter(league__state=League.State.ACTIVE).select_related("league").order_by("pk"))


def _last_results(players: Sequence[Player]) -> list[OwnResult]:
    """Return the last hanchan of a person, the latest first. One query; none without players."""
    if not players:
        return []
    leagues = {player.league_id: player.league for player in players}
    seats = Seat.objects.valid().filter(player__in=players).select_related("hanchan__session")
    return [
        OwnResult(leagues[seat.league_id], seat, _points(leagues[seat.league_id], seat))
        for seat in seats.order_by("-played_at", "-hanchan")[:LAST]
    ]


def _points(league: League, seat: Seat) -> int:
    return seat.settlement if league.ledger == League.RankingLedger.SETTLEMENT else seat.points
