"""Schedule of notices: soon but bundled, once per session, not at night. Also the retry schedule of mails."""

from datetime import datetime, time, timedelta

SETTLES = timedelta(minutes=10)
"""Waiting time after the last change, as more may follow."""

SOON = timedelta(hours=1)
"""Longest delay of an urgent notice, and shortest time between two."""

EVENING_ENDS = timedelta(hours=2)
"""A session that was not closed counts as over this long after its last event."""

NEXT_EVENING = timedelta(hours=12)
"""Shortest time between session summaries."""

QUIET_FROM, QUIET_UNTIL = time(23), time(7)

FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=5), timedelta(hours=12)
GIVES_UP_AFTER = timedelta(days=3)


def is_quiet(clock: time) -> bool:
    return clock >= QUIET_FROM or clock < QUIET_UNTIL


def is_due_soon(now: datetime, oldest: datetime, newest: datetime, last: datetime | None) -> bool:
    """Return whether to send notices of events between `oldest` and `newest`. `last`: time of the previous sending."""
    has_settled = now - newest >= SETTLES or now - oldest >= SOON
    return has_settled and _is_long_ago(now, last, SOON)


def is_due_of_evening(now: datetime, newest: datetime, last: datetime | None, *, is_over: bool) -> bool:
    """Return whether to send the notices of a session. `is_over`: the session was closed."""
    return now - newest >= (SETTLES if is_over else EVENING_ENDS) and _is_long_ago(now, last, NEXT_EVENING)


def _is_long_ago(now: datetime, last: datetime | None, pause: timedelta) -> bool:
    # A time in the future was recorded before the clock was set back.
    return last is None or last > now or now - last >= pause


def pause_after(tries: int) -> timedelta:
    return min(FIRST_PAUSE * int(3 ** min(tries - 1, 10)), LONGEST_PAUSE)
