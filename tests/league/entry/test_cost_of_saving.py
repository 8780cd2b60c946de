import uuid
from datetime import UTC, datetime

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from league.models import Hanchan, Player, Revision, Seat, Session, StalePeriod
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link
from tests.conftest import database_url, needs_postgresql
from tests.deadlines import wait_until
from tests.league.boards.test_worker import in_thread
from tests.league.factories import make_league, make_players, make_session, make_user, play
from tests.league.races import somebody_waits_for_a_lock

pytestmark = pytest.mark.django_db

BY_SCORER, BY_LINK = 17, 15
"""Queries per result: user, permissions, session, storing."""


@pytest.fixture
def session() -> Session:
    league = make_league()
    make_players(league, 9)
    return make_session(league, league.day_of(datetime.now(UTC)))


def sent(session: Session) -> dict[str, str]:
    players = session.league.players.order_by("pk")[:4]
    fields = {f"player_{seat}": str(player.pk) for seat, player in enumerate(players)}
    fields |= {f"raw_{seat}": raw for seat, raw in enumerate(("317", "313", "255", "115"))}
    return fields | {"client_key": str(uuid.uuid4()), "sticks_left": "0", "for_round": "1", "table": "1"}


def asked(client: Client, address: str, session: Session) -> int:
    """Save two results, and return the number of queries for the second."""
    first, second = (
        sent(session),
        sent(session) | {"raw_0": "307", "raw_1": "323", "raw_2": "250", "raw_3": "120", "for_round": "2"},
    )
    assert client.post(address, first, headers={"Accept": "application/json"}).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        assert (
            client.post(address, second | {"do": "another"}, headers={"Accept": "application/json"}).status_code == 200
        )
    return sum("SAVEPOINT" not in query["sql"] for query in queries)


def stored() -> tuple[int, ...]:
    told = Revision.objects.filter(subject="hanchan").count()
    return Hanchan.objects.count(), Seat.objects.count(), StalePeriod.objects.count(), told


@needs_postgresql
def test_a_scorer_saves_a_result_with_few_questions(client: Client, session: Session) -> None:
    client.force_login(make_user(league=session.league, role="scorer"))
    address = reverse("league:enter_session", args=[session.league.slug, session.pk])
    assert asked(client, address, session) <= BY_SCORER
    assert stored() == (2, 8, 6, 2)


@needs_postgresql
def test_a_table_link_saves_a_result_with_fewer_still(client: Client, session: Session) -> None:
    link = issue_link(session=session, table=1, by=SYSTEM)
    assert asked(client, reverse("league:table", args=[code_of(link)]), session) <= BY_LINK
    assert stored() == (2, 8, 6, 2)


@needs_postgresql
def test_more_players_make_a_result_no_dearer(client: Client, session: Session) -> None:
    client.force_login(make_user(league=session.league, role="scorer"))
    make_players(session.league, 30)
    address = reverse("league:enter_session", args=[session.league.slug, session.pk])
    result = sent(session)
    with CaptureQueriesContext(connection) as queries:
        assert client.post(address, result, headers={"Accept": "application/json"}).status_code == 200
    # The role check also queries whether the user is a player, however many players there are.
    read = [sql for query in queries if 'FROM "league_player"' in (sql := query["sql"]) and "membership" not in sql]
    assert len(read) == 1
    assert '"league_player"."id" IN' in read[0], "only who is named"


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_players_are_locked_in_the_order_of_their_keys() -> None:
    league = make_league()
    players = make_players(league, 4)
    session = make_session(league)
    with psycopg.connect(database_url()) as holder:
        holder.execute("SELECT id FROM league_player WHERE id = %s FOR UPDATE", [players[0].pk])
        saving = in_thread(lambda: play(session, players=players[::-1]))
        assert wait_until(somebody_waits_for_a_lock)
        holder.execute("SELECT id FROM league_player WHERE id = %s FOR UPDATE NOWAIT", [players[3].pk])
    saving.join()
    assert list(Seat.objects.order_by("seat").values_list("player", flat=True)) == [
        player.pk for player in players[::-1]
    ]
    assert Player.objects.count() == 4
