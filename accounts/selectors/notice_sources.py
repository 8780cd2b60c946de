"""Where there is something to tell: what in a history asks to look, and what stands now. Apps above register theirs."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.models import NoticeKind
from league.models import League, Revision


@dataclass(frozen=True, slots=True)
class News:
    """Something to tell a user now. `facts`: plain values, without names of others; `path`: without a language."""

    user: int
    subject: int
    facts: dict[str, Any]
    path: str
    session: int | None = None


@dataclass(frozen=True, slots=True)
class NoticeSource:
    """A kind of notices. `subject`: what its revisions are of; `is_touched`: whether such a revision may bring some.

    `present` returns what is to be told of these subjects as they stand now: nothing of those where nothing is any more.
    """

    kind: NoticeKind
    subject: str
    is_touched: Callable[[Revision], bool]
    present: Callable[[League, Collection[int], datetime], Iterable[News]]


sources: dict[NoticeKind, NoticeSource] = {}


def register_source(source: NoticeSource) -> None:
    """Let there be notices of a kind; an app does that for its own when Django has loaded it."""
    sources[source.kind] = source
