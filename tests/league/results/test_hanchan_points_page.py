"""A hanchan of which only the points are known, from the page of its session to the result."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from league.models import Hanchan, League, Session
from tests.league.factories import make_league, make_players, make_session, make_user, points_of

pytestmark = [pytest.mark.django_db]

LINE = ("+45.0", "9", "▲20.0", "-34.0")


@pytest.fixture
def session(client: Client) -> Session:
    league = make_league(card="free-10-30")
    make_players(league)
    client.force_login(make_user("ueno", league=league, role="organiser"))
    return make_session(league)


def address(session: Session) -> str:
    return reverse("league:session_by_points", args=[session.league.slug, session.pk])


def typed(league: League, *points: str, **more: Any) -> dict[str, Any]:
    players = league.players.order_by("pk")[:4]
    body = {f"player_{seat}": str(player.pk) for seat, player in enumerate(players)}
    return body | {f"points_{seat}": said for seat, said in enumerate(points)} | {"table": "1", "note": ""} | more


def test_the_session_leads_there_and_the_points_are_saved(client: Client, session: Session) -> None:
    page = client.get(reverse("league:session", args=[session.league.slug, session.pk])).content.decode()
    assert address(session) in page
    assert client.get(address(session)).status_code == 200
    client.post(address(session), typed(session.league, *LINE))
    hanchan = Hanchan.objects.get()
    assert (hanchan.given, points_of(hanchan)) == ("points", [45_000, 9_000, -20_000, -34_000])


def test_raw_scores_are_worked_out_where_they_can_be(client: Client) -> None:
    league = make_league(card="cinderella")
    make_players(league)
    client.force_login(make_user("ueno", league=league, role="owner"))
    session = make_session(league)
    client.post(address(session), typed(league, "55", "9", "-20", "-44"))
    assert Hanchan.objects.get().given == "worked_out"


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"points_0": "many"}, id="no number"),
        pytest.param({"points_0": ""}, id="nothing"),
        pytest.param({"player_0": "999999"}, id="nobody of the league"),
        pytest.param({"place_0": "1"}, id="one placement"),
        pytest.param({"place_0": "1", "place_1": "1", "place_2": "2", "place_3": "3"}, id="no placements"),
        pytest.param({"points_0": "999999999.999"}, id="too much"),
        pytest.param({"table": "x"}, id="no table"),
    ],
)
def test_a_slip_is_named_and_nothing_is_lost(client: Client, session: Session, wrong: dict[str, str]) -> None:
    answer = client.post(address(session), typed(session.league, *LINE) | wrong)
    assert answer.status_code == 200
    assert not Hanchan.objects.exists()
    assert answer.context["form"].errors
    assert "▲20.0" in answer.content.decode()


def test_the_same_player_twice_and_the_same_result_twice_are_refused(client: Client, session: Session) -> None:
    body = typed(session.league, *LINE)
    client.post(address(session), body | {"player_1": body["player_0"]})
    assert not Hanchan.objects.exists()
    client.post(address(session), body)
    asked = client.post(address(session), body).content.decode()
    assert Hanchan.objects.count() == 1
    assert 'name="even_if_same"' in asked
    client.post(address(session), body | {"even_if_same": "on"})
    assert Hanchan.objects.count() == 2


def test_points_that_do_not_add_up_are_asked_about_on_the_spot(client: Client, session: Session) -> None:
    body = typed(session.league, "45", "9", "-20", "-33")
    assert 'name="as_is"' in client.post(address(session), body).content.decode()
    client.post(address(session), body | {"as_is": "on"})
    assert not Hanchan.objects.exists()
    client.post(address(session), body | {"as_is": "on", "note": "the book says so"})
    assert Hanchan.objects.get().as_is


def test_what_adds_up_is_not_taken_as_it_is(client: Client, session: Session) -> None:
    client.post(address(session), typed(session.league, *LINE) | {"as_is": "on"})
    assert not Hanchan.objects.get().as_is


@pytest.mark.parametrize("state", ["closed", "withdrawn"])
def test_a_session_that_takes_no_results_takes_none_by_points_either(
    client: Client, session: Session, state: str
) -> None:
    Session.objects.filter(pk=session.pk).update(state=state)
    page = client.get(reverse("league:session", args=[session.league.slug, session.pk])).content.decode()
    assert address(session) not in page
    assert client.get(address(session)).status_code == 302
    answer = client.post(f"/en{address(session)}", typed(session.league, *LINE), follow=True)
    assert "Nothing can be entered here: the session is closed" in answer.content.decode()
    assert not Hanchan.objects.exists()
