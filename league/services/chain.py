"""The history is chained here: what waits gets a link that follows from all before it, a moment after it was stored."""

import secrets
from collections.abc import Iterable

from django.db import connection, transaction
from django.utils import timezone

from league import background
from league.core.chain import BEGINNING, GONE, SALT, FactName, Link, digest_of
from league.models import ChainLink, UnchainedFact
from league.selectors.chain import read_facts

CHAIN_TASK = "league.chain_history"

TOGETHER = 500
"""Facts in a link at most."""

LINKS_AT_ONCE = 10
"""So many links are made before other work has its turn."""

_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('league_chainlink', %s))"


def chain_history(league_id: int, links: int | None = None) -> int:
    """Chain what waits in a league, in so many links at most; return how many facts that were.

    Each link is a transaction of its own. It locks no row that anybody who enters a result wants.
    """
    chained = 0
    while links is None or links > 0:
        count = add_link(league_id)
        if not count:
            break
        chained += count
        links = links and links - 1
    return chained


def chain_some(league_id: int) -> None:
    """Chain what waits in a league, part of it if that is much: the rest follows behind the work that waits meanwhile."""
    chain_history(league_id, LINKS_AT_ONCE)
    if UnchainedFact.objects.filter(league=league_id).exists():
        background.send(CHAIN_TASK, league_id)


def sweep_chains() -> None:
    """Have the histories chained in which something waits. One query."""
    for league_id in UnchainedFact.objects.order_by().values_list("league", flat=True).distinct():
        background.send(CHAIN_TASK, league_id)


@transaction.atomic
def add_link(league_id: int) -> int:
    """Store the next link of a chain and return how many facts it holds; 0 where none waits."""
    lock_chain(league_id)
    waiting = list(
        UnchainedFact.objects.filter(league=league_id).order_by("pk").values_list("pk", "kind", "fact")[:TOGETHER]
    )
    if not waiting:
        return 0
    names = list(dict.fromkeys((kind, fact) for _, kind, fact in waiting))
    last = ChainLink.objects.filter(league=league_id).order_by("-number").values_list("number", "hash").first()
    _store(league_id, last or (0, BEGINNING), names)
    UnchainedFact.objects.filter(pk__in=[key for key, _, _ in waiting]).delete()
    return len(names)


def lock_chain(league_id: int) -> None:
    """Let one at a time add to a league's chain; whoever comes second reads what the first has added.

    Nobody holds anything else by then, and nobody who enters a result asks for this. On SQLite one writes at a time.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(_LOCK, [league_id])


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
