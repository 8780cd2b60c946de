from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q

from league.core.errors import RefusedError
from league.core.season import Tables, even_tables, lot_tables
from league.messages import plain_name
from league.models import League, PlannedSeat, Player, Revision, Session
from league.models.plans import EVERY_ROUND
from league.selectors.season import season_so_far
from league.services.history import Actor, Change, write_revision, write_revisions
from league.services.people import PlayerFacts, player_of

MAX_SITTING_OUT = 3
"""Players per table that sit out at first; with more, each would sit out longer than play."""


class PlanningError(RefusedError):
    """The plan is not possible."""


@dataclass(frozen=True, slots=True)
class TablePlan:
    """Seating of a table in a round, first dealer first; with EVERY_ROUND it holds for the whole session.

    `waiting`: the players of a table of five or more who sit out the first hanchan.
    """

    table: int
    players: tuple[Player, ...]
    round: int = EVERY_ROUND
    waiting: tuple[Player, ...] = ()


@transaction.atomic
def plan_tables(*, session: Session, plans: Sequence[TablePlan], by: Actor, reason: str = "") -> None:
    """Plan tables in rounds, replacing earlier plans for the same tables and rounds.

    Raise PlanningError "table_size", "too_many_wait", "player_twice" or "not_in_league".
    """
    if not plans:
        return
    _check(session, plans)
    which = Q(*(Q(table=plan.table, round=plan.round) for plan in plans), _connector=Q.OR)
    _replace(session, which, plans, by, reason)


@transaction.atomic
def replan_tables(*, session: Session, plans: Sequence[TablePlan], by: Actor, reason: str = "") -> None:
    _check(session, plans)
    _replace(session, Q(), plans, by, reason)


@transaction.atomic
def plan_new_sessions(*, league: League, plans: Sequence[tuple[Session, Sequence[TablePlan]]], by: Actor) -> None:
    """Plan sessions that have no plan yet. Raise the errors of `plan_tables`. Three queries."""
    planned = [(session, tables) for session, tables in plans if tables]
    for session, tables in planned:
        _check(session, tables)
    seats = [(session, list(_seats(session, tables))) for session, tables in planned]
    PlannedSeat.objects.bulk_create(seat for _, all_seats in seats for seat in all_seats)
    Session.objects.bulk_update([session for session, tables in planned if _widened(session, tables)], ["tables"])
    nothing = _written(())
    changes = [(session, Change(Revision.Action.CHANGED, nothing, _written(of_it))) for session, of_it in seats]
    write_revisions(league, changes, by)


def _replace(session: Session, which: Q, plans: Sequence[TablePlan], by: Actor, reason: str = "") -> None:
    before = _snapshot(session)
    _delete(session, which)
    PlannedSeat.objects.bulk_create(_seats(session, plans))
    if _widened(session, plans):
        session.save(update_fields=["tables"])
    _note(session, before, by, reason)


def _seats(session: Session, plans: Iterable[TablePlan]) -> Iterator[PlannedSeat]:
    for plan in plans:
        for seat, player in enumerate(plan.players + plan.waiting):
            waits = seat >= len(plan.players)
            yield PlannedSeat(
                session=session, table=plan.table, round=plan.round, seat=seat, player=player, waits=waits
            )


def _widened(session: Session, plans: Iterable[TablePlan]) -> bool:
    most = max((plan.table for plan in plans), default=1)
    has_fewer = session.tables < most
    session.tables = max(session.tables, most)
    return has_fewer


@transaction.atomic
def unplan_rounds(*, session: Session, places: Iterable[tuple[int, int]], by: Actor) -> None:
    """Delete the plans of these (round, table) pairs; other rounds stay planned."""
    which = [Q(round=number, table=table) for number, table in places]
    if which:
        before = _snapshot(session)
        _delete(session, Q(*which, _connector=Q.OR))
        _note(session, before, by)


def _delete(session: Session, which: Q) -> None:
    # The old plan is kept in the history.
    PlannedSeat.objects.filter(which, session=session).delete()


def _check(session: Session, plans: Sequence[TablePlan]) -> None:
    size = session.ruleset_version.read().players
    seen: set[tuple[int, int]] = set()
    for plan in plans:
        if len(plan.players) != size:
            raise PlanningError("table_size", table=plan.table, size=size)
        if len(plan.waiting) > MAX_SITTING_OUT:
            raise PlanningError("too_many_wait", table=plan.table, most=MAX_SITTING_OUT)
        for player in plan.players + plan.waiting:
            if player.league_id != session.league_id or player.merged_into_id is not None:
                raise PlanningError("not_in_league", name=plain_name(player))
            if (plan.round, player.pk) in seen:
                raise PlanningError("player_twice", name=plain_name(player))
            seen.add((plan.round, player.pk))


def _snapshot(session: Session) -> dict[str, Any]:
    return _written(session.planned_seats.select_related("player"))


def _written(seats: Iterable[PlannedSeat]) -> dict[str, Any]:
    tables: dict[str, list[str]] = {}
    for seat in sorted(seats, key=lambda seat: (seat.round, seat.table, seat.seat)):
        tables.setdefault(f"{seat.round}/{seat.table}", []).append(seat.player.name)
    return {"plan": tables}


def _note(session: Session, before: dict[str, Any], by: Actor, reason: str = "") -> None:
    write_revision(session.league, session, Change(Revision.Action.CHANGED, before, _snapshot(session), reason), by)


SHARE_OF_PROPOSALS = 4
"""Divisor of the search budget for one session, because its page waits for the result."""


def draw_evening(
    *,
    session: Session,
    coming: Sequence[Player | PlayerFacts],
    size: int,
    seed: int,
    is_even: bool,
    late: Collection[int] = (),
) -> Tables:
    """Draw tables and return them as indexes into `coming` (see core.season).

    `is_even`: balance who meets whom over the season, instead of drawing at random. `late`: primary keys of late
    players. Raise TooFewError. Three queries, none for a random draw.
    """
    keys = [person.pk if isinstance(person, Player) else None for person in coming]
    late_ones = frozenset(place for place, key in enumerate(keys) if key in late)
    if not is_even:
        return lot_tables(len(keys), size, seed, late=late_ones)
    most = settings.SEATING_PROPOSALS // SHARE_OF_PROPOSALS
    return even_tables(season_so_far(session, keys), size, seed, late=late_ones, most=most)


@transaction.atomic
def seat_evening(*, session: Session, tables: Sequence[Sequence[Player | PlayerFacts]], size: int, by: Actor) -> None:
    """Plan all tables of a session; players after the first `size` of a table sit out first.

    Raise PlanningError "by_round" if the session is planned by rounds, and the errors of `plan_tables`.
    """
    Session.objects.select_for_update().get(pk=session.pk)
    if session.planned_seats.exclude(round=EVERY_ROUND).exists():
        raise PlanningError("by_round")
    plans = []
    for number, people in enumerate(tables, 1):
        players = tuple(player_of(session.league, person, by) for person in people)
        plans.append(TablePlan(number, players[:size], waiting=players[size:]))
    replan_tables(session=session, plans=plans, by=by)
    session.tables = max([len(plans), *session.hanchan.order_by().values_list("table", flat=True)])
    session.save(update_fields=["tables"])
