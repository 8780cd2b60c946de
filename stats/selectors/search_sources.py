"""Where there is something to find in a league. Apps above register theirs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from league.core.searching import Wanted
from league.models import League
from league.permissions import Person

MAX_FOUND = 20
"""So many of one kind are shown; of more it is said how many there are."""


@dataclass(frozen=True, slots=True)
class FoundThings:
    """What was found of one kind: the first of them, ready to be shown, and how many there are."""

    things: Sequence[Any]
    count: int

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.count - len(self.things)


@dataclass(frozen=True, slots=True)
class SearchSource:
    """A kind of things to find. `heading`: what they are called, lazily translated; `template` shows one as `thing`.

    `find` returns what a reader may find, the best first, at most MAX_FOUND of them, in a constant number of queries.
    """

    heading: Any
    template: str
    find: Callable[[Person, League, Wanted], FoundThings]


further_sources: list[SearchSource] = []


def register_search(source: SearchSource) -> None:
    """Let things of a kind be found; an app does that for its own when Django has loaded it."""
    if source not in further_sources:
        further_sources.append(source)
