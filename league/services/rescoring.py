"""Rescoring hanchan under another version of the rules, in chunks."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils import timezone

from league.core.periods import ALL_DAYS, DaySpan
from league.core.results import COLUMNS, Derived, derived
from league.engine import update_columns
from league.models import Hanchan, League, Revision, RulesetVersion, Seat, Session
from league.models.play import HanchanQuerySet
from league.selectors.games import snapshots_of
from league.selectors.played import StoredHanchan, in_chunks, played
from league.services.boards import OnProgress, Progress, mark_stale
from league.services.calendar import play_by
from league.services.history import Actor, Change, write_revisions
from league.services.locking import persevering
from scoring.core import ScoringError, ScoringRules


class RescoredHanchan(NamedTuple):
    """A hanchan with its seats' derived values before and after; `error` if the other rules cannot score it."""

    hanchan: StoredHanchan
    before: tuple[Derived, ...]
    after: tuple[Derived, ...]
    error: ScoringError | None = None

    @property
    def differs(self) -> bool:
        return self.error is None and self.before != self.after


def scored_otherwise(league: League, version: RulesetVersion, days: DaySpan = ALL_DAYS) -> HanchanQuerySet:
    """Return hanchan of these days that were scored under another version of the ruleset.

    Voided hanchan and those known only by points are excluded.
    """
    return _under_others(league, version, days).exclude(given=Hanchan.Given.POINTS)


def left_as_given(league: League, version: RulesetVersion, days: DaySpan = ALL_DAYS) -> dict[str, int]:
    """Return {"given": n} for n hanchan that are left as they are because only their points are known; {} if none."""
    count = _under_others(league, version, days).filter(given=Hanchan.Given.POINTS).count()
    return {"given": count} if count else {}


def _under_others(league: League, version: RulesetVersion, days: DaySpan) -> HanchanQuerySet:
    valid = Hanchan.objects.valid().filter(league=league, ruleset_version__ruleset=version.ruleset)
    # A tournament and a session that is still being played keep to one version.
    played_on = Q(session__state=Session.State.OPEN, session__date__gte=league.day_of(timezone.now()))
    kept = played_on | Q(session__stage__isnull=False)
    chosen = {name: day for name, day in {"day__gte": days.first, "day__lte": days.last}.items() if day is not None}
    return valid.filter(**chosen).exclude(ruleset_version=version).exclude(kept, ~Q(session__ruleset_version=version))


def rescored(hanchan: Iterable[StoredHanchan], rules: ScoringRules) -> Iterator[RescoredHanchan]:
    for each in hanchan:
        try:
            yield RescoredHanchan(each, each.derived, derived(each.game, rules))
        except ScoringError as error:
            yield RescoredHanchan(each, each.derived, (), error)


def rescore(
    league: League, version_id: int, by: Actor, on_progress: OnProgress, days: DaySpan = ALL_DAYS
) -> dict[str, Any]:
    """Rescore hanchan in chunks; return how many were found, changed and refused.

    `days` is noted in the history unless ALL_DAYS. Can be run again: rescored hanchan already have the new version.
    """
    version = RulesetVersion.objects.select_related("ruleset").get(pk=version_id, ruleset__league=league)
    affected, rules = scored_otherwise(league, version, days), version.read()
    reason = f"{version} ({days})" if days != ALL_DAYS else str(version)
    total, done, changed, refused = affected.count(), 0, 0, 0
    for count, chunk in in_chunks(affected):
        outcomes = persevering(partial(_rescore_chunk, league, version, chunk, rules, reason, by))
        done, refused = done + count, refused + sum(outcome.error is not None for outcome in outcomes)
        changed += sum(outcome.error is None and outcome.differs for outcome in outcomes)
        on_progress(Progress(done, total, str(done)))
    persevering(partial(_move_sessions, league, version, by))
    return {"hanchan": total, "changed": changed, "refused_count": refused} | left_as_given(league, version, days)


def _move_sessions(league: League, version: RulesetVersion, by: Actor) -> None:
    """Let sessions all of whose hanchan were rescored go on under these rules; tournaments keep theirs."""
    standing = Hanchan.objects.valid().filter(session=OuterRef("pk"))
    under_others = league.sessions.filter(stage=None, ruleset_version__ruleset=version.ruleset)
    played_by_it = under_others.filter(Exists(standing.filter(ruleset_version=version)))
    moved = played_by_it.exclude(ruleset_version=version).exclude(Exists(standing.exclude(ruleset_version=version)))
    play_by(sessions=moved.select_related("ruleset_version__ruleset", "postponed_from"), version=version, by=by)


def _rescore_chunk(
    league: League, version: RulesetVersion, chunk: HanchanQuerySet, rules: ScoringRules, reason: str, by: Actor
) -> list[RescoredHanchan]:
    with transaction.atomic():
        # Lock in primary key order; the values are read under the lock.
        outcomes = list(rescored(played(chunk.select_for_update(of=("self",))), rules))
        _store(league, version, [outcome for outcome in outcomes if outcome.error is None], reason, by)
    return outcomes


def _store(league: League, version: RulesetVersion, scored: Sequence[RescoredHanchan], reason: str, by: Actor) -> None:
    """Store rescored hanchan with their history and mark boards as stale, in few queries."""
    if not scored:
        return
    keys = [outcome.hanchan.row.pk for outcome in scored]
    before = snapshots_of(keys)
    _store_seats(scored)
    Hanchan.objects.filter(pk__in=keys).update(ruleset_version=version, version=F("version") + 1)
    after = snapshots_of(keys)
    changes = [(Hanchan(pk=key), Change(Revision.Action.RESCORED, before[key], after[key], reason)) for key in keys]
    write_revisions(league, changes, by)
    mark_stale(league, {outcome.hanchan.row.day for outcome in scored})


def _store_seats(scored: Sequence[RescoredHanchan]) -> None:
    """Update the seats that changed, in the columns that changed in any of them."""
    changed = [
        (seat[1], old, new)
        for outcome in scored
        for seat, old, new in zip(outcome.hanchan.seats, outcome.before, outcome.after, strict=True)
        if new != old
    ]
    if changed:
        keys, before, after = zip(*changed, strict=True)
        columns = zip(COLUMNS, zip(*before, strict=True), zip(*after, strict=True), strict=True)
        update_columns(Seat, keys, {name: new for name, old, new in columns if new != old})
