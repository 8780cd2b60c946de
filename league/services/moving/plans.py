"""What a move needs to know, and how it says that it cannot be."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import timedelta

from league.databases import HOME
from league.models import League

Export = Callable[[League], Iterable[str]]
"""Writes a whole league as a file."""

Tell = Callable[[str], object]

SETTLED = timedelta(seconds=10)
"""For so long what was left behind stays: whoever was reading it is done by then."""


class MoveError(Exception):
    """A league that cannot be moved as things are. Says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Moving:
    """What a move needs to know: how a league is written as a file, whom to tell how far it is, and how long what was left stays."""

    export: Export
    tell: Tell
    settled: timedelta = SETTLED


def said(database: str) -> str:
    """Return a database as commands name it."""
    return "home" if database == HOME else database
