import json
import uuid
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from league.interchange.problems import InterchangeError
from league.models import PlannedSeat, Player, Session
from league.services.history import SYSTEM
from league.services.links import code_of
from tests.conftest import built_once
from tests.league.entry_contexts import JSON, link_of
from tests.league.factories import as_text, make_session, make_user
from tests.tournaments.factories import by_entry, play_table, play_to_the_final
from tests.tournaments.test_needs_pages import FINAL, play_up_to
from tests.tournaments.test_pages import plain, text
from tournaments.core.ticking import Situation
from tournaments.interchange.reading import read_file
from tournaments.interchange.storing import store_file
from tournaments.interchange.writing import write_file
from tournaments.models import StageSession, Tick
from tournaments.selectors.hall import live_tables

pytestmark = pytest.mark.django_db


@built_once()
def stored() -> int:
    final = play_to_the_final()
    play_up_to(final, 1)
    return final.pk


@pytest.fixture
def final(stored: int) -> StageSession:
    return StageSession.objects.select_related("session__league", "tournament__league").get(pk=stored)


@pytest.fixture
def address(final: StageSession) -> str:
    return reverse("tournaments:ticker_by_link", args=[code_of(link_of(final.session))])


def send(client: Client, address: str, *scores: str, **more: Any) -> dict[str, Any]:
    sent = {"client_key": str(uuid.uuid4()), **{f"raw_{seat}": score for seat, score in enumerate(scores)}, **more}
    answer: dict[str, Any] = client.post(address, sent, headers=JSON).json()
    return answer


def live(final: StageSession) -> Any:
    return live_tables([final.session_id]).get((final.session_id, 1))


def test_ticker_derives_the_next_hand_from_scores(client: Client, address: str, final: StageSession) -> None:
    assert "東1局" in text(client.get(address))
    assert live(final) is None
    # South wins 3,900 by ron from the dealer; the omitted score follows.
    assert client.post(address, {"raw_0": "211", "raw_1": "289", "raw_2": "250"}).status_code == 302
    assert live(final).situation == Situation((21100, 28900, 25000, 25000), "E2")
    # The dealer wins and remains dealer.
    assert send(client, address, "191", "349", "230", "")["state"] == "saved"
    assert (live(final).situation.hand, live(final).situation.honba) == ("E2", 1)
    # A riichi stick stays on the table after a draw in which only its owner is tenpai.
    client.post(address, {"do": "riichi-2"})
    assert live(final).situation == Situation((19100, 34900, 22000, 23000), "E2", 1, 1, (2,))
    assert send(client, address, "181", "339", "250", "")["state"] == "saved"
    now = live(final)
    assert now.situation == Situation((18100, 33900, 25000, 22000), "E3", 2, 1)
    assert now.history[0] == (25000,) * 4
    assert now.history[-2:] == ((19100, 34900, 23000, 23000), (18100, 33900, 25000, 22000))
    seats = PlannedSeat.objects.filter(session=final.session, table=1, round__in=(0, 4)).order_by("-round", "seat")
    assert now.players == tuple(seat.player_id for seat in seats[:4])


def test_hall_display_follows_the_ticker(client: Client, address: str, final: StageSession) -> None:
    wall = reverse("tournaments:projector_state", args=[final.tournament.league.slug, final.tournament.key])
    before = client.get(f"{wall}?view=tables")
    assert client.get(f"{wall}?view=tables", headers={"If-None-Match": before["ETag"]}).status_code == 304
    for scores in (("211", "289", "250", "250"), ("191", "349", "230", "230")):
        assert f"{int(scores[1]) * 100:,}" not in before.json()["html"]
        send(client, address, *scores)
        after = client.get(f"{wall}?view=tables", headers={"If-None-Match": before["ETag"]})
        assert after.status_code == 200
        assert all(f"{int(score) * 100:,}" in after.json()["html"] for score in scores)
        before = after


def test_tick_is_stored_once_and_another_hanchan_refused(client: Client, address: str, final: StageSession) -> None:
    key = str(uuid.uuid4())
    for _ in range(2):
        assert send(client, address, "211", "289", "250", client_key=key)["state"] == "saved"
    assert Tick.objects.count() == 1
    assert send(client, address, "211", "289", "250", client_key=key, round="5")["state"] == "refused"
    assert send(client, address, "211", "289", "250", round="99")["state"] == "refused"
    assert Tick.objects.count() == 1


