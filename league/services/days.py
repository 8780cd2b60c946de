"""Recalculating league days after the time zone or day boundary has changed.

The day decides only on which boards a hanchan counts.
"""

from functools import partial

from django.db import transaction

from league.engine import update_columns
from league.models import Hanchan, Job, League, Seat
from league.models.editions import raise_edition
from league.models.play import HanchanQuerySet
from league.selectors.played import in_chunks
from league.services.boards import OnProgress, Progress, mark_stale, unwatched
from league.services.history import Actor
from league.services.job_requests import start_job
from league.services.locking import persevering

MOVED_AT_ONCE = 2000
"""In a league with more hanchan a job does the work."""


def start_moving(league: League, by: Actor) -> Job | None:
    """Move hanchan to their league days, or start a job and return it. Raise JobRunningError."""
    if league.hanchan.count() > MOVED_AT_ONCE:
        return start_job(league=league, kind=Job.Kind.DAYS, by=by)
    move_to_new_days(league, unwatched)
    return None


def move_to_new_days(league: League, on_progress: OnProgress) -> int:
    """Move hanchan to their league days in chunks; return how many moved.

    Can be run again after an interruption. Boards of the old and new days are marked as stale.
    """
    hanchan = Hanchan.objects.filter(league=league)
    total, done, moved = hanchan.count(), 0, 0
    for count, chunk in in_chunks(hanchan):
        moved += persevering(partial(_move, league, chunk))
        done += count
        # Results entered since the start raise the total.
        on_progress(Progress(done, max(done, total), str(done)))
    return moved


@transaction.atomic
def _move(league: League, chunk: HanchanQuerySet) -> int:
    # Lock in primary key order; the values are read under the lock.
    rows = chunk.select_for_update(of=("self",)).values_list("pk", "day", "played_at")
    moves = [(pk, before, day) for pk, before, moment in rows if (day := league.day_of(moment)) != before]
    if not moves:
        return 0
    keys, before, after = zip(*moves, strict=True)
    days = {"day": [day.isoformat() for day in after]}
    update_columns(Hanchan, keys, days)
    update_columns(Seat, keys, days, by="hanchan_id")
    mark_stale(league, {*before, *after})
    raise_edition(league.pk)
    return len(keys)
