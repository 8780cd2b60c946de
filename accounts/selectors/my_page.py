from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q

from accounts.models import Claim
from accounts.selectors.engagements import Engagement, engagements_of
from accounts.selectors.league_hooks import line_of
from accounts.selectors.memberships import OwnLeague, own_leagues
from league.models import Hanchan, League, PlannedSeat, Player, Seat, Session
from league.models.plans import EVERY_ROUND
from league.permissions import JUDGE, MANAGE, MAY, RECORD, hide_names
from league.selectors.confirming import asked_of, leagues_asking
from league.selectors.inbox import WaitingLine
from league.selectors.places import StandingPlace, places_of
from league.selectors.sessions import by_start, entrants

SHOWN = 4

LOOKED_AHEAD = 40
"""Number of coming sessions read per league, about a season."""


@dataclass(frozen=True, slots=True)
class OwnEvening:
    """A session shown on My page: the user has a seat, no seats are drawn yet, or the user is not a player.

    `seat`: in the user's next hanchan, in the first if all are played. `may_enter`: the session is today and the user
    may enter results.
    """

    league: League
    session: Session
    is_today: bool
    seat: PlannedSeat | None
    may_enter: bool


def evenings_ahead(leagues: Sequence[OwnLeague], now: datetime) -> list[OwnEvening]:
    """Return the user's next sessions. Two queries, one if none is planned, three for organisers.

    Earliest first; on each day, those with a seat still to be played first; a seat for the whole session is played once
    its table begins. Sessions in which the user has played all planned hanchan are left out if there are others that day.
    If seats are drawn, players without a seat are left out; scorers and organisers see all sessions but those of a
    tournament in which they play elsewhere. Sessions whose tables were all postponed are left out.
    """
    active = {each.league.pk: each.league for each in leagues if each.league.is_active}
    write = {each.league.pk for each in leagues if each.membership and RECORD in MAY[each.membership.role]}
    players = [player for each in leagues for player in each.players]
    lead = {each.league.pk for each in leagues if each.membership and MANAGE in MAY[each.membership.role]}
    come_anyhow = lead | (active.keys() - {player.league_id for player in players})
    sessions = list(_coming(active, players, come_anyhow, now)) if active else []
    seats = _next_seats(sessions, players)
    over = {pk for pk, each in seats.items() if each.is_played}
    ahead = {
        pk for pk, each in seats.items() if not each.is_played and not (each.round == EVERY_ROUND and each.has_begun)
    }
    days = {each.date for each in sessions if each.pk not in over}
    sessions = [each for each in sessions if each.pk not in over or each.date not in days]
    by_clock = {each.pk: by_start(each, active[each.league_id].day_boundary) for each in sessions}
    sessions.sort(key=lambda each: (each.date, each.pk in over, each.pk not in ahead, by_clock[each.pk]))
    plays = entrants([each.pk for each in sessions if each.league_id in lead and each.pk not in seats])
    where = {pk: [found[each.pk] for each in players if each.pk in found] for pk, found in plays.items()}
    nearest = [each for each in sessions if any(where.get(each.pk) or [True])][:SHOWN]
    today = {league.pk: league.day_of(now) for league in active.values()}
    return [
        OwnEvening(active[own], each, is_today, seats.get(each.pk), is_today and own in write)
        for each, own, is_today in ((each, each.league_id, each.date == today[each.league_id]) for each in nearest)
    ]


def _coming(
    leagues: dict[int, League], players: Sequence[Player], come_anyhow: Set[int], now: datetime
) -> Iterator[Session]:
    planned = PlannedSeat.objects.filter(session=OuterRef("pk"))
    moved = Session.objects.kept().filter(postponed_from=OuterRef("pk"))
    played = Hanchan.objects.valid().filter(session=OuterRef("pk"))
    is_mine = Q(league__in=come_anyhow) | ~Exists(planned) | Exists(planned.filter(player__in=players))
    is_on = ~Exists(moved) | Exists(planned) | Exists(played)
    # Two days back, because the league's day may differ by one from the UTC date.
    since = (now - timedelta(days=2)).date()
    rows = Session.objects.filter(is_mine, is_on, league__in=leagues, state=Session.State.OPEN, date__gte=since)
    for session in rows.order_by("date", "start_time", "number")[: LOOKED_AHEAD * len(leagues)]:
        if session.date >= leagues[session.league_id].day_of(now):
            yield session


def table_of(evening: OwnEvening, reader: User) -> list[PlannedSeat]:
    """Return the players at the table of the user's next seat, East first, with names the user may read.

    Empty without a seat. At most two queries.
    """
    if (own := evening.seat) is None:
        return []
    at_table = PlannedSeat.objects.filter(session=own.session_id, round=own.round, table=own.table)
    seats = list(at_table.select_related("player").order_by("seat"))
    hide_names(reader, evening.league, [each.player for each in seats])
    return seats


def _next_seats(sessions: Sequence[Session], players: Sequence[Player]) -> dict[int, Any]:
    """Return the players' next seats by session, with `is_played`, and `has_begun` if their table has a result."""
    begun = Exists(at_table := Hanchan.objects.valid().filter(session=OuterRef("session"), table=OuterRef("table")))
    played = Exists(at_table.filter(round=OuterRef("round")))
    mine = PlannedSeat.objects.filter(player__in=players, session__in=sessions)
    seats = mine.annotate(is_played=played, has_begun=begun).order_by("-is_played", "-round", "-table")
    return {each.session_id: each for each in seats}


