"""Seating of a tournament: session, hanchan and table of each player, and whether it was played."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from operator import itemgetter

from league.models import Hanchan, PlannedSeat, Player, PlayerAlias
from league.models.plans import EVERY_ROUND
from league.selectors.people import current_player
from tournaments.core.format import Stage
from tournaments.messages.titles import session_title
from tournaments.models import StageSession
from tournaments.selectors.decisions import unsettled_in
from tournaments.selectors.state import CurrentState


@dataclass(frozen=True, slots=True)
class SeatAssignment:
    wind: int
    player: Player


@dataclass(frozen=True, slots=True)
class PlannedTable:
    """A planned table. `hanchan`: primary key of its result; `left`: who withdrew before, as long as no remedy is chosen."""

    number: int
    seats: tuple[SeatAssignment, ...]
    hanchan: int | None = None
    left: frozenset[Player] = frozenset()


@dataclass(frozen=True, slots=True)
class PlannedRound:
    number: int
    tables: tuple[PlannedTable, ...]
    resting: tuple[Player, ...] = ()

    @property
    def open_first(self) -> list[PlannedTable]:
        return sorted(self.tables, key=lambda table: table.hanchan is not None)

    @property
    def players(self) -> list[Player]:
        return [seat.player for table in self.tables for seat in table.seats]

    @property
    def is_played(self) -> bool:
        return all(table.hanchan is not None for table in self.tables)

    @property
    def is_begun(self) -> bool:
        return any(table.hanchan is not None for table in self.tables)


@dataclass(frozen=True, slots=True)
class SessionSeating:
    stage_session: StageSession
    stage: Stage
    rounds: tuple[PlannedRound, ...]

    @property
    def title(self) -> str:
        return session_title(self.stage, self.stage_session)

    @property
    def day(self) -> date:
        return self.stage_session.session.date

    @property
    def current(self) -> PlannedRound | None:
        return next((each for each in self.rounds if not each.is_played), None)

    @property
    def earlier(self) -> tuple[PlannedRound, ...]:
        current = self.current
        return tuple(each for each in self.rounds if current is None or each.number < current.number)

    @property
    def later(self) -> tuple[PlannedRound, ...]:
        current = self.current
        return tuple(each for each in self.rounds if current is not None and each.number > current.number)

    @property
    def is_over(self) -> bool:
        if self.stage_session.session.state == self.stage_session.session.State.CLOSED:
            return True
        return len(self.rounds) >= self.stage.hanchan and self.current is None

    @property
    def stays_together(self) -> bool:
        kept = {
            frozenset((table.number, frozenset(seat.player.pk for seat in table.seats)) for table in each.tables)
            for each in self.rounds
        }
        return len(self.rounds) > 1 and len(kept) == 1


@dataclass(frozen=True, slots=True)
class NextSeat:
    player: Player
    session_seating: SessionSeating
    round: PlannedRound
    table: PlannedTable
    wind: int


@dataclass(frozen=True, slots=True)
class PlayedPlaces:
    """Primary keys of hanchan by session, round and table, and the time of the latest entry."""

    hanchan: Mapping[tuple[int, int, int], int]
    newest: datetime | None


def session_seatings(current: CurrentState, played: PlayedPlaces | None = None) -> tuple[SessionSeating, ...]:
    """Return the seating of all sessions. `played`: the result of `played_places`, if already loaded."""
    stages = {stage.key: stage for stage in current.tournament.format.stages}
    stage_sessions = [each for each in current.sessions_in_order() if each.stage in stages]
    plans, results = _plans(current, stage_sessions, stages), (played or played_places(current)).hanchan
    resting = _resting(current, stage_sessions, plans)
    left = {key: frozenset(entry.player for entry in unsettled_in(current, key)) for key in stages}
    return tuple(
        SessionSeating(each, stages[each.stage], tuple(_rounds(each, plans, results, resting, left[each.stage])))
        for each in stage_sessions
    )


def sessions_waiting(session_seatings: Iterable[SessionSeating]) -> set[int]:
    """Return the primary keys of sessions with players who have an earlier one to finish first."""
    waiting, seated = set(), set[int]()
    for each in session_seatings:
        players = {player.pk for player in (each.current.players if each.current else ())}
        if players & seated:
            waiting.add(each.stage_session.session_id)
        seated |= players
    return waiting


def next_seats(session_seatings: Iterable[SessionSeating]) -> dict[int, NextSeat]:
    """Return next seats by primary key of player; players with no tables left are missing."""
    found: dict[int, NextSeat] = {}
    for session_seating in session_seatings:
        if session_seating.is_over:
            continue
        for each in session_seating.rounds:
            for table in each.tables:
                if table.hanchan is None:
                    for seat in table.seats:
                        next_seat = NextSeat(seat.player, session_seating, each, table, seat.wind)
                        found.setdefault(seat.player.pk, next_seat)
    return found


def spellings(players: Sequence[Player]) -> dict[int, list[str]]:
    """Return all spellings of each player's name, by primary key."""
    found = {
        player.pk: [text for text in (player.name, player.kana, player.romanised, player.number) if text]
        for player in players
    }
    for pk, name in PlayerAlias.objects.filter(player__in=found).values_list("player", "name"):
        found[pk].append(name)
    return found


