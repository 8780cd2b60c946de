"""The tables of a tournament that are seated and not played yet."""

from collections.abc import Iterable
from dataclasses import dataclass

from league.models import Player
from tournaments.core.facts import Participant
from tournaments.core.format import Stage
from tournaments.core.ranking import BlockRanking
from tournaments.core.state import StageProgress
from tournaments.selectors.goals import playing
from tournaments.selectors.seating import SessionSeating
from tournaments.selectors.state import CurrentState


@dataclass(frozen=True, slots=True)
class ComingTable:
    """A hanchan to come. `key` names it in an address: by session, round and table, or by block and hanchan.

    `session`: None where it is not planned yet, and everybody of a block sits at the one table.
    """

    key: str
    stage: str
    round: int
    table: int
    participants: tuple[Participant, ...]
    players: tuple[Player, ...]
    session: SessionSeating | None = None
    block: str = ""


def coming_tables(current: CurrentState, seatings: Iterable[SessionSeating]) -> list[ComingTable]:
    entry_of: dict[int, Participant] = {entry.player.pk: pk for pk, entry in current.entries.items()}
    return [
        ComingTable(
            key=f"s{seating.stage_session.session_id}r{each.number}t{table.number}",
            stage=seating.stage.key,
            round=each.number,
            table=table.number,
            participants=tuple(entry_of.get(seat.player.pk, -seat.player.pk) for seat in table.seats),
            players=tuple(seat.player for seat in table.seats),
            session=seating,
        )
        for seating in seatings
        if not seating.is_over
        for each in seating.rounds
        for table in each.tables
        if table.hanchan is None
    ]


def by_stage(tables: Iterable[ComingTable]) -> dict[str, list[tuple[Participant, ...]]]:
    found: dict[str, list[tuple[Participant, ...]]] = {}
    for table in tables:
        found.setdefault(table.stage, []).append(table.participants)
    return found


def tables_of_stage(current: CurrentState, progress: StageProgress, tables: Iterable[ComingTable]) -> list[ComingTable]:
    """Return the tables of a stage, and after them those that need no seating: of blocks that fit at one table."""
    found = [table for table in tables if table.stage == progress.stage.key]
    for ranking in progress.rankings:
        found += _of_one_table(current, progress.stage, ranking, found)
    return found


def _of_one_table(
    current: CurrentState, stage: Stage, ranking: BlockRanking, seated: Iterable[ComingTable]
) -> list[ComingTable]:
    lines = playing(ranking)
    if len(lines) != current.state.format.table_size:
        return []
    there = {line.participant for line in lines}
    planned = sum(set(table.participants) == there for table in seated)
    left = min(line.left for line in lines)
    participants = tuple(sorted(there, key=str))
    players = tuple(current.player(participant) for participant in participants)
    number = list(stage.block_keys).index(ranking.block) + 1
    return [
        ComingTable(f"b{number}h{hanchan}", stage.key, hanchan, 1, participants, players, block=ranking.block)
        for hanchan in range(stage.planned - left + planned + 1, stage.planned + 1)
    ]
