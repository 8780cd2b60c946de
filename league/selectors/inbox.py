"""The organisers' inbox: open sessions, incomplete rules, stale boards, and failed jobs."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Generic, TypeVar

from django.db.models import Count, Max, Min

from league.core.sessions import SessionPhase
from league.models import Hanchan, Job, League, RulesetVersion, Session, StalePeriod
from league.selectors import pending
from league.selectors.sessions import session_phases

STALE_AFTER = timedelta(minutes=2)
"""How long boards may be stale before the inbox mentions it."""

FAILED_WITHIN = timedelta(days=14)
SHOWN = 5
ALL_SHOWN = 200
"""Items of each kind if all are requested."""


@dataclass(frozen=True, slots=True)
class WaitingLine:
    title: str
    detail: str
    url: str


Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class WaitingLines(Generic[Item]):
    """The first items of one kind, and the total number. An item with a `count` stands for as many."""

    lines: tuple[Item, ...]
    count: int

    @classmethod
    def of(cls, found: Sequence[Item], most: int) -> "WaitingLines[Item]":
        return cls(tuple(found[:most]), _count(found))

    @property
    def is_cut(self) -> bool:
        return self.count > _count(self.lines)


def _count(items: Iterable[object]) -> int:
    return sum(getattr(each, "count", 1) for each in items)


Waiting = Callable[[League, int], WaitingLines[WaitingLine]]
"""Returns a league's open items, at most the given number."""

further_waiting: list[Waiting] = []
"""Other kinds of open items; apps append theirs when they are loaded."""


@dataclass(frozen=True, slots=True)
class Inbox:
    """What waits for the organisers.

    `unsearched`: number of planned sessions that were not searched for missing results. `phases`: by primary key of
    `sessions`.
    """

    sessions: WaitingLines[Session]
    phases: Mapping[int, SessionPhase]
    missing_results: WaitingLines[pending.MissingResults]
    unsearched: int
    held: WaitingLines[pending.HeldResultSummary]
    disputed: WaitingLines[Hanchan]
    unconfirmed: WaitingLines[pending.UnconfirmedResults]
    alike: WaitingLines[pending.SimilarName]
    has_rules: bool
    missing: tuple[str, ...]
    stale_since: datetime | None
    stale_boards: int
    jobs: tuple[Job, ...]
    others: tuple[WaitingLines[WaitingLine], ...]

    @property
    def kinds(self) -> tuple[WaitingLines[Any], ...]:
        of_evenings = self.sessions, self.missing_results, self.held, self.disputed, self.unconfirmed
        return (*of_evenings, self.alike, *self.others)

    @property
    def is_empty(self) -> bool:
        is_technical = not self.has_rules or self.missing or self.stale_since or self.jobs
        return not (is_technical or any(kind.count for kind in self.kinds))

    @property
    def hides_any(self) -> bool:
        return self.unsearched > 0 or any(kind.is_cut for kind in self.kinds)


def inbox_of(league: League, now: datetime, most: int = SHOWN) -> Inbox:
    """Return the organisers' inbox with at most `most` items of each kind.

    About twelve queries, and two per open session with plans.
    """
    searched, today = max(pending.LOOKED_AT, most), league.day_of(now)
    past = league.sessions.filter(state=Session.State.OPEN, date__lt=today)
    past = past.annotate(played=Count("hanchan"))
    disputed = league.hanchan.filter(state=Hanchan.State.DISPUTED).select_related("session").in_order_of_play()
    marks = StalePeriod.objects.filter(league=league)
    stale = marks.aggregate(since=Min("marked_at"), boards=Count("period", distinct=True))
    sessions = tuple(past.order_by("-date")[:most])
    is_behind = stale["since"] is not None and stale["since"] < now - STALE_AFTER
    return Inbox(
        sessions=WaitingLines(sessions, past.count()),
        phases=session_phases(league, sessions, now),
        missing_results=WaitingLines.of(pending.missing_results(league, today, searched), most),
        unsearched=max(0, pending.planned_sessions(league, today).count() - searched),
        held=WaitingLines.of(pending.held_results(league), most),
        disputed=WaitingLines(tuple(disputed[:most]), disputed.count()),
        unconfirmed=WaitingLines.of(pending.unconfirmed(league), most),
        alike=WaitingLines.of(pending.similar_names(league), most),
        has_rules=league.current_version is not None,
        missing=missing_in(league.current_version),
        stale_since=stale["since"] if is_behind else None,
        stale_boards=stale["boards"],
        jobs=failed_jobs(league, now),
        others=tuple(waiting(league, most) for waiting in further_waiting),
    )


def requests_in(league: League) -> int:
    """Return how many questions of players wait for the organisers. At most two queries per kind."""
    return sum(waiting(league, 0).count for waiting in further_waiting)


def missing_in(version: RulesetVersion | None) -> tuple[str, ...]:
    """Return the parameters that must be set before hanchan can be scored."""
    rules = version and version.readable()
    return rules.missing if rules else ()


def failed_jobs(league: League, now: datetime) -> tuple[Job, ...]:
    """Return recent jobs that failed or were interrupted and not run again since. One query."""
    latest = league.jobs.filter(created_at__gt=now - FAILED_WITHIN).values("kind").annotate(last=Max("pk"))
    bad = (Job.State.FAILED, Job.State.INTERRUPTED)
    return tuple(league.jobs.filter(pk__in=latest.values("last"), state__in=bad))
