"""What a hall is told beside the standings: what the wall shows, how late it is, who calls, which table is ready."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from tournaments.models import HallDisplay, StageSession, TableCall, Tournament


@dataclass(frozen=True, slots=True)
class ToldTimer:
    """`ends_at`: None while it stands still; `left`: what is left then, in 1/1000 seconds.

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


@dataclass(frozen=True, slots=True)
class Hall:
    display: HallDisplay
    timer: ToldTimer | None
    ready: Mapping[tuple[int, int], frozenset[int]]


def hall_of(tournament: Tournament, now: datetime) -> Hall:
    display = hall_display(tournament)
    ready: dict[tuple[int, int], frozenset[int]] = {}
    for session, number, table in display.ready:
        ready[session, number] = ready.get((session, number), frozenset()) | {table}
    return Hall(display, _told(display, now), ready)


def _told(display: HallDisplay, now: datetime) -> ToldTimer | None:
    clock = display.clock
    if clock is None:
        return None
    left = 0 if display.started_at else round(clock.left(now).total_seconds() * 1000)
    return ToldTimer(clock.ends_at(), left, {(session, table): seconds for session, table, seconds in display.extra})


def hall_display(tournament: Tournament) -> HallDisplay:
    found = HallDisplay.objects.filter(tournament=tournament).first() or HallDisplay(tournament=tournament)
    found.tournament = tournament
    return found


def open_calls(tournament: Tournament) -> list[TableCall]:
    return list(tournament.calls.filter(done_at=None).select_related("session", "tournament__league"))


def last_call(tournament: Tournament, session: int, table: int) -> TableCall | None:
    return tournament.calls.filter(session=session, table=table, done_at=None).first()


def stage_session_of(session: int) -> StageSession | None:
    return StageSession.objects.select_related("tournament__league").filter(session=session).first()
