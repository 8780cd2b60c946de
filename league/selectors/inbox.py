"""The organisers' inbox: open sessions, incomplete rules, stale boards, and failed jobs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Max, Min

from league.core.sessions import SessionPhase
from league.models import Hanchan, Job, League, RulesetVersion, Session, StalePeriod
from league.selectors.pending import (
    LOOKED_AT,
    HeldResultSummary,
    MissingResults,
    SimilarName,
    UnconfirmedResults,
    held_results,
    missing_results,
    planned_sessions,
    similar_names,
    unconfirmed,
)
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


@dataclass(frozen=True, slots=True)
class WaitingLines:
    """The first items of one kind, and their total number."""

    lines: tuple[WaitingLine, ...]
    count: int


Waiting = Callable[[League, int], WaitingLines]
"""Returns a league's open items, at most the given number."""

_others: list[Waiting] = []


def register_waiting(waiting: Waiting) -> None:
    """Add another kind of open items to the inbox; apps call this when they are loaded."""
    if waiting not in _others:
        _others.append(waiting)


@dataclass(frozen=True, slots=True)
class Inbox:
    """The first items of each kind, and their total numbers.

    `unsearched`: number of planned sessions that were not searched for missing results. `phases`: by primary key of
    `sessions`.
    """

    sessions: tuple[Session, ...]
    phases: Mapping[int, SessionPhase]
    session_count: int
    missing_results: tuple[MissingResults, ...]
    missing_count: int
    unsearched: int
    held: tuple[HeldResultSummary, ...]
    held_count: int
    disputed: tuple[Hanchan, ...]
    disputed_count: int
    unconfirmed: tuple[UnconfirmedResults, ...]
    unconfirmed_count: int
    alike: tuple[SimilarName, ...]
    alike_count: int
    has_rules: bool
    missing: tuple[str, ...]
    stale_since: datetime | None
    stale_boards: int
    jobs: tuple[Job, ...]
    others: tuple[WaitingLines, ...] = ()

    @property
    def is_empty(self) -> bool:
        of_evenings = self.sessions or self.missing_results or self.held or self.disputed or self.unconfirmed
        of_people = self.alike or any(other.count for other in self.others)
        return not (of_evenings or of_people or self.has_technical)

    @property
    def has_technical(self) -> bool:
        return bool(not self.has_rules or self.missing or self.stale_since or self.jobs)

    @property
    def hides_any(self) -> bool:
        listed = (
            (self.session_count, self.sessions),
            (self.held_count, self.held),
            (self.disputed_count, self.disputed),
            (self.alike_count, self.alike),
            *((other.count, other.lines) for other in self.others),
        )
        is_cut = any(count > len(shown) for count, shown in listed)
        return is_cut or self.unsearched > 0 or self.hides_missing or self.hides_unconfirmed

    @property
    def hides_missing(self) -> bool:
        return self.missing_count > sum(each.count for each in self.missing_results)

    @property
    def hides_unconfirmed(self) -> bool:
        return self.unconfirmed_count > sum(each.count for each in self.unconfirmed)


def inbox_of(league: League, now: datetime, most: int = SHOWN) -> Inbox:
    """Return the organisers' inbox with at most `most` items of each kind.

    About twelve queries, and two per open session with plans.
    """
    searched, today = max(LOOKED_AT, most), league.day_of(now)
    past = league.sessions.filter(state=Session.State.OPEN, date__lt=today)
    past = past.annotate(played=Count("hanchan"))
    disputed = league.hanchan.filter(state=Hanchan.State.DISPUTED).select_related("session").in_order_of_play()
    held, alike = held_results(league), similar_names(league)
    without_result, awaiting = missing_results(league, today, searched), unconfirmed(league)
    stale = StalePeriod.objects.filter(league=league).aggregate(
        since=Min("marked_at"), boards=Count("period", distinct=True)
    )
    sessions = tuple(past.order_by("-date")[:most])
    is_behind = stale["since"] is not None and stale["since"] < now - STALE_AFTER
    return Inbox(
        sessions=sessions,
        phases=session_phases(league, sessions, now),
        session_count=past.count(),
        missing_results=without_result[:most],
        missing_count=sum(each.count for each in without_result),
        unsearched=max(0, planned_sessions(league, today).count() - searched),
        held=tuple(held[:most]),
        held_count=len(held),
        disputed=tuple(disputed[:most]),
        disputed_count=disputed.count(),
        unconfirmed=awaiting[:most],
        unconfirmed_count=sum(each.count for each in awaiting),
        alike=alike[:most],
        alike_count=len(alike),
        has_rules=league.current_version is not None,
        missing=missing_in(league.current_version),
        stale_since=stale["since"] if is_behind else None,
        stale_boards=stale["boards"],
        jobs=failed_jobs(league, now),
        others=tuple(waiting(league, most) for waiting in _others),
    )


def missing_in(version: RulesetVersion | None) -> tuple[str, ...]:
    """Return the parameters that must be set before hanchan can be scored."""
    rules = version and version.readable()
    return rules.missing if rules else ()


def failed_jobs(league: League, now: datetime) -> tuple[Job, ...]:
    """Return recent jobs that failed or were interrupted and not run again since. One query."""
    latest = league.jobs.filter(created_at__gt=now - FAILED_WITHIN).values("kind").annotate(last=Max("pk"))
    bad = (Job.State.FAILED, Job.State.INTERRUPTED)
    return tuple(league.jobs.filter(pk__in=latest.values("last"), state__in=bad))
