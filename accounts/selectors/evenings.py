"""The evenings ahead of a person, in all their leagues together."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.contrib.auth.models import User
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.selectors.memberships import OwnLeague
from league.models import Hanchan, League, PlannedSeat, Player, Session
from league.permissions import MANAGE, MAY, RECORD, hide_names
from league.selectors.sessions import by_start

SHOWN = 4
"""So many evenings stand on the page."""

LOOKED_AHEAD = 40
"""So many sessions are read for each league; a season has about as many."""


@dataclass(frozen=True, slots=True)
class OwnEvening:
    """An evening of a person: theirs by a seat, because nobody was drawn yet, or because they are no player there.

    `seat` is that of the first hanchan. `may_enter`: whether it is tonight, and they write results there.
    """

    league: League
    session: Session
    is_today: bool
    seat: PlannedSeat | None
    may_enter: bool

    @property
    def at(self) -> tuple[date, bool, bool, str, int]:
        return by_start(self.session, self.league.day_boundary)


def evenings_ahead(leagues: Sequence[OwnLeague], now: datetime) -> list[OwnEvening]:
    """Return the next evenings of a person, the nearest first. Two queries, one where none is planned.

    Where seats are drawn and a player has none, they do not play; who is no player of the league comes to write, and who
    leads it comes anyhow. Where all tables were postponed, nobody plays.
    """
    active = {each.league.pk: each.league for each in leagues if each.league.is_active}
    write = {each.league.pk for each in leagues if each.membership and RECORD in MAY[each.membership.role]}
    players = [player for each in leagues for player in each.players]
    lead = {each.league.pk for each in leagues if each.membership and MANAGE in MAY[each.membership.role]}
    come_anyhow = lead | (active.keys() - {player.league_id for player in players})
    sessions = list(_coming(active, players, come_anyhow, now)) if active else []
    sessions.sort(key=lambda each: by_start(each, active[each.league_id].day_boundary))
    nearest = sessions[:SHOWN]
    seats = _first_seats(nearest, players)
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
    # The league's day is at most one away from that of the clock here.
    since = (now - timedelta(days=2)).date()
    rows = _open(leagues, since).filter(is_mine, is_on).order_by("date", "start_time", "number")
    for session in rows[: LOOKED_AHEAD * len(leagues)]:
        if session.date >= leagues[session.league_id].day_of(now):
            yield session


def _open(leagues: dict[int, League], since: object) -> QuerySet[Session]:
    return Session.objects.filter(league__in=leagues, state=Session.State.OPEN, date__gte=since)


def table_of(evening: OwnEvening, reader: User) -> list[PlannedSeat]:
    """Return who begins at the table of a person, East first, under the names that they may read; nobody without a seat.

    Two queries at most: the seats, and the reader's role where names are hidden.
    """
    if (own := evening.seat) is None:
        return []
    seats = list(
        PlannedSeat.objects.filter(session=own.session_id, round=own.round, table=own.table)
        .select_related("player")
        .order_by("seat")
    )
    hide_names(reader, evening.league, [each.player for each in seats])
    return seats


def _first_seats(sessions: Sequence[Session], players: Sequence[Player]) -> dict[int, PlannedSeat]:
    if not sessions or not players:
        return {}
    mine = PlannedSeat.objects.filter(Q(player__in=players), session__in=sessions).order_by("-round", "-table")
    return {each.session_id: each for each in mine}
