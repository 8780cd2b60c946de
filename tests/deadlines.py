import os
import time
from collections.abc import Callable

PAGE = 15.0
"""Seconds for a page to show the expected content, on an idle machine."""

PROCESS = 20.0
"""Seconds for another process to do the same."""


def patience(seconds: float) -> float:
    """Return a timeout in seconds: longer if the load exceeds the number of cores."""
    return seconds * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


def wait_until(holds: Callable[[], bool], seconds: float = PROCESS, pause: float = 0.05) -> bool:
    """Poll until the condition is true; return whether it was before the timeout."""
    deadline = time.monotonic() + patience(seconds)
    while time.monotonic() < deadline:
        if holds():
            return True
        time.sleep(pause)
    return False
