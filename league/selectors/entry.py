"""What the entry page needs to know before anything is typed: who may sit where, and which sessions are open."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date

from django.db.models import Count, Q

from league.models import Hanchan, League, Player, Seat, Session
from league.models.plans import EVERY_ROUND
from league.selectors.games import seats_of
from league.selectors.planning import next_round, planned_in, table_plans

RECENT_SEATS = 80
"""So many of the latest seats tell who has been around lately."""

RECENT_PLAYERS = 12

OPEN_SESSIONS = 12
"""More evenings left open than this are found in the list of sessions."""


@dataclass(frozen=True, slots=True)
class SeatingChoices:
    """The people to choose from: this table's four in their seats, those who played lately, everybody else.

    `last` are those who are planned for the next hanchan (`is_planned`), else those who sat there last.
    """

    last: tuple[Player, ...]
    recent: tuple[Player, ...]
    others: tuple[Player, ...]
    is_planned: bool = False

    @property
    def by_key(self) -> dict[str, Player]:
        """Everybody who may be seated, by primary key as a form carries it."""
        return {str(player.pk): player for player in (*self.last, *self.recent, *self.others)}


def seating_choices(session: Session, table: int) -> SeatingChoices:
    """Return whom the entry page offers for a table of a session. Six queries, seven where there is a plan."""
    played = session.hanchan.counted().filter(table=table).prefetch_related("seats")
    latest = played.order_by("-played_at", "-pk").first()
    last = [seat.player_id for seat in seats_of(latest)] if latest else []
    plans = table_plans(session, table)
    planned = planned_in(plans, next_round(session, table)) if plans else ()
    # Who keeps the table all session may sit elsewhere at it by now: the seats of the last hanchan say so.
    stays = bool(last) and plans.keys() == {EVERY_ROUND} and set(last) == {player.pk for player in planned}
    if planned and not stays:
        return replace(_choices(session.league, [player.pk for player in planned]), is_planned=True)
    return _choices(session.league, last)


def correction_choices(hanchan: Hanchan) -> SeatingChoices:
    """Return whom the correction page offers: those who sit there first. Two queries when the seats are prefetched."""
    return _choices(hanchan.league, [seat.player_id for seat in seats_of(hanchan)])


def _choices(league: League, seated: Iterable[int]) -> SeatingChoices:
    everybody = {player.pk: player for player in league.players.active().by_reading()}
    last = [pk for pk in seated if pk in everybody]
    lately = [pk for pk in _recent_players(league) if pk in everybody and pk not in last]
    recent = lately[:RECENT_PLAYERS]
    others = everybody.keys() - {*last, *recent}
    return SeatingChoices(
        last=tuple(everybody[pk] for pk in last),
        recent=tuple(everybody[pk] for pk in recent),
        others=tuple(player for pk, player in everybody.items() if pk in others),
    )


def _recent_players(league: League) -> list[int]:
    seats = Seat.objects.counted().filter(league=league).order_by("-played_at", "-hanchan_id")
    return list(dict.fromkeys(seats.values_list("player_id", flat=True)[:RECENT_SEATS]))


def open_sessions(league: League, today: date) -> tuple[list[Session], list[Session]]:
    """Return the open sessions of a day, and the other open ones, latest first, each with `played`. One query."""
    counted = Count("hanchan", filter=~Q(hanchan__state=Hanchan.State.VOIDED))
    sessions = league.sessions.filter(state=Session.State.OPEN).annotate(played=counted)[:OPEN_SESSIONS]
    return [session for session in sessions if session.date == today], [
        session for session in sessions if session.date != today
    ]


def recorded_under(league: League, client_key: uuid.UUID | None) -> Hanchan | None:
    """Return the league's hanchan that this submission has already become. One query."""
    if client_key is None:
        return None
    found = Hanchan.objects.filter(league=league, client_key=client_key)
    return found.select_related("league").prefetch_related("seats__player").first()
