"""Figures on how even a stage's seating is, from hanchan played and the plan for the rest."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from django.conf import settings

from league.models import Player, Revision, Seat
from league.selectors.people import current_player
from tournaments.core.format import SeatingMethod
from tournaments.core.ranking import BlockRanking
from tournaments.core.seating.certificate import Certificate, certificate
from tournaments.core.seating.problem import Matrix, Round, Schedule, Wishes, meetings
from tournaments.core.seating.seat import seat
from tournaments.core.seating.winds import count_winds
from tournaments.core.state import StageProgress
from tournaments.selectors.seating import PlannedRound, PlannedTable, SeatAssignment, SessionSeating
from tournaments.selectors.state import CurrentState

Tables = dict[tuple[str, int], tuple[int, ...]]
"""Players by primary key, East first; keys are the session's block and the table number."""

STANDARD_TABLE = 4


@dataclass(frozen=True, slots=True)
class PlayerSeating:
    """A player's figures. `met`: meetings by opponent, None for the player."""

    player: Player
    winds: tuple[int, ...]
    met: tuple[int | None, ...]
    tables: tuple[int, ...] = ()
    byes: int = 0

    @property
    def games(self) -> int:
        return sum(self.winds)


@dataclass(frozen=True, slots=True)
class BlockSeating:
    """Figures of a block. `certificate`: None while tables are missing.

    `command`: shell command that reproduces the tables, with players numbered in this order; empty if they follow from
    results or were set by hand.
    """

    block: str
    players: tuple[PlayerSeating, ...]
    rounds: int
    played: int
    by_session: bool
    certificate: Certificate | None
    seed: int | None
    command: str

    @property
    def histogram(self) -> list[tuple[int, int]]:
        pairs = Counter(count for row, line in enumerate(self.players) for count in line.met[:row])
        return sorted((count, number) for count, number in pairs.items() if count is not None)

    @property
    def tables(self) -> int:
        return max((len(line.tables) for line in self.players), default=0)


def seatings_of(
    current: CurrentState, progress: StageProgress, session_seatings: Sequence[SessionSeating]
) -> list[BlockSeating]:
    here = [each for each in session_seatings if each.stage.key == progress.stage.key]
    rounds, played = _rounds(here)
    seed = _seed(current, here)
    return [_block(current, progress, ranking, (rounds, played, seed)) for ranking in progress.rankings]


Rounds = dict[tuple[int, int], Tables]
"""Tables by session number and hanchan."""

Played = set[tuple[tuple[int, int], tuple[str, int]]]
"""The tables that have a result, by round and place."""


def _rounds(session_seatings: Iterable[SessionSeating]) -> tuple[Rounds, Played]:
    rounds: Rounds = defaultdict(dict)
    played: Played = set()
    stage_sessions = {each.stage_session.session_id: each.stage_session for each in session_seatings}
    for session_seating in session_seatings:
        for each in session_seating.rounds:
            for table in each.tables:
                seats = tuple(seat.player.pk for seat in table.seats)
                rounds[session_seating.stage_session.number, each.number][
                    session_seating.stage_session.block, table.number
                ] = seats
    for session, number, where, players in _seated(stage_sessions):
        key, spot = (stage_sessions[session].number, number), (stage_sessions[session].block, where)
        rounds[key][spot] = players
        played.add((key, spot))
    return dict(sorted(rounds.items())), played


def _seated(sessions: Iterable[int]) -> Iterable[tuple[int, int, int, tuple[int, ...]]]:
    seats = Seat.objects.valid().filter(hanchan__session__in=sessions)
    found: dict[tuple[int, int, int], list[int]] = defaultdict(list)
    for each in seats.select_related("hanchan", "player__merged_into").order_by("hanchan", "seat"):
        key = (each.hanchan.session_id, each.hanchan.round, each.hanchan.table)
        found[key].append(current_player(each.player).pk)
    return [(*key, tuple(players)) for key, players in found.items()]


def _seed(current: CurrentState, session_seatings: Iterable[SessionSeating]) -> int | None:
    revisions = Revision.objects.filter(
        league=current.tournament.league_id,
        subject="stagesession",
        subject_id__in=[each.stage_session.pk for each in session_seatings],
        after__has_key="seed",
    )
    last = dict(revisions.order_by("pk").values_list("subject_id", "after__seed"))
    seeds = {seed for seed in last.values() if isinstance(seed, int)}
    return seeds.pop() if len(seeds) == 1 else None


def _members(current: CurrentState, ranking: BlockRanking) -> list[Player]:
    entries = [current.entries[int(line.participant)] for line in ranking.lines]
    entries.sort(key=lambda entry: (entry.number == 0, entry.number, entry.pk or 0))
    return [entry.player for entry in entries]


def _only(rounds: Rounds, players: set[int]) -> Rounds:
    kept = {
        key: {spot: seats for spot, seats in tables.items() if not players.isdisjoint(seats)}
        for key, tables in rounds.items()
    }
    return {key: tables for key, tables in kept.items() if tables}