@dataclass(frozen=True, slots=True)
class OwnPlaces:
    """A user's places in one league: this month, this year and all time, if there are any."""

    league: League
    player: Player
    places: tuple[StandingPlace, ...]


def _places(players: Sequence[Player], now: datetime) -> list[OwnPlaces]:
    found = places_of(players, now)
    places = [OwnPlaces(player.league, player, found[player.pk]) for player in players if found[player.pk]]
    # Leagues with hanchan this month first.
    return sorted(places, key=lambda each: -len(each.places))


LAST = 3


@dataclass(frozen=True, slots=True)
class OwnResult:
    """A user's line in a hanchan. Points are of the league's ledger, in 1/1000 pt."""

    league: League
    seat: Seat
    points: int


@dataclass(frozen=True, slots=True)
class AskedResults:
    """One league's results awaiting the user's confirmation."""

    league: League
    hanchan: list[Hanchan]


@dataclass(frozen=True, slots=True)
class MyPage:
    """The content of My page, over all leagues. `table`: players at the user's table in the next session."""

    leagues: list[OwnLeague]
    evenings: list[OwnEvening]
    table: list[PlannedSeat]
    asked: list[AskedResults]
    disputed: list[Hanchan]
    places: list[OwnPlaces]
    results: list[OwnResult]
    engagements: list[Engagement]
    claims: list[Claim]
    to_answer: list[tuple[League, WaitingLine]]

    @property
    def waiting(self) -> int:
        return sum(len(each.hanchan) for each in self.asked)

    @property
    def calls(self) -> list[Engagement]:
        return [each for each in self.engagements if each.call]

    @property
    def active(self) -> list[OwnLeague]:
        return [each for each in self.leagues if each.league.is_active]

    @property
    def over(self) -> list[OwnLeague]:
        """Leagues that are archived, and the user's own leagues that were taken down."""
        return [each for each in self.leagues if not each.league.is_active]

    @property
    def unclaimed(self) -> list[OwnLeague]:
        """Active leagues in which the user is not linked to a player and has not claimed one."""
        waiting = {each.league_id for each in self.claims}
        return [each for each in self.active if not each.players and each.league.pk not in waiting]


def my_page(user: User, now: datetime) -> MyPage:
    """Return the content of My page.

    About twelve queries, independent of the number of leagues, plus four per league with waiting results.
    """
    leagues = own_leagues(user)
    players = [player for each in leagues if each.league.is_active for player in each.players]
    evenings = evenings_ahead(leagues, now)
    claims = Claim.objects.filter(user=user, state=Claim.State.WAITING, league__in=League.objects.visible_to(user))
    return MyPage(
        leagues=leagues,
        evenings=evenings,
        table=table_of(evenings[0], user) if evenings else [],
        asked=_asked(user, leagues),
        disputed=_disputed(leagues),
        places=_places(players, now),
        results=_last_results(players),
        engagements=engagements_of(players),
        claims=list(claims.filter(league__state=League.State.ACTIVE).select_related("league").order_by("pk")),
        to_answer=_claims_to_answer(leagues),
    )


def _asked(user: User, leagues: Sequence[OwnLeague]) -> list[AskedResults]:
    mine = [each.league for each in leagues if each.membership is not None and each.players]
    found = (AskedResults(league, asked_of(user, league)) for league in leagues_asking(user, mine))
    return [each for each in found if each.hanchan]


def _disputed(leagues: Sequence[OwnLeague]) -> list[Hanchan]:
    """Return disputed results that the user may decide, oldest first. One query."""
    decides = {each.league.pk for each in leagues if each.membership and JUDGE in MAY[each.membership.role]}
    disputed = Hanchan.objects.valid().filter(league__in=decides, state=Hanchan.State.DISPUTED)
    return list(disputed.select_related("league", "session").order_by("pk"))


def _claims_to_answer(leagues: Sequence[OwnLeague]) -> list[tuple[League, WaitingLine]]:
    """Return the claims that the user may answer, oldest first. One query, none for those who organise no league."""
    led = {each.league.pk for each in leagues if each.membership and MANAGE in MAY[each.membership.role]}
    waiting = Claim.objects.filter(league__in=led, state=Claim.State.WAITING, league__state=League.State.ACTIVE)
    found = waiting.select_related("league", "player", "user").order_by("pk")
    return [(claim.league, line_of(claim)) for claim in found]


def _last_results(players: Sequence[Player]) -> list[OwnResult]:
    """Return the user's last hanchan, latest first. One query; none without players."""
    leagues = {player.league_id: player.league for player in players}
    seats = Seat.objects.valid().filter(player__in=players).select_related("hanchan__session")
    found = [(leagues[seat.league_id], seat) for seat in seats.order_by("-played_at", "-hanchan")[:LAST]]
    settled = League.RankingLedger.SETTLEMENT
    return [OwnResult(each, seat, seat.settlement if each.ledger == settled else seat.points) for each, seat in found]
