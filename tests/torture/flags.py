"""Flags are files in a folder that the environment names: whoever runs the site sets them while it runs."""

import os
from pathlib import Path

LOCKS_OFF = "locks-off"
"""Statements leave without the clause that locks what they read."""

RETAKE_OFF = "retake-off"
"""The sweep does not look for jobs whose worker is gone."""

TWICE = "twice"
"""Every message is delivered twice."""

IN_TASK = "die-in-{}"
"""The next task of this name kills its process at one of its statements, the number of which stands in the flag."""

BEFORE_ACK = "die-before-ack-of-{}"
"""The next task of this name that is done kills its process before the message is acknowledged."""


def _folder() -> Path:
    return Path(os.environ["TORTURE_FLAGS"])


def is_set(name: str) -> bool:
    return (_folder() / name).exists()


def taken(name: str) -> str | None:
    """Take a flag away and return what it says; None where there is none, or somebody else was quicker."""
    mine = _folder() / f"{name}-taken-{os.getpid()}"
    try:
        (_folder() / name).rename(mine)
    except FileNotFoundError:
        return None
    said = mine.read_text("utf-8")
    mine.unlink()
    return said
