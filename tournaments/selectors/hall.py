"""What a hall is told beside the standings: what the wall shows, how late it is, who calls, which table is ready."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from tournaments.models import (
    ProjectorDirection,
    ReadyTable,
    RoundTimer,
    StageSession,
    TableCall,
    TableTime,
    Tournament,
)


@dataclass(frozen=True, slots=True)
class ToldTimer:
    """A timer as pages work with it. `ends_at`: None while it stands still; `left`: what is left then, in 1/1000 seconds.

    `extra`: seconds that tables were given, by session and table.
    """

    ends_at: datetime | None
    left: int
    extra: Mapping[tuple[int, int], int]

    def at_table(self, session: int, table: int) -> "ToldTimer":
        extra = self.extra.get((session, table), 0)
        ends_at = self.ends_at + timedelta(seconds=extra) if self.ends_at else None
        return ToldTimer(ends_at, self.left + 1000 * extra, {})

    @property
    def ends_ms(self) -> int:
        """When it ends in 1/1000 seconds since 1970, 0 while it stands still."""
        return round(self.ends_at.timestamp() * 1000) if self.ends_at else 0


def told_timer(tournament: Tournament, now: datetime) -> ToldTimer | None:
    """Return the timer of a tournament; None where none was set. Two queries, one where there is none."""
    timer = RoundTimer.objects.filter(tournament=tournament).first()
    return None if timer is None else _told(timer, now)


def _told(timer: RoundTimer, now: datetime) -> ToldTimer:
    rows = TableTime.objects.filter(tournament=timer.tournament_id).values_list("session", "table", "seconds")
    extra = {(session, table): seconds for session, table, seconds in rows}
    left = 0 if timer.started_at else round(timer.clock.left(now).total_seconds() * 1000)
    return ToldTimer(timer.clock.ends_at(), left, extra)


@dataclass(frozen=True, slots=True)
class Hall:
    """What a hall is told now beside what was played: the scene, the timer, and tables ready by session and round."""

    direction: ProjectorDirection
    timer: ToldTimer | None
    ready: Mapping[tuple[int, int], frozenset[int]]


def hall_of(tournament: Tournament, now: datetime) -> Hall:
    """Return what is told in the hall of a tournament. Two queries, three where a timer is set."""
    found = Tournament.objects.select_related("wall", "timer").only("pk", "wall", "timer").get(pk=tournament.pk)
    direction, timer = getattr(found, "wall", None), getattr(found, "timer", None)
    direction = direction or ProjectorDirection(tournament=tournament)
    told = None if timer is None else _told(timer, now)
    return Hall(direction, told, ready_tables(tournament))


def projector_direction(tournament: Tournament) -> ProjectorDirection:
    """Return what the wall is to show; unsaved where nobody has said anything. One query."""
    found = ProjectorDirection.objects.filter(tournament=tournament).first()
    if found is not None:
        found.tournament = tournament
    return found or ProjectorDirection(tournament=tournament)


def open_calls(tournament: Tournament) -> list[TableCall]:
    """Return the tables that wait for a referee, the first first. One query."""
    return list(tournament.calls.filter(done_at=None).select_related("session", "tournament__league"))


def last_call(tournament: Tournament, session: int, table: int) -> TableCall | None:
    return tournament.calls.filter(session=session, table=table, done_at=None).first()


def ready_tables(tournament: Tournament) -> dict[tuple[int, int], frozenset[int]]:
    found: dict[tuple[int, int], set[int]] = defaultdict(set)
    for session, number, table in ReadyTable.objects.filter(tournament=tournament).values_list(
        "session", "round", "table"
    ):
        found[session, number].add(table)
    return {place: frozenset(tables) for place, tables in found.items()}


def stage_session_of(session: int) -> StageSession | None:
    """Return what a session of the league counts in, with its tournament; None where it counts in none. One query."""
    return StageSession.objects.select_related("tournament__league").filter(session=session).first()
