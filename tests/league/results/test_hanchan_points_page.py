from typing import Any

import pytest
from django.test import Client

from league.models import Hanchan, League, Session
from league.selectors.history import UNDONE
from league.services.history import SYSTEM
from league.services.results import void_hanchan
from tests.league.entry_contexts import url
from tests.league.factories import make_league, make_players, make_session, make_user, play, points_of

pytestmark = [pytest.mark.django_db]

LINE = ("+45,0", "9", "▲20，000", "-34")


@pytest.fixture
def session(client: Client) -> Session:
    return session_under("free-10-30", client)


def session_under(card: str, client: Client) -> Session:
    """Return a session of a new league; an organiser is logged in."""
    league = make_league(card, card=card)
    make_players(league)
    client.force_login(make_user("ueno", league=league, role="organiser"))
    return make_session(league)


def address(session: Session) -> str:
    return url("session_by_points", session.league, session.pk)


def typed(league: League, *points: str, **more: Any) -> dict[str, Any]:
    players = league.players.order_by("pk")[:4]
    body = {f"player_{seat}": str(player.pk) for seat, player in enumerate(players)}
    return body | {f"points_{seat}": said for seat, said in enumerate(points)} | {"table": "1", "note": ""} | more


def test_points_are_saved_from_a_page_linked_by_the_session(client: Client, session: Session) -> None:
    page = client.get(url("session", session.league, session.pk)).content.decode()
    assert address(session) in page
    assert client.get(address(session)).status_code == 200
    client.post(address(session), typed(session.league, *LINE) | {"as_is": "on"})
    hanchan = Hanchan.objects.get()
    assert (hanchan.given, points_of(hanchan)) == ("points", [45_000, 9_000, -20_000, -34_000])
    assert not hanchan.as_is


def test_raw_scores_are_derived_from_points_if_the_rules_allow_it(client: Client) -> None:
    session = session_under("cinderella", client)
    client.post(address(session), typed(session.league, "55", "9", "-20", "-44"))
    assert Hanchan.objects.get().given == "worked_out"


def test_impossible_points_are_refused(client: Client) -> None:
    session = session_under("ema", client)
    answer = client.post("/en" + address(session), typed(session.league, "357", "-23", "-91", "-243"))
    assert "357 is too much for one hanchan" in answer.content.decode()
    assert not Hanchan.objects.exists()


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
def test_invalid_points_are_reported_and_kept(client: Client, session: Session, wrong: dict[str, str]) -> None:
    answer = client.post(address(session), typed(session.league, *LINE) | wrong)
    assert answer.status_code == 200
    assert not Hanchan.objects.exists()
    assert answer.context["form"].errors
    assert "▲20，000" in answer.content.decode()


def test_same_player_is_refused_and_same_points_need_confirmation(client: Client, session: Session) -> None:
    body = typed(session.league, *LINE)
    client.post(address(session), body | {"player_1": body["player_0"]})
    assert not Hanchan.objects.exists()
    client.post(address(session), body)
    asked = client.post(address(session), body).content.decode()
    assert Hanchan.objects.count() == 1
    assert 'name="sure"' in asked
    client.post(address(session), body | {"sure": "on"})
    assert Hanchan.objects.count() == 2


def test_points_that_do_not_add_up_need_a_note(client: Client, session: Session) -> None:
    body = typed(session.league, "45", "9", "-20", "-33")
    assert 'name="as_is"' in client.post(address(session), body).content.decode()
    client.post(address(session), body | {"as_is": "on"})
    assert not Hanchan.objects.exists()
    client.post(address(session), body | {"as_is": "on", "note": "the book says so"})
    assert Hanchan.objects.get().as_is


@pytest.mark.parametrize("state", ["closed", "withdrawn"])
def test_closed_session_accepts_no_points(client: Client, session: Session, state: str) -> None:
    Session.objects.filter(pk=session.pk).update(state=state)
    page = client.get(url("session", session.league, session.pk)).content.decode()
    assert address(session) not in page
    assert client.get(address(session)).status_code == 302
    answer = client.post(f"/en{address(session)}", typed(session.league, *LINE), follow=True)
    assert "Nothing can be entered here: the session is closed" in answer.content.decode()
    assert not Hanchan.objects.exists()


POINTS = (45_000, 9_000, -20_000, -34_000)


def form_data(page: Any, **changed: str) -> dict[str, Any]:
    form = page.context["form"]
    kept = {name: form[name].value() for name in form.fields}
    moment = form["played_at"].value().strftime("%Y-%m-%dT%H:%M")
    shown = {name: form.fields[name].prepare_value(value) for name, value in kept.items()}
    shown |= {"played_at": moment, **changed}
    return {name: value for name, value in shown.items() if value not in {None, False}}