Plans = Mapping[int, Mapping[int, Mapping[int, tuple[SeatAssignment, ...]]]]
"""Seats by session, round and table."""


def _plans(current: CurrentState, stage_sessions: Sequence[StageSession], stages: Mapping[str, Stage]) -> Plans:
    # A season has thousands of planned seats but few players, so read plain rows and load each player once.
    seats = PlannedSeat.objects.filter(session__in=[stage_session.session_id for stage_session in stage_sessions])
    seats = seats.order_by("session", "round", "table", "seat")
    rows = list(seats.values_list("session", "round", "table", "seat", "player"))
    players = _players(current, {row[-1] for row in rows})
    found: dict[int, dict[int, dict[int, tuple[SeatAssignment, ...]]]] = defaultdict(lambda: defaultdict(dict))
    for (session, number, table), group in groupby(rows, key=itemgetter(0, 1, 2)):
        found[session][number][table] = tuple(SeatAssignment(wind, players[pk]) for *_, wind, pk in group)
    hanchan = {stage_session.session_id: stages[stage_session.stage].hanchan for stage_session in stage_sessions}
    return {session: _expanded(rounds, hanchan[session]) for session, rounds in found.items()}


def _players(current: CurrentState, pks: Collection[int]) -> dict[int, Player]:
    known = {entry.player.pk: entry.player for entry in current.entries.values()}
    if strangers := [pk for pk in pks if pk not in known]:
        planned = Player.objects.filter(pk__in=strangers).select_related("merged_into")
        known |= {player.pk: current_player(player) for player in planned}
    return known


def _expanded(
    rounds: Mapping[int, Mapping[int, tuple[SeatAssignment, ...]]], hanchan: int
) -> dict[int, dict[int, tuple[SeatAssignment, ...]]]:
    always = rounds.get(EVERY_ROUND, {})
    numbers = sorted(number for number in rounds if number != EVERY_ROUND)
    if always:
        numbers = list(range(1, max([hanchan, *numbers]) + 1))
    return {number: {**always, **rounds.get(number, {})} for number in numbers}


def played_places(current: CurrentState) -> PlayedPlaces:
    valid = Hanchan.objects.valid().filter(session__in=[each.session_id for each in current.sessions])
    rows = list(valid.order_by().values_list("session", "round", "table", "pk", "recorded_at"))
    places = {(session, number, table): pk for session, number, table, pk, _ in rows}
    return PlayedPlaces(places, max((recorded_at for *_, recorded_at in rows), default=None))


def _rounds(
    stage_session: StageSession,
    plans: Plans,
    results: Mapping[tuple[int, int, int], int],
    resting: Mapping[tuple[str, int, int, str], tuple[Player, ...]],
    left: frozenset[Player],
) -> Iterator[PlannedRound]:
    session = stage_session.session_id
    for number, tables in plans.get(session, {}).items():
        found = ((table, seats, results.get((session, number, table))) for table, seats in sorted(tables.items()))
        planned = tuple(PlannedTable(*each, frozenset() if each[-1] else left) for each in found)
        yield PlannedRound(
            number, planned, resting.get((stage_session.stage, stage_session.number, number, stage_session.block), ())
        )


def _resting(
    current: CurrentState, stage_sessions: Sequence[StageSession], plans: Plans
) -> dict[tuple[str, int, int, str], tuple[Player, ...]]:
    """Return players with a bye, by stage, session number, hanchan and block.

    A postponed table is planned in its own session, so all sessions with the same number are considered.
    """
    seated: dict[tuple[str, int, int, str], set[int]] = defaultdict(set)
    for stage_session in stage_sessions:
        for number, tables in plans.get(stage_session.session_id, {}).items():
            players = {each.player.pk for seats in tables.values() for each in seats}
            seated[stage_session.stage, stage_session.number, number, stage_session.block] |= players
    return {key: _left_over(current, key[0], key[3], players) for key, players in seated.items()}


def _left_over(current: CurrentState, stage: str, block: str, seated: set[int]) -> tuple[Player, ...]:
    left = []
    for ranking in current.state.stage(stage).rankings:
        everybody = [
            current.player(line.participant) for line in ranking.lines if not line.withdrawn and not line.uninvited
        ]
        away = [player for player in everybody if player.pk not in seated]
        # If a whole table's worth of players is missing, they do not have a bye but play in another session or are not
        # planned yet.
        if block in {"", ranking.block} and len(away) < current.tournament.format.table_size:
            left += away
    return tuple(left)
