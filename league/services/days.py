"""Recalculates league days after a change of time zone or day boundary.

The day only decides on which boards a hanchan counts.
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from functools import partial

from django.db import transaction

from league.engine import update_columns
from league.models import Hanchan, Job, League, Seat
from league.models.editions import raise_edition
from league.models.play import HanchanQuerySet
from league.services.boards import OnProgress, Progress, mark_stale, unwatched
from league.services.history import Actor
from league.services.job_requests import start_job
from league.services.locking import persevering
from league.services.rescoring import in_chunks

MOVED_AT_ONCE = 2000
"""A league with more hanchan than this has a job work out their days."""


def start_moving(league: League, by: Actor) -> Job | None:
    """Move hanchan to their league days now, or return a job. Raises JobRunningError."""
    if league.hanchan.count() > MOVED_AT_ONCE:
        return start_job(league=league, kind=Job.Kind.DAYS, by=by)
    move_to_new_days(league, unwatched)
    return None


def move_to_new_days(league: League, on_progress: OnProgress) -> int:
    """Move hanchan to their league days in chunks; return how many changed.

    Can be restarted. Boards of old and new days are marked stale.
    """
    hanchan = Hanchan.objects.filter(league=league)
    total, done, moved = hanchan.count(), 0, 0
    for count, chunk in in_chunks(hanchan):
        moved += persevering(partial(_move, league, chunk))
        done += count
        # Include results entered since the start.
        on_progress(Progress(done, max(done, total), str(done)))
    return moved


@transaction.atomic
def _move(league: League, chunk: HanchanQuerySet) -> int:
    # Lock by primary key first, then read the current values.
    rows = chunk.select_for_update(of=("self",)).values_list("pk", "day", "played_at")
    moves = list(_moves(league, rows))
    if not moves:
        return 0
    keys, before, after = zip(*moves, strict=True)
    days = {"day": [day.isoformat() for day in after]}
    update_columns(Hanchan, keys, days)
    update_columns(Seat, keys, days, by="hanchan_id")
    mark_stale(league, {*before, *after})
    raise_edition(league.pk)
    return len(keys)


def _moves(league: League, rows: Iterable[tuple[int, date, datetime]]) -> Iterator[tuple[int, date, date]]:
    """Yield key, old and new day of the hanchan that move."""
    for key, before, moment in rows:
        after = league.day_of(moment)
        if after != before:
            yield key, before, after