def open_correction(client: Client, hanchan: Hanchan) -> tuple[str, Any]:
    way = url("correct", hanchan.league, hanchan.pk)
    assert way in client.get(url("hanchan", hanchan.league, hanchan.pk)).content.decode()
    page = client.get(way, follow=True)
    return page.redirect_chain[-1][0] if page.redirect_chain else way, page


@pytest.mark.long
def test_points_only_hanchan_is_corrected_by_points(client: Client, session: Session) -> None:
    hanchan = play(session, points=POINTS, yakuman=[(0, "国士無双")], note="from the old book")
    path, page = open_correction(client, hanchan)
    assert [page.context["form"][f"points_{seat}"].value() for seat in range(4)] == ["45", "9", "-20", "-34"]
    assert "from the old book" in page.content.decode()
    body = form_data(page, points_1="8", points_2="-19", table="3", round="2", note="read anew", reason="misread")
    client.post(path, body)
    hanchan.refresh_from_db()
    assert points_of(hanchan) == [45_000, 8_000, -19_000, -34_000]
    assert (hanchan.given, hanchan.table, hanchan.round, hanchan.note) == ("points", 3, 2, "read anew")
    assert (hanchan.version, hanchan.incidents.get().note) == (2, "国士無双")


def test_correcting_the_table_keeps_the_points_as_given(client: Client) -> None:
    session = session_under("cinderella", client)
    hanchan = play(session, points=(55_000, 9_000, -20_000, -44_000))
    path, page = open_correction(client, hanchan)
    said = client.post(f"/en{path}", form_data(page, reason="none"), follow=True).content.decode()
    assert "No changes to save." in said
    client.post(path, form_data(page, table="2", reason="the other table"))
    hanchan.refresh_from_db()
    assert (hanchan.table, hanchan.given, hanchan.version) == (2, "points", 2)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param({"reason": ""}, id="no reason"),
        pytest.param({"points_0": "46"}, id="no sum"),
        pytest.param({"round": ""}, id="no round"),
        pytest.param({"played_at": "2999-01-01T00:00"}, id="not yet"),
        pytest.param({"seen_version": "x"}, id="no version"),
    ],
)
def test_invalid_correction_by_points_keeps_the_input(client: Client, session: Session, wrong: dict[str, str]) -> None:
    hanchan = play(session, points=POINTS)
    path, page = open_correction(client, hanchan)
    answer = client.post(path, form_data(page, **{"note": "as entered", "reason": "misread"} | wrong))
    assert answer.context["form"].errors
    assert "as entered" in answer.content.decode()
    hanchan.refresh_from_db()
    assert hanchan.version == 1


def test_concurrent_correction_by_points_shows_the_other_change(client: Client, session: Session) -> None:
    hanchan = play(session, points=POINTS)
    path, page = open_correction(client, hanchan)
    client.post(path, form_data(page, points_1="8", points_2="-19", reason="misread"))
    answer = client.post(f"/en{path}", form_data(page, table="4", reason="the other table"))
    shown = answer.content.decode()
    assert "ueno corrected this first" in shown
    assert "石田, points" in shown or "Ishida, points" in shown
    assert Hanchan.objects.get().table == 1
    again = form_data(page, table="4", reason="the other table", seen_version="2")
    assert f'name="seen_version" value="{again["seen_version"]}"' in shown
    client.post(path, again)
    hanchan.refresh_from_db()
    assert (hanchan.table, points_of(hanchan)) == (4, list(POINTS))


def test_correction_by_points_links_to_raw_scores(client: Client, session: Session) -> None:
    hanchan = play(session, points=POINTS)
    _path, page = open_correction(client, hanchan)
    raw = f"{url('correct', session.league, hanchan.pk)}?raw=1"
    assert raw in page.content.decode()
    assert 'name="raw_0"' in client.get(raw).content.decode()


def test_undone_points_can_be_entered_again(client: Client, session: Session) -> None:
    hanchan = play(session, points=POINTS, note="from the old book", table=2)
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason=UNDONE)
    receipt = client.get(url("receipt", session.league, hanchan.pk)).content.decode()
    way = f"{address(session)}?again={hanchan.pk}"
    assert way in receipt
    page = client.get(way)
    assert [page.context["form"][f"points_{seat}"].value() for seat in range(4)] == ["45", "9", "-20", "-34"]
    assert "from the old book" in page.content.decode()
    body = typed(session.league, *LINE, table="2") | {f"place_{seat}": str(seat + 1) for seat in range(4)}
    client.post(way, body)
    assert points_of(Hanchan.objects.exclude(pk=hanchan.pk).get()) == list(POINTS)
