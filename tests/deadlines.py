"""How long tests wait for what must come, in one place. On a busy machine everything waits longer; nothing waits for nothing."""

import os
import time
from collections.abc import Callable

PAGE = 15.0
"""Seconds for a page to show the expected, on a quiet machine."""

PROCESS = 20.0
"""Seconds in which another process has to do so."""


def patience(seconds: float) -> float:
    """Return how long to wait just now: more where the machine has more to do than it has cores."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def wait_until(holds: Callable[[], bool], seconds: float = PROCESS, pause: float = 0.05) -> bool:
    """Return whether something came true within the time; between two looks there is a pause."""
    deadline = time.monotonic() + patience(seconds)
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(pause)
    return False
