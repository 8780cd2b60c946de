"""When somebody is told: soon but not at once, once an evening, and not at night. And when a mail is tried again."""

from datetime import datetime, time, timedelta

SETTLES = timedelta(minutes=10)
"""For so long after the last change one waits for the next."""

SOON = timedelta(hours=1)
"""What is to be told soon waits no longer than that, and comes no more often."""

EVENING_ENDS = timedelta(hours=2)
"""So long after the last that happened an evening is over that nobody has closed."""

NEXT_EVENING = timedelta(hours=12)
"""What is told once an evening comes no more often."""

QUIET_FROM, QUIET_UNTIL = time(23), time(7)

FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=5), timedelta(hours=12)
GIVES_UP_AFTER = timedelta(days=3)


def is_quiet(clock: time) -> bool:
    return clock >= QUIET_FROM or clock < QUIET_UNTIL


def is_due_soon(now: datetime, oldest: datetime, newest: datetime, last: datetime | None) -> bool:
    """Return whether to tell what happened between these moments; `last`: when something was told before."""
    has_settled = now - newest >= SETTLES or now - oldest >= SOON
    return has_settled and _is_long_ago(now, last, SOON)


def is_due_of_evening(now: datetime, newest: datetime, last: datetime | None, *, is_over: bool) -> bool:
    """Return whether to tell of an evening. `is_over`: somebody has said that it is."""
    return now - newest >= (SETTLES if is_over else EVENING_ENDS) and _is_long_ago(now, last, NEXT_EVENING)


def _is_long_ago(now: datetime, last: datetime | None, pause: timedelta) -> bool:
    # What would be to come was noted by a clock that was put back since.
    return last is None or last > now or now - last >= pause


def pause_after(tries: int) -> timedelta:
    """Return how long to wait after so many tries that failed."""
    return min(FIRST_PAUSE * int(3 ** min(tries - 1, 10)), LONGEST_PAUSE)