def test_undo_may_arrive_before_its_tick(client: Client, address: str, final: StageSession) -> None:
    slip, key = str(uuid.uuid4()), str(uuid.uuid4())
    send(client, address, takes_back=slip)
    send(client, address, "211", "289", "250", "250", client_key=slip, number="2")
    send(client, address, "230", "270", "250", "250", client_key=key, number="1")
    assert live(final).situation.scores == (23000, 27000, 25000, 25000)
    for _ in range(2):
        send(client, address, takes_back=key)
    assert live(final) is None
    assert Tick.objects.count() == 5


def test_same_hand_from_two_phones_counts_once(client: Client, address: str, final: StageSession) -> None:
    send(client, address, "211", "289", "250", number="1")
    send(client, address, "210", "290", "250", number="1")
    assert live(final).history == ((25000,) * 4, (21000, 29000, 25000, 25000))


GARBAGE: tuple[dict[str, Any], ...] = (
    {},
    {"raw_0": "x", "raw_1": "1", "raw_2": "2"},
    {"raw_0": "999999999999999999999", "raw_1": "0", "raw_2": "0"},
    {"raw_0": "1", "raw_1": "1", "raw_2": "1", "raw_3": "1"},
    {"raw_0": "250", "raw_1": "250", "raw_2": "250", "hand": "Z9"},
    {"raw_0": "250", "raw_1": "250", "raw_2": "250", "honba": "-1"},
    {"raw_0": "250", "raw_1": "250", "raw_2": "250", "sticks": "1e9"},
    {"raw_0": "250", "raw_1": "250", "raw_2": "250", "riichi": ["0", "1", "x"]},
    {"raw_0": "250", "raw_1": "250", "raw_2": "250", "player_0": "1"},
    {"raw_0": "250", "raw_1": "250", "raw_2": "250", "number": "70000"},
    {"takes_back": "not a key"},
    {"do": "riichi-9"},
    {"raw_0": "\x00", "raw_1": "٣٠٠", "raw_2": "250"},
)


@pytest.mark.parametrize("sent", GARBAGE)
def test_invalid_tick_is_refused_in_one_sentence(client: Client, address: str, sent: dict[str, Any]) -> None:
    answer = client.post(address, sent, headers=JSON)
    assert (answer.status_code, answer.json()["state"]) == (422, "refused")
    assert answer.json()["message"]
    page = client.post(address, sent)
    assert page.status_code == 200
    assert 'id="ticker-problem"' in text(page)
    if sent.get("hand") is None and sent.get("raw_0", "").isdigit():
        assert f'value="{sent["raw_0"]}"' in text(page)
    looked = client.post(address, sent | {"do": "look"}, headers=JSON)
    assert (looked.status_code, looked.json()["html"]) == (200, "")
    assert not Tick.objects.exists()


@pytest.mark.long
def test_pages_explain_the_last_hand(client: Client, address: str, final: StageSession) -> None:
    last = {"hand": "S4", "honba": "1", "sticks": "1", "number": "9"}
    looked = client.post(address, last | {"raw_0": "250", "raw_1": "250", "raw_2": "240", "do": "look"}, headers=JSON)
    assert "ツモ" in looked.json()["html"]
    assert not Tick.objects.exists()
    assert "ツモ: " not in text(client.get(address))
    send(client, address, "250", "250", "240", "", **last)
    for page in (address, FINAL):
        html = plain(text(client.get(page)))
        assert "南4局" in html
        assert "ツモ: " in html
        assert "放銃" in html
        assert "リーチして" in html or "リーチすると" in html
    english = plain(text(client.get(f"/en{FINAL}")))
    assert "South 4" in english
    assert "Dealing in" in english


@pytest.mark.long
def test_hidden_name_is_not_shown_on_ticker_pages(client: Client, address: str, final: StageSession) -> None:
    send(client, address, "250", "250", "240", "", hand="S4", sticks="1")
    players = list(Player.objects.filter(pk__in=live(final).players))
    Player.objects.filter(pk=players[0].pk).update(visibility="nobody")
    for page in (address, FINAL):
        assert players[0].name not in text(client.get(page))
        assert players[1].name in text(client.get(page))


