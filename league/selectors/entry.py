import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain

from django.db.models import Count, Q

from league.core.seating import rotated
from league.models import Hanchan, League, Player, Seat, Session
from league.models.plans import EVERY_ROUND
from league.selectors.games import seats_of
from league.selectors.planning import SUBSTITUTES, next_round, only_rounds, planned_in, seats_planned
from league.selectors.sessions import by_start

RECENT_SEATS = 80

RECENT_PLAYERS = 12

OPEN_SESSIONS = 12
"""Most earlier or future open sessions to offer; the list of sessions has them all."""


@dataclass(frozen=True, slots=True)
class SeatingChoices:
    """Players offered on the entry page: those in the seats, recent ones, and all others.

    `last`: planned for the next hanchan (`is_planned`), or the last seating, rotated on request. `waiting`: sit out
    that hanchan. `takes_turns`: the table rotates. `by_round`: planned players by round number. `upcoming`: number of
    the next hanchan.
    """

    last: tuple[Player, ...]
    recent: tuple[Player, ...]
    others: tuple[Player, ...]
    is_planned: bool = False
    waiting: tuple[Player, ...] = ()
    takes_turns: bool = False
    by_round: Mapping[int, tuple[Player, ...]] = field(default_factory=dict)
    upcoming: int = 1

    @property
    def by_key(self) -> dict[str, Player]:
        """All players that can be seated, by primary key as text."""
        everybody = (*self.last, *self.waiting, *self.recent, *self.others)
        return {str(player.pk): player for player in everybody}


def seating_choices(session: Session, table: int, *, turns: bool = False, open_only: bool = False) -> SeatingChoices:
    """Return the players offered for a table. Eight queries.

    `turns`: rotate the last seating. `open_only`: leave out people outside the session whose names are not public.
    """
    plans, first_out = seats_planned(session, table)
    seatings = _together(_seatings(session, table), (*plans.get(EVERY_ROUND, ()), *first_out))
    last = seatings[-1] if seatings else ()
    upcoming = next_round(session, table, plans)
    planned = tuple(player.pk for player in planned_in(plans, upcoming))
    waits = tuple(player.pk for player in first_out)
    # Players with one plan for the whole session may have swapped seats: use the seats of the last hanchan.
    stays = bool(last) and plans.keys() == {EVERY_ROUND} and set(last) <= {*planned, *waits}
    goes_by_plan = bool(planned) and not stays
    # With a plan for each round, players change tables.
    takes_turns = not plans.keys() - {EVERY_ROUND}
    stayed = last if takes_turns else ()
    seated = planned if goes_by_plan else rotated(seatings, waits) if turns else stayed
    out = [pk for pk in dict.fromkeys((*waits, *(chain(*seatings) if takes_turns else ()))) if pk not in seated]
    people = _people(session, {*seated, *out}) if open_only else everybody_of(session.league).others
    choices = _choices(session.league, {player.pk: player for player in people}, seated, out)
    return replace(
        choices,
        is_planned=goes_by_plan,
        takes_turns=takes_turns and bool(seatings and out) and not goes_by_plan,
        by_round=only_rounds(plans),
        upcoming=upcoming,
    )


def planned_instead(session: Session, table: int, number: int, players: Iterable[Player]) -> tuple[Player, ...] | None:
    """Return the planned players if they differ from `players`; None if they agree or nothing is planned.

    Return () if only other rounds of the table are planned. Players who rotate, and any seating already played at this
    table, count as planned. One query, up to three if others are planned.
    """
    plans, waiting = seats_planned(session, table)
    planned, seated = planned_in(plans, number), {player.pk for player in players}
    expected = {player.pk for player in planned}
    if number in plans or EVERY_ROUND not in plans:
        return planned if plans and seated != expected else None
    stays = seated <= expected | {player.pk for player in waiting} or seated in map(set, _seatings(session, table))
    return None if stays else planned


def everybody_of(league: League) -> SeatingChoices:
    """Return all players of the league, enough to read a form. One query."""
    return SeatingChoices(last=(), recent=(), others=tuple(league.players.active().by_reading()))


def named_choices(session: Session, named: Collection[int], *, open_only: bool = False) -> SeatingChoices:
    """Return the named players, enough to read a form. One query.

    `open_only`: leave out people outside the session whose names are not public or who are inactive; one more query if
    there are any.
    """
    people = list(session.league.players.active().filter(pk__in=named).order_by())
    if open_only:
        public = Player.Visibility.PUBLIC
        asked = {player.pk for player in people if player.visibility != public or not player.is_active}
        people = [player for player in people if player.pk not in asked]
        if asked:
            # Keep those who played in the session or are planned for it, perhaps under a name merged since.
            planned = Q(planned_in__session=session) | Q(merged__planned_in__session=session)
            here = planned | Q(seats__hanchan__session=session)
            people += Player.objects.filter(here, pk__in=asked).distinct()
    return SeatingChoices(last=(), recent=(), others=tuple(people))


