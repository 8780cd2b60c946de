"""What the things that people do cost the parts of a federation, in what /healthz costs a web: the least that it answers.

CPU alone is told: times depend on who else uses the machine, and so does how many seconds of CPU a question takes. What
both were measured beside is the same, though.
"""

import statistics
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.profiles import family
from tests.deadlines import wait_until
from tests.federation.evening import Evening
from tests.federation.parts import LEAGUES_IN, Federation
from tests.federation.table import columns
from tests.production.browsing import Visitor
from tests.production.stack import BEHIND_PROXY

KINDS = {
    "edge": ("edge",),
    "webs": ("web 1", "web 2"),
    "workers": ("worker 1", "worker 2", "worker of jobs", "beat"),
    "databases": ("primary", "standby", "databases of leagues", "pooler"),
    "Redis": ("Redis",),
}
"""The parts of a federation as somebody buys machines for them."""

HEALTH = "/healthz"
ROUNDS = 3
QUESTIONS = 150
"""So many questions about /healthz in a round; of what costs more, fewer."""

STALE = "SELECT EXISTS (SELECT FROM league_staleperiod)"


@dataclass(frozen=True)
class Cost:
    """What one of something costs each kind of part, in what /healthz costs a web."""

    name: str
    by_kind: Mapping[str, float]

    @property
    def whole(self) -> float:
        """What it costs all of them together."""
        return sum(self.by_kind.values())


def costs(evening: Evening) -> Iterator[Cost]:
    """Yield what people's doings cost a federation in which nobody does anything else; medians of some rounds."""
    federation, clubs = evening.federation, evening.clubs
    web, reader = Visitor(federation.ports["web 1"], BEHIND_PROXY), federation.visitor()
    board = clubs[0].board
    page = clubs[0].page
    tag = ""

    def look(_: int) -> None:
        nonlocal tag
        tag = web.get(board, **({"If-None-Match": tag} if tag else {})).headers.get("etag", tag)

    doings: dict[str, tuple[int, Callable[[int], object]]] = {
        HEALTH: (QUESTIONS, lambda _: web.get("/healthz")),
        "a board asked for news, past the edge": (QUESTIONS, look),
        "a board asked for news, by the edge": (QUESTIONS * 10, lambda _: reader.get(board)),
        "a board's page, past the edge": (QUESTIONS // 3, lambda _: web.get(page)),
        "a result, until its boards have it": (QUESTIONS // 5, lambda turn: evening.enter(clubs[turn % len(clubs)])),
    }
    rounds = [{name: _spent(federation, *doing) for name, doing in doings.items()} for _ in range(ROUNDS)]
    for name in doings:
        yield Cost(name, {kind: statistics.median(_ratios(rounds, name, kind)) for kind in KINDS})


def _ratios(rounds: list[dict[str, Counter[str]]], name: str, kind: str) -> Iterator[float]:
    for each in rounds:
        yield each[name][kind] / each[HEALTH]["webs"]


def _spent(federation: Federation, times: int, doing: Callable[[int], object]) -> Counter[str]:
    """Return the seconds of CPU that one of many cost each kind of part, with what is done of it afterwards."""
    before = _worked(federation)
    for turn in range(times):
        doing(turn)
    # Looking is work of the databases too.
    assert wait_until(lambda: _are_fresh(federation), 120, pause=0.5), "Boards stay behind."
    return Counter({kind: (now - before[kind]) / times for kind, now in _worked(federation).items()})


def _are_fresh(federation: Federation) -> bool:
    return not any(federation.ask(database, STALE) == [(True,)] for database in ("default", *LEAGUES_IN))


def _worked(federation: Federation) -> dict[str, float]:
    """Return the seconds of CPU that each kind of part has taken so far."""
    running = {name: part.process for name, part in federation.parts.items()}
    return {
        kind: sum(family(process.pid) for name in names if (process := running[name]) is not None)
        for kind, names in KINDS.items()
    }


def costs_told(costs: Sequence[Cost]) -> Iterator[str]:
    """Yield the lines of a table of costs."""
    yield from columns([("one of", "all", *KINDS), *(_cells(cost) for cost in costs)])


def _cells(cost: Cost) -> tuple[str, ...]:
    return (cost.name, *(f"{figure:.2f}" for figure in (cost.whole, *cost.by_kind.values())))
