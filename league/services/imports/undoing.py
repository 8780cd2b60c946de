"""Undoing an import in one transaction. Data changed since the import is left and listed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import partial
from typing import Any

from django.db import connections, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.spreadsheets.tables import ImportFileError
from league.engine import many_write
from league.models import Adjustment, Hanchan, ImportBatch, Job, League, Player, Revision, Seat, Session, SessionPoints
from league.services.boards import OnProgress, Progress, mark_stale
from league.services.bulk import STORED_TOGETHER, void_unmarked
from league.services.calendar import withdraw_sessions
from league.services.history import Actor, Change, write_revisions
from league.services.imports.people import set_other_names, undone
from league.services.imports.values import ImportUndoReport
from league.services.locking import lock_league, persevering
from league.services.session_numbers import NumberTakenError, number_by_date
from league.services.session_points import withdraw_points
from league.services.stored_json import as_stored

UNDO_WITHIN = timedelta(days=7)


def may_be_undone(batch: ImportBatch) -> bool:
    is_lately = batch.run_at is not None and timezone.now() - batch.run_at <= UNDO_WITHIN
    return batch.state == ImportBatch.State.DONE and is_lately


def must_be_undoable(batch: ImportBatch) -> None:
    if batch.state != ImportBatch.State.DONE:
        raise ImportFileError("not_done")
    if not may_be_undone(batch):
        raise ImportFileError("too_late", days=UNDO_WITHIN.days)


def undo(batch_id: int, by: Actor, on_progress: OnProgress) -> ImportUndoReport:
    """Undo an import and return a report.

    Raise ImportFileError, or StoppedError from `on_progress`; then nothing is undone.
    """
    return persevering(partial(_undo, batch_id, by, on_progress))


def _undo(batch_id: int, by: Actor, on_progress: OnProgress) -> ImportUndoReport:
    with beside(on_progress) as on_own_connection, transaction.atomic():
        batch = ImportBatch.objects.select_for_update().defer("data", "report").get(pk=batch_id)
        must_be_undoable(batch)
        batch.league = lock_league(batch.league_id)
        made: dict[str, Sequence[Any]] = batch.made or {}
        work = _Undoing(batch.league, by, _("The import of %(file)s was undone.") % {"file": str(batch)})
        total = sum(map(len, made.values()))
        added = made.get("hanchan", ())
        for start in range(0, len(added), STORED_TOGETHER):
            work.void(dict(added[start : start + STORED_TOGETHER]))
            on_own_connection(progress(min(start + STORED_TOGETHER, len(added)), total, str(batch)))
        work.withdraw_totals(made.get("sums", ()), made.get("adjusted", ()))
        work.withdraw(made.get("sessions", ()))
        work.number_again(dict(made.get("numbers", ())))
        work.deactivate({*made.get("players", ()), *(undone(batch.league) & work.seated)})
        set_other_names(batch.league, made.get("named", ()), by, work.reason, is_undone=True)
        mark_stale(batch.league, work.days)
        batch.state, batch.undone_at = ImportBatch.State.UNDONE, timezone.now()
        batch.made = {**made, "undone": as_stored(work.report)}
        batch.save(update_fields=["made", "state", "undone_at"])
    return work.report


def progress(done: int, total: int, item: str) -> Progress:
    return Progress(done, total, item[: Job._meta.get_field("last_item").max_length])


@contextmanager
def beside(on_progress: OnProgress) -> Iterator[OnProgress]:
    """Yield an `on_progress` that commits on its own connection, outside the current transaction.

    SQLite allows only one writer; there the callback does nothing.
    """
    if not many_write():
        yield lambda progress: None
        return
    with ThreadPoolExecutor(1) as pool:
        try:
            yield lambda progress: pool.submit(on_progress, progress).result()
        finally:
            pool.submit(connections.close_all).result()


@dataclass(slots=True)
class _Undoing:
    league: League
    by: Actor
    reason: str
    days: set[date] = field(default_factory=set)
    seated: set[int] = field(default_factory=set)
    report: ImportUndoReport = field(default_factory=ImportUndoReport)

    def void(self, versions: dict[int, int]) -> None:
        some = Hanchan.objects.select_for_update().filter(pk__in=versions).order_by("pk")
        standing = list(some.valid().values_list("pk", "version", "day"))
        untouched = {pk: day for pk, version, day in standing if version == versions[pk]}
        changed = [pk for pk, version, _ in standing if version != versions[pk]]
        self.report.left += [f"{each.day.isoformat()} {each}" for each in some.filter(pk__in=changed)]
        self.seated.update(Seat.objects.filter(hanchan__in=untouched).values_list("player", flat=True))
        void_unmarked(self.league, list(untouched), self.reason, self.by)
        self.days |= set(untouched.values())
        self.report.voided += len(untouched)

    def withdraw_totals(self, sums: Sequence[int], adjusted: Sequence[int]) -> None:
        for points in SessionPoints.objects.filter(pk__in=sums).select_related("league", "player", "session"):
            withdraw_points(points=points, reason=self.reason, by=self.by)
        for adjustment in Adjustment.objects.filter(pk__in=adjusted).select_related("league", "player"):
            withdraw_points(points=adjustment, reason=self.reason, by=self.by)

    def withdraw(self, sessions: Sequence[int]) -> None:
        own = {"hanchan", "table_links"}
        found = self.league.sessions.filter(pk__in=sessions)
        empty = [session for session in found if not _is_used(session, session.hanchan.valid(), own)]
        withdraw_sessions(league=self.league, sessions=empty, by=self.by)
        self.report.sessions += len(empty)

    def number_again(self, typed: Mapping[int, int]) -> None:
        """Give sessions their typed numbers back, unless others have these now."""
        with suppress(NumberTakenError), transaction.atomic():
            if self.league.sessions.kept().filter(pk__in=typed, title="").update(number_typed=True):
                number_by_date(self.league, typed)

    def deactivate(self, players: Collection[int]) -> None:
        # Standings and awards are derived from results.
        own = {"seats", "aliases", "standings", "awards"}
        found = self.league.players.filter(pk__in=players, user=None, merged_into=None)
        idle = [player for player in found if not _is_used(player, player.seats.valid(), own)]
        offered = [player for player in idle if player.is_active]
        set_active(self.league, offered, is_active=False, reason=self.reason, by=self.by)
        self.report.people += len(idle)


def set_active(league: League, players: Sequence[Player], *, is_active: bool, reason: str, by: Actor) -> None:
    """Set `is_active` of players who all have the opposite value, with their history."""
    Player.objects.filter(pk__in=[player.pk for player in players]).update(is_active=is_active)
    for player in players:
        player.is_active = is_active
    change = Change(Revision.Action.CHANGED, {"is_active": not is_active}, {"is_active": is_active}, reason)
    write_revisions(league, ((player, change) for player in players), by)


def _is_used(row: Session | Player, standing: QuerySet[Any], own: Collection[str]) -> bool:
    """Return whether results or points of a session or player count, or other rows refer to it, such as plans.

    `standing`: its results that count; `own`: relations of its own, which do not keep it.
    """
    beside = (row.points_without_hanchan, row.adjustments)
    if standing.exists() or any(rows.filter(withdrawn=False).exists() for rows in beside):
        return True
    own = {"points_without_hanchan", "adjustments", *own}
    relations = [each for each in row._meta.related_objects if each.get_accessor_name() not in own]
    return any(each.related_model._base_manager.filter(**{each.field.name: row}).exists() for each in relations)
