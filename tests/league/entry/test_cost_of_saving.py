from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from league.models import Hanchan, Player, Revision, Seat, Session, StalePeriod
from tests.conftest import database_url, needs_postgresql
from tests.deadlines import wait_until
from tests.league.boards.test_worker import in_thread
from tests.league.entry_contexts import JSON, at, link_of, typed
from tests.league.factories import make_league, make_players, make_session, make_user, play
from tests.league.races import somebody_waits_for_a_lock

pytestmark = pytest.mark.django_db


def sent(session: Session) -> dict[str, Any]:
    return typed(session.league, "317", "313", "255", "115", for_round="1", table="1")


@needs_postgresql
@pytest.mark.parametrize(("way", "most"), [("page", 17), ("link", 15)])
def test_saving_a_result_takes_few_queries(client: Client, way: str, most: int) -> None:
    league = make_league(players=9)
    session = make_session(league, league.day_of(datetime.now(UTC)))
    """Queries for the user, permissions, session and storing."""
    if way == "page":
        client.force_login(make_user(league=session.league, role="scorer"))
        address = reverse("league:enter_session", args=[session.league.slug, session.pk])
    else:
        address = at(link_of(session))
    other = {"raw_0": "307", "raw_1": "323", "raw_2": "250", "raw_3": "120", "for_round": "2", "do": "another"}
    second = sent(session) | other
    assert client.post(address, sent(session), headers=JSON).status_code == 200
    with CaptureQueriesContext(connection) as queries:
        assert client.post(address, second, headers=JSON).status_code == 200
    assert sum("SAVEPOINT" not in query["sql"] for query in queries) <= most
    told = Revision.objects.filter(subject="hanchan").count()
    assert (Hanchan.objects.count(), Seat.objects.count(), StalePeriod.objects.count(), told) == (2, 8, 6, 2)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_saving_locks_players_in_the_order_of_their_keys() -> None:
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
