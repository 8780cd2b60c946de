"""On which league day everything was played, worked out anew where the time zone or the beginning of the day changes.

A day decides on which boards a hanchan counts, nothing else: its facts, its version and its history stay.
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
    """Put every hanchan on its league day at once, or return the job that does. Raises JobRunningError."""
    if league.hanchan.count() > MOVED_AT_ONCE:
        return start_job(league=league, kind=Job.Kind.DAYS, by=by)
    move_to_new_days(league, unwatched)
    return None


def move_to_new_days(league: League, on_progress: OnProgress) -> int:
    """Put every hanchan on the league day of its moment, a chunk at a time; return how many lay on another one.

    Stopped and begun again it meets those of before on their days. The boards of the days that they leave and of those
    that they come to are marked stale with them.
    """
    hanchan = Hanchan.objects.filter(league=league)
    total, done, moved = hanchan.count(), 0, 0
    for count, chunk in in_chunks(hanchan):
        moved += persevering(partial(_move, league, chunk))
        done += count
        # Whatever is entered meanwhile is looked at, too.
        on_progress(Progress(done, max(done, total), str(done)))
    return moved


@transaction.atomic
def _move(league: League, chunk: HanchanQuerySet) -> int:
    # Locked one after the other by primary key, then read: what was corrected meanwhile is seen as it stands now.
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
