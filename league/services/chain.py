"""The history is chained here: what waits gets a link that follows from all before it, a moment after it was stored."""

import secrets
import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from django.db import connection, transaction
from django.utils import timezone

from league import background
from league.core.chain import BEGINNING, GONE, SALT, FactName, Link, digest_of
from league.models import ChainLink, UnchainedFact
from league.selectors.chain import read_facts

CHAIN_TASK = "league.chain_history"

TOGETHER = 500
"""Facts in a link at most."""

TURN = 2.0
"""Seconds after which other work has its turn; one link at least is made in each."""

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('league_chainlink', %s))"
_LOCK_IF_FREE = "SELECT pg_try_advisory_xact_lock(hashtextextended('league_chainlink', %s))"


def chain_history(league_id: int) -> int:
    """Chain what waits in a league and return how many facts that were.

    Each link is a transaction of its own. It locks no row that anybody who enters a result wants.
    """
    return sum(_links(league_id, waits=True))


def chain_some(league_id: int) -> None:
    """Chain what waits in a league, part of it if that is much: the rest follows behind the work that waits meanwhile.

    Nothing, where somebody is at it: two of them would hold two processes for the work of one. They or the sweep go on.
    """
    ends = time.monotonic() + TURN
    for _ in _links(league_id, waits=False):
        if time.monotonic() >= ends:
            break
    else:
        return
    if UnchainedFact.objects.filter(league=league_id).exists():
        background.send(CHAIN_TASK, league_id)


def _links(league_id: int, *, waits: bool) -> Iterator[int]:
    """Make link after link and yield how many facts each holds, until nothing waits, or somebody else is at it.

    Facts are looked for behind those of the link before: as long as some transaction is old, all that were taken out lie in
    the way. Those that were noted before and committed later are found when the end is reached.
    """
    after = 0
    while True:
        made = add_link(league_id, after, waits=waits)
        if made.facts:
            yield made.facts
        elif made.is_busy or not after:
            return
        after = made.last


def sweep_chains() -> None:
    """Have the histories chained in which something waits. One query."""
    for league_id in UnchainedFact.objects.order_by().values_list("league", flat=True).distinct():
        background.send(CHAIN_TASK, league_id)


class Made(NamedTuple):
    """A link that was made of so many facts, none where none waited; `last`: what the last of a full link was noted under."""

    facts: int = 0
    last: int = 0
    is_busy: bool = False


@transaction.atomic
def add_link(league_id: int, after: int = 0, *, waits: bool = True) -> Made:
    """Store the next link of a chain, of facts that were noted behind `after`.

    `waits`: until others who add to this chain are done; else they are left alone.
    """
    if not lock_chain(league_id, waits=waits):
        return Made(is_busy=True)
    noted = UnchainedFact.objects.filter(league=league_id, pk__gt=after).order_by("pk")
    waiting = list(noted.values_list("pk", "kind", "fact")[:TOGETHER])
    if not waiting:
        return Made()
    names = list(dict.fromkeys((kind, fact) for _, kind, fact in waiting))
    last = ChainLink.objects.filter(league=league_id).order_by("-number").values_list("number", "hash").first()
    _store(league_id, last or (0, BEGINNING), names)
    UnchainedFact.objects.filter(pk__in=[key for key, _, _ in waiting]).delete()
    return Made(len(names), waiting[-1][0] if len(waiting) == TOGETHER else 0)


def lock_chain(league_id: int, *, waits: bool = True) -> bool:
    """Let one at a time add to a league's chain; whoever comes second reads what the first has added. Return whether it is one's turn.

    Nobody holds anything else by then, and nobody who enters a result asks for this. On SQLite one writes at a time.
    """
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute(_LOCK if waits else _LOCK_IF_FREE, [league_id])
        return waits or bool(cursor.fetchone()[0])


def _store(league_id: int, last: tuple[int, str], names: list[FactName]) -> None:
    salts = [secrets.token_bytes(SALT) for _ in names]
    number, previous = last
    link = Link(number + 1, timezone.now(), previous, names, list(_digests(league_id, names, salts)))
    ChainLink.objects.create(
        league_id=league_id,
        number=link.number,
        at=link.at,
        facts=link.facts,
        digests=b"".join(link.digests),
        salts=b"".join(salts),
        previous=previous,
        hash=link.hash(),
    )


def _digests(league_id: int, names: list[FactName], salts: list[bytes]) -> Iterable[bytes]:
    found = read_facts(league_id, names)
    return (digest_of(found[name], salt) if name in found else GONE for name, salt in zip(names, salts, strict=True))
