"""The seating plan of a session; merged players are replaced by the remaining ones."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from django.db.models import Value

from league.core.seating import next_round as next_of
from league.models import Hanchan, League, PlannedSeat, Player, Session
from league.models.plans import EVERY_ROUND
from league.selectors.people import current_player

Plan = tuple[int, int, tuple[Player, ...]]
"""Round, table, and players, first dealer first."""


def plan_of(session: Session) -> list[Plan]:
    seats = session.planned_seats.filter(waits=False).select_related("player__merged_into")
    return list(_plans(seats.order_by("round", "table", "seat")))


def plans_of(sessions: Iterable[int]) -> dict[tuple[int, int, int], tuple[Player, ...]]:
    """Return planned players by (session, round, table). One query."""
    seats = PlannedSeat.objects.filter(session__in=list(sessions), waits=False).select_related("player__merged_into")
    in_order = seats.order_by("session_id", "round", "table", "seat")
    grouped = groupby(in_order, key=lambda each: (each.session_id, each.round, each.table))
    return {place: tuple(current_player(seat.player) for seat in group) for place, group in grouped}


def last_venue(league: League) -> str:
    last = league.sessions.kept().order_by("-date", "-pk").first()
    return last.venue if last else ""


def planned_in(plans: Mapping[int, tuple[Player, ...]], round_number: int) -> tuple[Player, ...]:
    """Return the planned players of a round, else those planned for the whole session."""
    return plans.get(round_number) or plans.get(EVERY_ROUND, ())


def table_plans(session: Session, table: int) -> dict[int, tuple[Player, ...]]:
    return seats_planned(session, table)[0]


def seats_planned(session: Session, table: int) -> tuple[dict[int, tuple[Player, ...]], tuple[Player, ...]]:
    """Return a table's planned players by round, and those who sit out first. One query."""
    found = session.planned_seats.filter(table=table).select_related("player__merged_into")
    seats = list(found.order_by("round", "seat"))
    plans = {number: players for number, _, players in _plans(seat for seat in seats if not seat.waits)}
    return plans, tuple(current_player(seat.player) for seat in seats if seat.waits)


def only_rounds(plans: Mapping[int, tuple[Player, ...]]) -> dict[int, tuple[Player, ...]]:
    return {number: players for number, players in plans.items() if number != EVERY_ROUND}


def waiting_at(session: Session) -> dict[int, tuple[Player, ...]]:
    seats = session.planned_seats.filter(waits=True).select_related("player__merged_into")
    return {table: players for _, table, players in _plans(seats.order_by("round", "table", "seat"))}


def next_round(session: Session, table: int, plans: Collection[int] | None = None) -> int:
    """Return the number of the next hanchan at a table. One query; `plans`: planned rounds, if known."""
    if plans is not None:
        played = session.hanchan.valid().filter(table=table).order_by().values_list("round", flat=True)
        return next_of(list(played), set(plans) - {EVERY_ROUND})
    return next_rounds([session.pk], table).get((session.pk, table), 1)


def next_rounds(sessions: Collection[int], table: int | None = None) -> dict[tuple[int, int], int]:
    """Return the number of the next hanchan by (session, table), for tables with a plan or a result. One query."""
    where = {"session__in": sessions} | ({} if table is None else {"table": table})
    played, planned = (
        found.order_by().filter(**where).annotate(kind=Value(kind)).values_list("kind", "session", "table", "round")
        for kind, found in enumerate((Hanchan.objects.valid(), PlannedSeat.objects.exclude(round=EVERY_ROUND)))
    )
    numbers: dict[tuple[int, int], tuple[set[int], set[int]]] = {}
    for kind, session, at_table, number in played.union(planned):
        numbers.setdefault((session, at_table), (set(), set()))[kind].add(number)
    return {place: next_of(*both) for place, both in numbers.items()}


def round_played(session: Session, tables: Iterable[int]) -> tuple[int, dict[int, list[int]]]:
    """Return how many hanchan the foremost table has played, and the tables behind by the hanchan they play next.

    `tables`: one for each hanchan.
    """
    played = Counter(tables)
    most = max(played.values(), default=0)
    behind: dict[int, list[int]] = {}
    for table in sorted(range(1, session.tables + 1), key=lambda table: played[table]):
        if played[table] < most:
            behind.setdefault(played[table] + 1, []).append(table)
    return most, behind