def test_ticker_scores_are_handed_to_the_entry_page(client: Client, address: str, final: StageSession) -> None:
    send(client, address, "211", "289", "250", "250")
    entry = reverse("league:table", args=[code_of(link_of(final.session))])
    assert address in text(client.get(entry))
    html = text(client.get(address))
    handed = {
        name: html.split("data-handover")[1].split(f'name="{name}" value="')[1].split('"')[0]
        for name in ("client_key", "player_0", "player_1", "player_2", "player_3", "raw_0", "raw_1", "raw_2", "raw_3")
    }
    assert 'value="21100"' in text(client.post(entry, handed | {"sticks_left": "0", "do": "sticks-0"}))
    assert final.session.hanchan.filter(round=4).count() == 0
    play_table(final, 1, 4, by_entry(final.tournament))
    assert live(final) is None
    assert Tick.objects.count() == 1


def test_ticker_is_open_to_scorers_of_the_session_only(client: Client, final: StageSession) -> None:
    league = final.session.league
    page = reverse("tournaments:ticker", args=[league.slug, final.session_id])
    assert client.get(page).status_code == 302
    client.force_login(make_user("ueno", league=league, role="scorer"))
    assert client.get(f"{page}?table=1").status_code == 200
    for other in (reverse("tournaments:ticker", args=[league.slug, make_session(league).pk]), f"{page}?table=7"):
        assert client.post(other, {"raw_0": "1"}, headers=JSON).status_code == 422
        assert "data-ticker" not in text(client.get(other))


def test_ticker_sends_all_ticks_as_json(client: Client, address: str, final: StageSession) -> None:
    send(client, address, "211", "289", "250", "250")
    send(client, address, takes_back=str(Tick.objects.get().client_key))
    told = json.loads(client.get(address, headers=JSON).content)
    assert told["round"] == 4
    assert [set(each) for each in told["ticks"]] == [
        {"key", "number", "scores", "hand", "honba", "sticks", "riichi"},
        {"key", "number", "takes_back"},
    ]


def test_closed_session_refuses_ticks(client: Client, address: str, final: StageSession) -> None:
    Session.objects.filter(pk=final.session_id).update(state=Session.State.CLOSED)
    assert send(client, address, "211", "289", "250")["state"] == "refused"
    assert client.get(address).status_code == 200
    assert not Tick.objects.exists()


def test_ticks_survive_export_and_import(client: Client, address: str, final: StageSession) -> None:
    client.post(address, {"do": "riichi-1"})
    send(client, address, "211", "289", "250", "250")
    send(client, address, takes_back=str(Tick.objects.latest("pk").client_key))
    league = final.session.league
    document = json.loads(as_text(write_file(league)))
    copy = store_file(read_file(json.dumps(document).encode()), by=SYSTEM, slug="copied")
    before, after = (
        [(tick.number, tick.scores, tick.hand, tick.riichi, tick.at, tick.takes_back is None) for tick in rows]
        for rows in (Tick.objects.filter(league=each).order_by("pk") for each in (league, copy))
    )
    assert before == after
    assert len(before) == 3
    session = copy.sessions.get(key=final.session.key)
    assert live_tables([session.pk])[session.pk, 1].situation.riichi == (1,)
    for wrong in ({"hand": ""}, {"takes_back": 1}, {"seats": ["nobody"] * 4}, {"riichi": [4]}):
        told = json.loads(json.dumps(document))
        next(part for part in told["tournaments"][0]["sessions"] if "ticks" in part)["ticks"][0].update(wrong)
        with pytest.raises(InterchangeError):
            read_file(json.dumps(told).encode())


def test_inbox_links_to_the_ticker(client: Client, final: StageSession) -> None:
    client.force_login(make_user("director", league=final.session.league, role="organiser"))
    inbox = text(client.get(reverse("tournaments:inbox", args=[final.session.league.slug, final.tournament.key])))
    by_session = reverse("tournaments:ticker", args=[final.session.league.slug, final.session_id])
    assert f'href="{by_session}?table=1"' in inbox
    assert "1局ごとに速報 1卓" in plain(inbox)
    assert "東1局" in text(client.get(f"{by_session}?table=1"))
