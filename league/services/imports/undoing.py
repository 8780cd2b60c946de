"""Taking an import back: what nobody has touched since goes, the rest stays and is named.

It goes slice by slice, each a transaction of its own that also keeps how far it is: stopped or killed it goes on where
it was, and two at once share the work.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from league.models import Hanchan, ImportBatch, League, Player, Revision, RulesetVersion, Session
from league.services.boards import OnProgress, Progress, mark_stale
from league.services.bulk import STORED_TOGETHER, void_unmarked
from league.services.calendar import withdraw_sessions
from league.services.history import Actor, Change, write_revisions
from league.services.imports.values import ImportFileError, ImportUndoing, ImportUndoReport
from league.services.locking import hold, lock_league, persevering
from league.services.results import ResultError, correct_hanchan, restore_hanchan, void_hanchan
from league.services.stored_json import as_stored, from_stored
from league.services.versions import version_from
from scoring.core import ScoringError

UNDO_WITHIN = timedelta(days=7)

ONE_BY_ONE = 20
"""So many hanchan, sessions or players are a slice where each is taken back on its own."""

Rows = Sequence[Any]


def may_be_undone(batch: ImportBatch, now: datetime) -> bool:
    """Whether the import was run so lately that it can be taken back; what was begun in time may be ended later."""
    if batch.state != ImportBatch.State.DONE or batch.run_at is None:
        return False
    return batch.undoing is not None or now - batch.run_at <= UNDO_WITHIN


def must_be_undoable(batch: ImportBatch, reason: str) -> None:
    """Raise ImportFileError "not_done", "too_late" or "reason_missing" where an import cannot be taken back."""
    if batch.state != ImportBatch.State.DONE:
        raise ImportFileError("not_done")
    if not may_be_undone(batch, timezone.now()):
        raise ImportFileError("too_late", days=UNDO_WITHIN.days)
    if not reason.strip():
        raise ImportFileError("reason_missing")


def undo(batch_id: int, reason: str, by: Actor, on_progress: OnProgress) -> ImportUndoReport:
    """Take an import back, or the rest of it where that was stopped, and return what that did in all.

    Raises ImportFileError, and StoppedError when `on_progress` does: what is done stays done.
    """
    batch = ImportBatch.objects.defer("data", "report").select_related("league").get(pk=batch_id)
    must_be_undoable(batch, reason)
    made: dict[str, Rows] = batch.made or {}
    total = sum(len(made.get(name, ())) for name in PARTS)
    while True:
        undoing, is_over = persevering(partial(_next_slice, batch, made, by, reason.strip()))
        on_progress(Progress(undoing.done, total, str(undoing.done)))
        if is_over:
            return undoing.report


@transaction.atomic
def _next_slice(batch: ImportBatch, made: Mapping[str, Rows], by: Actor, reason: str) -> tuple[ImportUndoing, bool]:
    """Take the next rows back; return how far that is now, and whether nothing is left."""
    locked = ImportBatch.objects.select_for_update().only("state", "undoing").get(pk=batch.pk)
    before = from_stored(ImportUndoing, locked.undoing or {})
    if locked.state != ImportBatch.State.DONE:
        return before, True
    lock_league(batch.league_id)
    work = _Undoing(batch.league, by, reason)
    count = work.take_back(made, before.done)
    mark_stale(batch.league, work.days)
    undoing = ImportUndoing(before.done + count, work.added_to(before.report))
    is_over = undoing.done == sum(len(made.get(name, ())) for name in PARTS)
    if is_over:
        locked.state, locked.undone_at = ImportBatch.State.UNDONE, timezone.now()
    locked.undoing = as_stored(undoing)
    locked.save(update_fields=["state", "undone_at", "undoing"])
    return undoing, is_over


@dataclass(slots=True)
class _Undoing:
    league: League
    by: Actor
    reason: str
    days: set[date] = field(default_factory=set)
    left: list[str] = field(default_factory=list)
    voided: int = 0
    corrected: int = 0
    sessions: int = 0
    people: int = 0

    def take_back(self, made: Mapping[str, Rows], done: int) -> int:
        """Take back a slice of the rows after the first `done`; return how many rows that are."""
        for name, (take_back, most) in PARTS.items():
            rows = made.get(name, ())
            if some := rows[done : done + most]:
                take_back(self, some)
                return len(some)
            done -= len(rows)
        return 0

    def added_to(self, report: ImportUndoReport) -> ImportUndoReport:
        """Return what was done before and now."""
        return ImportUndoReport(
            report.voided + self.voided,
            report.corrected + self.corrected,
            report.sessions + self.sessions,
            report.people + self.people,
            (*report.left, *self.left),
        )

    def void(self, added: Rows) -> None:
        versions: dict[int, int] = {line[0]: line[1] for line in added}
        some = Hanchan.objects.select_for_update().filter(pk__in=versions)
        standing = list(some.valid().order_by("pk").values_list("pk", "version", "day"))
        untouched = {pk: day for pk, version, day in standing if version == versions[pk]}
        changed = [pk for pk, version, _ in standing if version != versions[pk]]
        self.left += [_label(hanchan) for hanchan in _locked(changed)]
        void_unmarked(self.league, list(untouched), self.reason, self.by)
        self.days |= set(untouched.values())
        self.voided += len(untouched)

    def put_back(self, changed: Rows) -> None:
        for pk, version, steps in changed:
            hanchan = _locked([pk])[0]
            if hanchan.version != version:
                self.left.append(_label(hanchan))
                continue
            try:
                with transaction.atomic():
                    self._put_back(hanchan, _before(hanchan, steps))
            except (ResultError, ScoringError, IntegrityError):
                # Whoever sat there was merged meanwhile, for instance: the correction stays and is named.
                self.left.append(_label(hanchan))
                continue
            self.corrected += 1

    def _put_back(self, hanchan: Hanchan, before: dict[str, Any]) -> None:
        version = version_from(before)
        rules = RulesetVersion.objects.get(pk=before["ruleset_version"])
        current = correct_hanchan(
            hanchan=hanchan,
            seen_version=hanchan.version,
            result=version.result,
            table_and_time=replace(version.table_and_time, ruleset_version=rules),
            by=self.by,
            reason=self.reason,
        )
        was_voided = before["state"] == Hanchan.State.VOIDED
        if was_voided != current.is_voided:
            turn = void_hanchan if was_voided else restore_hanchan
            turn(hanchan=current, by=self.by, reason=self.reason)

    def withdraw(self, sessions: Rows) -> None:
        """Withdraw the sessions in which nothing is left."""
        empty = [session for session in self.league.sessions.filter(pk__in=sessions) if not _is_used(session)]
        withdraw_sessions(league=self.league, sessions=empty, by=self.by)
        self.sessions += len(empty)

    def deactivate(self, players: Rows) -> None:
        """Stop offering the players who have nothing else."""
        idle = [player for player in self.league.players.filter(pk__in=players) if not _plays(player)]
        offered = [player for player in idle if player.is_active]
        set_active(self.league, offered, is_active=False, reason=self.reason, by=self.by)
        self.people += len(idle)


PARTS: Mapping[str, tuple[Callable[[_Undoing, Rows], None], int]] = {
    "hanchan": (_Undoing.void, STORED_TOGETHER),
    "changed": (_Undoing.put_back, ONE_BY_ONE),
    "sessions": (_Undoing.withdraw, ONE_BY_ONE),
    "players": (_Undoing.deactivate, ONE_BY_ONE),
}
"""What an import made and changed, in the order in which it is taken back: how, and how much at a time."""


def set_active(league: League, players: Sequence[Player], *, is_active: bool, reason: str, by: Actor) -> None:
    """Say whether players of the league, who were not so before, are among those who are offered and listed."""
    Player.objects.filter(pk__in=[player.pk for player in players]).update(is_active=is_active)
    for player in players:
        player.is_active = is_active
    change = Change(Revision.Action.CHANGED, {"is_active": not is_active}, {"is_active": is_active}, reason)
    write_revisions(league, ((player, change) for player in players), by)


def _locked(numbers: Iterable[int]) -> list[Hanchan]:
    rows = Hanchan.objects.filter(pk__in=list(numbers)).order_by("pk")
    hold(rows, no_key=False)
    related = rows.select_related("league", "session", "ruleset_version")
    return list(related.prefetch_related("seats__player", "incidents"))


def _label(hanchan: Hanchan) -> str:
    return f"{hanchan.day.isoformat()} {hanchan}"


def _before(hanchan: Hanchan, steps: int) -> dict[str, Any]:
    """Return how a hanchan was before the import changed it in so many steps, all of them its latest."""
    revisions = Revision.objects.filter(league_id=hanchan.league_id, subject="hanchan", subject_id=hanchan.pk)
    facts = (Revision.Action.CORRECTED, Revision.Action.VOIDED, Revision.Action.RESTORED)
    latest = revisions.filter(action__in=facts).order_by("-pk")[:steps]
    before: dict[str, Any] = list(latest)[-1].before or {}
    return before


def _is_used(session: Session) -> bool:
    standing = session.hanchan.valid()
    points = session.points_without_hanchan.filter(withdrawn=False)
    own = {"hanchan", "points_without_hanchan", "table_links"}
    return standing.exists() or points.exists() or _is_named(session, besides=own)


def _plays(player: Player) -> bool:
    standing = player.seats.valid()
    without_hanchan = (player.points_without_hanchan, player.adjustments)
    if player.user_id is not None or player.merged_into_id is not None or standing.exists():
        return True
    own = {"seats", "points_without_hanchan", "adjustments", "aliases", "standings"}
    return any(rows.filter(withdrawn=False).exists() for rows in without_hanchan) or _is_named(player, besides=own)


def _is_named(row: Session | Player, *, besides: Collection[str]) -> bool:
    """Whether anything else in the database names the row, plans and tournaments for instance."""
    relations = [each for each in row._meta.related_objects if each.get_accessor_name() not in besides]
    return any(each.related_model._base_manager.filter(**{each.field.name: row}).exists() for each in relations)