def turns_at(session: Session, table: int) -> tuple[Player, ...]:
    """Return who sits out the next hanchan of a rotating table, or (). Four queries."""
    plans, first_out = seats_planned(session, table)
    seatings = _together(_seatings(session, table), (*plans.get(EVERY_ROUND, ()), *first_out))
    waits = tuple(player.pk for player in first_out)
    if not seatings or plans.keys() - {EVERY_ROUND}:
        return ()
    playing = rotated(seatings, waits)
    out = [pk for pk in dict.fromkeys((*waits, *chain(*seatings))) if pk not in playing]
    people = Player.objects.in_bulk(out)
    return tuple(people[pk] for pk in out)


def _seatings(session: Session, table: int) -> list[tuple[int, ...]]:
    played = session.hanchan.valid().filter(table=table).prefetch_related("seats").order_by("played_at", "pk")
    return [tuple(seat.player_id for seat in seats_of(hanchan)) for hanchan in played]


def _together(seatings: list[tuple[int, ...]], planned: Sequence[Player]) -> list[tuple[int, ...]]:
    """Return the latest seatings of people who take turns: those planned together, else those who share a table."""
    group = {player.pk for player in planned}
    for number, seating in reversed(list(enumerate(seatings))):
        if group and len(set(seating) - group) > (SUBSTITUTES if planned else len(seating) // 2):
            return seatings[number + 1 :]
        group |= set() if planned else set(seating)
    return seatings


def _people(session: Session, table: set[int]) -> Iterable[Player]:
    here = Q(planned_in__session=session) | Q(seats__hanchan__session=session) | Q(pk__in=table)
    readable = Q(visibility=Player.Visibility.PUBLIC)
    return session.league.players.active().filter(here | readable).distinct().by_reading()


def correction_choices(hanchan: Hanchan) -> SeatingChoices:
    """Return the players for the correction page, those of the hanchan first. Two queries with prefetched seats."""
    everybody = {player.pk: player for player in hanchan.league.players.active().by_reading()}
    return _choices(hanchan.league, everybody, [seat.player_id for seat in seats_of(hanchan)])


def sheet_choices(session: Session, hanchan: Iterable[Hanchan]) -> SeatingChoices:
    """Return the players for a session's sheet, those who played or are planned first. Three queries."""
    everybody = {player.pk: player for player in session.league.players.active().by_reading()}
    played = (seat.player_id for game in hanchan for seat in seats_of(game))
    planned = session.planned_seats.order_by("table", "round", "seat").values_list("player", flat=True)
    return _choices(session.league, everybody, dict.fromkeys((*played, *planned)))


def _choices(
    league: League, everybody: Mapping[int, Player], seated: Iterable[int], out: Iterable[int] = ()
) -> SeatingChoices:
    last = [pk for pk in seated if pk in everybody]
    waiting = [pk for pk in out if pk in everybody and pk not in last]
    here = {*last, *waiting}
    # Order by day first, to use the index on league and day and read only the latest seats.
    seats = Seat.objects.counted().filter(league=league).order_by("-day", "-played_at", "-hanchan_id", "seat")
    latest = dict.fromkeys(seats.values_list("player_id", flat=True)[:RECENT_SEATS])
    lately = [pk for pk in latest if pk in everybody and pk not in here]
    recent = [pk for pk in lately if everybody[pk].is_active][:RECENT_PLAYERS]
    others = everybody.keys() - {*here, *recent}
    return SeatingChoices(
        last=tuple(everybody[pk] for pk in last),
        waiting=tuple(everybody[pk] for pk in waiting),
        recent=tuple(everybody[pk] for pk in recent),
        others=tuple(player for pk, player in everybody.items() if pk in others and player.is_active),
    )


@dataclass(frozen=True, slots=True)
class OpenSessions:
    """Open sessions of today by start time, the latest earlier ones, and the next ones. Each has `played` hanchan."""

    tonight: tuple[Session, ...]
    earlier: tuple[Session, ...]
    ahead: tuple[Session, ...]

    @property
    def all(self) -> tuple[Session, ...]:
        return (*self.tonight, *self.earlier, *self.ahead)


def open_sessions(league: League, today: date) -> OpenSessions:
    """Return the open sessions around a day. Three queries."""
    counted = Count("hanchan", filter=~Q(hanchan__state=Hanchan.State.VOIDED))
    sessions = league.sessions.filter(state=Session.State.OPEN).select_related("postponed_from")
    sessions = sessions.annotate(played=counted)

    def in_order(found: Iterable[Session]) -> tuple[Session, ...]:
        return tuple(sorted(found, key=lambda each: by_start(each, league.day_boundary)))

    return OpenSessions(
        tonight=in_order(sessions.filter(date=today)),
        earlier=tuple(sessions.filter(date__lt=today).order_by("-date", "-number")[:OPEN_SESSIONS]),
        ahead=in_order(sessions.filter(date__gt=today).order_by("date", "start_time", "number")[:OPEN_SESSIONS]),
    )


def recorded_under(league: League, client_key: uuid.UUID | None) -> Hanchan | None:
    """Return the hanchan already stored under this client key, or None. One query if there is none."""
    if client_key is None:
        return None
    found = Hanchan.objects.filter(league=league, client_key=client_key)
    return found.select_related("league").prefetch_related("seats__player").first()
