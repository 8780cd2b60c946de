"""State of the hall: hall display, timer, referee calls, ready tables, and live scores from the ticker."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from league.models import League, Player, Session
from league.selectors.planning import next_round, next_rounds, planned_in, table_plans
from scoring.core import ScoringRules
from tournaments.core.length import BREAK, MINUTES
from tournaments.core.ticking import Situation, Ticked, TickRules, at_first, scores_after, standing, tick_rules
from tournaments.models import HallDisplay, StageSession, TableCall, Tick, Tournament


@dataclass(frozen=True, slots=True)
class ToldTimer:
    """The round timer.

    `ends_at`: None while paused; `left`: remaining milliseconds while paused. `extra`: extra seconds by session and
    table.
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
        """End in milliseconds since 1970, 0 while paused."""
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


def hanchan_minutes(league: League, tournament: Tournament | None = None) -> int:
    """Return the minutes from a hanchan to the next by the timer of the tournament, else the league's newest."""
    timers = list(HallDisplay.objects.filter(tournament__league=league, length__gt=0).order_by("-tournament"))
    own = [each for each in timers if each.pk == (tournament and tournament.pk)] or timers
    return own[0].length // 60 + BREAK if own else MINUTES


def hall_display(tournament: Tournament) -> HallDisplay:
    found = HallDisplay.objects.filter(tournament=tournament).first() or HallDisplay(tournament=tournament)
    found.tournament = tournament
    return found


def open_calls(tournament: Tournament) -> list[TableCall]:
    return list(tournament.calls.filter(done_at=None).select_related("session", "tournament__league"))


def stage_session_of(session: int) -> StageSession | None:
    return StageSession.objects.select_related("tournament__league").filter(session=session).first()


@dataclass(frozen=True, slots=True)
class LiveTable:
    """The live state of a table.

    `players`: primary keys by seat, first dealer first. `history`: scores after each hand so far, starting scores
    first. `at`: time of the latest input.
    """

    players: tuple[int, ...]
    situation: Situation
    at: datetime
    history: tuple[tuple[int, ...], ...]
    scoring: ScoringRules = field(repr=False)


@dataclass(frozen=True, slots=True)
class TickerTable:
    """A table with a ticker. Without a plan for the hanchan, `players` is empty and nothing can be entered.

    `plans`: players by hanchan; 0 stands for all hanchan without a plan of their own.
    """

    session: Session
    table: int
    round: int
    scoring: ScoringRules
    players: tuple[Player, ...]
    facts: tuple[Ticked, ...]
    plans: Mapping[int, tuple[Player, ...]]

    @property
    def rules(self) -> TickRules:
        return tick_rules(self.scoring)

    @property
    def standing(self) -> list[Ticked]:
        return standing(self.facts)

    @property
    def last(self) -> Ticked | None:
        found = self.standing
        return found[-1] if found else None

    @property
    def number(self) -> int:
        return self.last.number if self.last is not None else 0

    @property
    def situation(self) -> Situation:
        last = self.last
        return last.situation if last is not None and last.situation is not None else at_first(self.rules)


def live_tables(sessions: Collection[int]) -> dict[tuple[int, int], LiveTable]:
    """Return tables of open sessions (by primary key) with a ticked hanchan, by session and table.

    A hanchan whose result is saved is no longer live. Three queries, or one if there are no ticks.
    """
    rows = list(Tick.objects.filter(session__in=sessions).order_by("at", "pk"))
    if not rows:
        return {}
    rules = _rules_of({row.session_id for row in rows})
    upcoming = next_rounds({row.session_id for row in rows})
    by_table: dict[tuple[int, int], list[Tick]] = {}
    for row in rows:
        place = (row.session_id, row.table)
        if row.session_id in rules and row.round == upcoming.get(place, 1):
            by_table.setdefault(place, []).append(row)
    found = {place: _live(ticks, rules[place[0]]) for place, ticks in by_table.items()}
    return {place: live for place, live in found.items() if live is not None}


def _rules_of(sessions: Iterable[int]) -> dict[int, ScoringRules]:
    found = Session.objects.filter(pk__in=sessions, state=Session.State.OPEN).select_related("ruleset_version__ruleset")
    readable = {session.pk: session.ruleset_version.readable() for session in found}
    return {pk: rules for pk, rules in readable.items() if rules is not None and not rules.missing}


def _live(ticks: Sequence[Tick], scoring: ScoringRules) -> LiveTable | None:
    found = standing(map(_ticked, ticks))
    if not found or found[-1].situation is None:
        return None
    row = next(row for row in ticks if row.client_key == found[-1].key)
    latest = max(tick.at for tick in ticks)
    return LiveTable(tuple(row.seats), found[-1].situation, latest, scores_after(found, tick_rules(scoring)), scoring)


def ticker_table(session: Session, table: int, number: int | None = None) -> TickerTable | None:
    rules = session.ruleset_version.readable()
    if rules is None or rules.missing:
        return None
    here = next_round(session, table) if number is None else number
    rows = list(Tick.objects.filter(session=session, table=table, round=here).order_by("at", "pk"))
    plans = table_plans(session, table)
    planned = planned_in(plans, here)
    players = _seated(planned, rows) if len(planned) == rules.players else ()
    return TickerTable(session, table, here, rules, players, tuple(map(_ticked, rows)), plans)


def _seated(planned: Sequence[Player], rows: Sequence[Tick]) -> tuple[Player, ...]:
    by_key = {player.pk: player for player in planned}
    last = next((row.seats for row in reversed(rows) if set(row.seats) == set(by_key)), list(by_key))
    return tuple(by_key[pk] for pk in last)


def _ticked(row: Tick) -> Ticked:
    return Ticked(row.client_key, row.number, row.situation, row.takes_back)