def _block(
    current: CurrentState, progress: StageProgress, ranking: BlockRanking, known: tuple[Rounds, Played, int | None]
) -> BlockSeating:
    every_round, played, seed = known
    members = _members(current, ranking)
    rounds = _only(every_round, {player.pk for player in members})
    sittings = _sittings(rounds) if progress.stage.seating is SeatingMethod.FIXED else list(rounds.values())
    # House players sit at tables but have no line.
    seated = dict.fromkeys(player.pk for player in members)
    seated |= dict.fromkeys(pk for tables in rounds.values() for seats in tables.values() for pk in seats)
    numbered = _numbered([*seated], sittings)
    size, method = current.tournament.format.table_size, str(progress.stage.seating)
    is_dealt = len(members) % size and not current.state.format.is_entered(progress.stage)
    return BlockSeating(
        block=ranking.block,
        players=tuple(_players(members, [*seated], rounds, meetings(numbered, len(seated)))),
        rounds=len(rounds),
        played=sum(all((key, spot) in played for spot in tables) for key, tables in rounds.items()),
        by_session=len(sittings) < len(rounds),
        certificate=None if len(seated) > len(members) else _certificate(numbered, len(members), size, method, seed),
        seed=seed,
        # In a later stage, byes depend on those of earlier ones.
        command="" if is_dealt else _command(progress, len(members), size, seed),
    )


def _command(progress: StageProgress, players: int, size: int, seed: int | None) -> str:
    stage = progress.stage
    if seed is None or stage.seating not in {SeatingMethod.FIXED, SeatingMethod.BALANCED}:
        return ""
    together = stage.seating is SeatingMethod.FIXED
    rounds = f"--rounds {stage.hanchan} --sessions {stage.sessions}" if together else f"--rounds {stage.planned}"
    return f"python -m tournaments seat --players {players} {rounds} --table-size {size} --seed {seed}"


def _certificate(rounds: list[Round], players: int, size: int, method: str, seed: int | None) -> Certificate | None:
    if not rounds or players < size:
        return None
    found = certificate(Schedule(players, size, tuple(rounds), method, seed or 0))
    return found if found.is_valid else None


def _sittings(rounds: Rounds) -> list[Tables]:
    kept: list[Tables] = []
    last: tuple[int, frozenset[frozenset[int]]] | None = None
    for (session, _), tables in rounds.items():
        this = (session, frozenset(frozenset(seats) for seats in tables.values()))
        if this != last:
            kept.append(tables)
        last = this
    return kept


def _numbered(known: Sequence[int], rounds: Iterable[Tables]) -> list[Round]:
    index = {pk: number for number, pk in enumerate(known)}
    return [tuple(tuple(index[pk] for pk in seats) for seats in tables.values()) for tables in rounds]


def _players(members: Sequence[Player], known: Sequence[int], rounds: Rounds, met: Matrix) -> Iterable[PlayerSeating]:
    size = max((len(seats) for tables in rounds.values() for seats in tables.values()), default=STANDARD_TABLE)
    winds = count_winds(_numbered(known, rounds.values()), len(known), size)
    visits = Counter(
        (pk, number) for tables in rounds.values() for (_, number), seats in tables.items() for pk in seats
    )
    numbers = sorted({number for _, number in visits})
    for row, player in enumerate(members):
        tables = tuple(visits[player.pk, number] for number in numbers)
        others = _others(met, row)[: len(members)]
        yield PlayerSeating(player, tuple(winds[row]), others, tables, len(rounds) - sum(winds[row]))


def _others(met: Matrix, row: int) -> tuple[int | None, ...]:
    return (*met[row][:row], None, *met[row][row + 1 :])


@dataclass(frozen=True, slots=True)
class GeneratedSeating:
    names: tuple[str, ...]
    schedule: Schedule
    certificate: Certificate
    wishes: Wishes = field(default_factory=Wishes)

    @property
    def players(self) -> list[Player]:
        return [Player(name=name) for name in self.names]

    @property
    def rounds(self) -> list[PlannedRound]:
        players = self.players
        byes = (tuple(players[player] for player in resting) for resting in self.schedule.byes)
        return [
            PlannedRound(
                number,
                tuple(
                    PlannedTable(table, tuple(SeatAssignment(wind, players[each]) for wind, each in enumerate(seated)))
                    for table, seated in enumerate(tables, start=1)
                ),
                resting,
            )
            for number, (tables, resting) in enumerate(zip(self.schedule.rounds, byes, strict=True), start=1)
        ]

    @property
    def command(self) -> str:
        schedule = self.schedule
        size = "" if schedule.table_size == STANDARD_TABLE else f" --table-size {schedule.table_size}"
        # The complete download includes the wishes as files for the command.
        given = [name for name in ("apart", "together", "groups", "history") if getattr(self.wishes, name)]
        wishes = "".join(f" --{name} {name}.json" for name in given)
        rounds = len(schedule.rounds)
        return f"python -m tournaments seat --players {schedule.players} --rounds {rounds}{size} --seed {schedule.seed}{wishes}"

    @property
    def unkept_wishes(self) -> list[tuple[str, str, int]]:
        return [(self.names[one], self.names[other], times) for one, other, times in self.certificate.violations]

    @property
    def lines(self) -> list[PlayerSeating]:
        everything, players = (*self.wishes.history, *self.schedule.rounds), len(self.names)
        winds = count_winds(everything, players, self.schedule.table_size)
        met = meetings(everything, players)
        return [PlayerSeating(player, tuple(winds[row]), _others(met, row)) for row, player in enumerate(self.players)]


def generate_seating(
    names: Sequence[str], rounds: int, *, table_size: int, seed: int, wishes: Wishes
) -> GeneratedSeating:
    """Generate a seating with its certificate. Raise SeatingError if the wishes cannot be met."""
    most = settings.SEATING_PROPOSALS
    schedule = seat(len(names), rounds, table_size=table_size, seed=seed, wishes=wishes, proposals=most)
    return GeneratedSeating(tuple(names), schedule, certificate(schedule, wishes=wishes), wishes)
