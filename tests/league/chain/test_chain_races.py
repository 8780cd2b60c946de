"""A chain has one end, however many write to its league at once; and nobody who writes waits for it."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial

import psycopg
import pytest
from django.db import IntegrityError, connection, transaction

from league.core.chain import FactName
from league.models import ChainLink, League, Player, Revision, UnchainedFact
from league.selectors.chain import check_chain
from league.services import chain
from league.services.chain import chain_history
from tests.conftest import database_url, needs_postgresql
from tests.league.factories import make_league, make_players, make_session, play
from tests.league.races import at_once

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 16


def store_and_chain(league: League, players: list[Player], table: int) -> None:
    session = make_session(league)
    for number in range(1, 4):
        play(session, players=players, table=table, round=number)
        chain_history(league.pk)


def is_whole(league: League) -> bool:
    """Return whether the chain has no fork and no gap and holds everything."""
    links = list(league.chain.order_by("number"))
    chained = [fact for link in links for kind, fact in link.facts if kind == "revision"]
    return (
        [link.number for link in links] == list(range(1, len(links) + 1))
        and sorted(chained) == sorted(Revision.objects.filter(league=league).values_list("pk", flat=True))
        and not UnchainedFact.objects.filter(league=league).exists()
        and not list(check_chain(league))
    )


@pytest.mark.merge
@needs_postgresql
def test_sixteen_writers_make_one_chain() -> None:
    league = make_league()
    groups = [make_players(league, 4) for _ in range(WRITERS)]
    works = [partial(store_and_chain, league, players, table) for table, players in enumerate(groups, 1)]
    assert at_once(*works) == [None] * WRITERS
    assert is_whole(league)


@needs_postgresql
def test_a_worker_leaves_a_chain_alone_that_somebody_adds_to() -> None:
    league = make_league()
    chain_history(league.pk)
    play(make_session(league))
    waiting = UnchainedFact.objects.count()
    assert waiting
    with transaction.atomic():
        chain.lock_chain(league.pk, waits=True)
        # Whoever waits would wait for this block, which waits for them.
        assert at_once(partial(chain.chain_some, league.pk)) == [None]
        assert UnchainedFact.objects.count() == waiting
    chain.chain_some(league.pk)
    assert is_whole(league)
    assert not UnchainedFact.objects.exists()


@needs_postgresql
def test_without_the_lock_the_database_refuses_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    play(make_session(league))
    chain_history(league.pk)
    store, both = chain._store, threading.Barrier(2)

    def at_the_same_end(league_id: int, last: tuple[int, str], names: list[FactName]) -> None:
        both.wait(20)
        store(league_id, last, names)

    play(make_session(league))
    with monkeypatch.context() as unlocked:
        unlocked.setattr(chain, "lock_chain", lambda _league_id, *, waits: waits)
        unlocked.setattr(chain, "_store", at_the_same_end)
        outcomes = at_once(*[partial(chain.add_link, league.pk)] * 2)
    assert [type(each) for each in outcomes if not isinstance(each, chain.Made)] == [IntegrityError]
    assert ChainLink.objects.filter(league=league).count() == 2
    assert is_whole(league)


@contextmanager
def holding(*statements: str) -> Iterator[None]:
    """Keep locks in a transaction of somebody else, and let nobody here wait for them longer than a moment."""
    with psycopg.connect(database_url()) as holder:
        for statement in statements:
            holder.execute(statement)
        with impatient():
            yield


@contextmanager
def impatient() -> Iterator[None]:
    with connection.cursor() as cursor:
        cursor.execute("SET lock_timeout = '5s'")
        yield
        cursor.execute("RESET lock_timeout")


@needs_postgresql
def test_a_result_is_entered_while_somebody_adds_to_the_chain() -> None:
    league = make_league()
    session = make_session(league)
    players = make_players(league)
    with holding(chain._LOCK.replace("%s", str(league.pk)), "LOCK TABLE league_chainlink IN SHARE ROW EXCLUSIVE MODE"):
        play(session, players=players)
    chain_history(league.pk)
    assert is_whole(league)


@needs_postgresql
def test_the_chain_grows_while_an_import_holds_the_league() -> None:
    league = make_league()
    play(make_session(league))
    waits: Iterable[str] = ("league_league", "league_session", "league_hanchan", "league_player", "league_seat")
    with holding(*(f"SELECT id FROM {table} FOR NO KEY UPDATE" for table in waits)):
        chain_history(league.pk)
    assert is_whole(league)