@dataclass(frozen=True, slots=True)
class TableState:
    """Progress of a planned table, and the players of its next hanchan.

    `planned`: number of rounds with their own plan; 0 if the same players play any number of hanchan.
    """

    table: int
    players: tuple[Player, ...]
    played: int
    planned: int
    missing: tuple[int, ...]

    @property
    def is_done(self) -> bool:
        return not self.missing if self.planned else bool(self.played)

    @property
    def is_played_out(self) -> bool:
        """Whether all planned rounds have results; always false for plans without rounds."""
        return self.planned > 0 and not self.missing


def table_states(session: Session) -> dict[int, TableState]:
    """Return the state of each planned table. Two queries, one if nothing is planned."""
    plans: dict[int, dict[int, tuple[Player, ...]]] = {}
    for number, table, players in plan_of(session):
        plans.setdefault(table, {})[number] = players
    if not plans:
        return {}
    played: dict[int, list[int]] = {}
    for table, number in session.hanchan.valid().order_by().values_list("table", "round"):
        played.setdefault(table, []).append(number)
    states = {}
    for table in sorted(plans):
        numbered, done = sorted(plans[table].keys() - {EVERY_ROUND}), played.get(table, [])
        upcoming = planned_in(plans[table], next_of(done, numbered)) or plans[table][max(plans[table])]
        missing = tuple(number for number in numbered if number not in done)
        states[table] = TableState(table, upcoming, len(done), len(numbered), missing)
    return states


def first_open_table(session: Session) -> int:
    """Return the table that has played least and has a result to come, or 1. At most two queries."""
    if session.tables == 1:
        return 1
    if states := table_states(session):
        played = {table: state.played for table, state in states.items() if not state.is_played_out}
    else:
        counted = Counter(session.hanchan.valid().order_by().values_list("table", flat=True))
        played = {table: counted[table] for table in range(1, session.tables + 1)}
    return min(played, key=lambda table: played[table], default=1)


@dataclass(frozen=True, slots=True)
class RoundPlan:
    """The planned tables of a round, and those of them without a result. `is_new`: no table has played as planned."""

    number: int
    tables: list[Plan]
    missing: list[Plan]
    is_new: bool

    @property
    def shown(self) -> list[Plan]:
        """The seats that still matter: all of a plan for the whole session, else those without a result."""
        return self.missing if self.number else self.tables


def planned_rounds(session: Session) -> list[RoundPlan]:
    """Return the plan by round. Two queries, one if nothing is planned.

    A plan for the whole session counts as played at a table once its people have a result there.
    """
    plans = plan_of(session)
    if not plans:
        return []
    seated: dict[tuple[int, int], set[int]] = {}
    for number, table, player in session.hanchan.valid().order_by().values_list("round", "table", "seats__player"):
        seated.setdefault((number, table), set()).add(player)
    at_tables = [(table, people) for (_, table), people in seated.items()]

    def is_played(plan: Plan, substitutes: int = SUBSTITUTES) -> bool:
        number, table, players = plan
        if number != EVERY_ROUND:
            return (number, table) in seated
        group = {player.pk for player in players}
        return any(table == at and len(group - people) <= substitutes for at, people in at_tables)

    rounds = [(number, list(tables)) for number, tables in groupby(plans, key=lambda plan: plan[0])]
    return [
        RoundPlan(
            number, tables, [one for one in tables if not is_played(one)], not any(is_played(one, 0) for one in tables)
        )
        for number, tables in rounds
    ]


SUBSTITUTES = 1
"""Players of a seating who may differ from the plan; with more, other seats were drawn."""


def unplayed_plans(session: Session) -> list[tuple[int, list[Plan]]]:
    """Return the planned tables without a result, by round."""
    return [(each.number, each.missing) for each in planned_rounds(session) if each.missing]


def played_rounds(sessions: Iterable[int]) -> set[tuple[int, int, int]]:
    """Return (session, round, table) of all results of these sessions. One query."""
    played = Hanchan.objects.valid().filter(session__in=list(sessions)).order_by()
    return set(played.values_list("session", "round", "table"))


def _plans(seats: Iterable[PlannedSeat]) -> Iterator[Plan]:
    for (number, table), group in groupby(seats, key=lambda each: (each.round, each.table)):
        yield number, table, tuple(current_player(seat.player) for seat in group)
