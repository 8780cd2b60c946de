from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from league.models import Hanchan, HeldResult, Session, TableLink
from tests.league.entry_contexts import EVENING, JSON, at, link_of, typed, url
from tests.league.factories import logged_in, make_league, make_players, make_session, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


SLIP = ("347", "313", "255", "")
"""The usual result with one digit misread; the fourth score makes up for it."""

OTHERS = ("250", "402", "181", "")


@pytest.fixture
def link() -> Iterator[TableLink]:
    league = make_league()
    make_players(league, 5)
    with time_machine.travel(EVENING, tick=False):
        yield link_of(make_session(league, EVENING.date(), tables=2))


def sent(link: TableLink, *scores: str, begun: datetime = EVENING, **more: Any) -> dict[str, Any]:
    return typed(link.session.league, *scores, begun_at=begun.isoformat(), **more)


def later(minutes: int) -> Any:
    return time_machine.travel(EVENING + timedelta(minutes=minutes), tick=False)


def rounds() -> list[int]:
    return [hanchan.round for hanchan in Hanchan.objects.order_by("pk")]


def test_draft_of_a_round_saved_meanwhile_asks_first(link: TableLink) -> None:

    Client().post(at(link), sent(link, for_round="1"), headers=JSON)
    draft = sent(link, *OTHERS, for_round="1")
    with later(40):
        answer = Client().post(at(link), draft, headers=JSON)
        assert (answer.status_code, answer.json()["state"]) == (409, "same")
        assert answer.json()["receipt"] == at(link, "table_receipt", Hanchan.objects.get().pk)
        assert "1回戦" in answer.json()["message"]
        page = Client().post(at(link), draft).content.decode()
    saved = Hanchan.objects.get()
    assert "この卓の1回戦は、別の端末から登録されています" in page
    assert '<span id="round" data-round="2">1回戦</span>' in " ".join(page.split())
    assert at(link, "table_receipt", saved.pk) in page
    for shown in ("31,700", "25,000", 'value="250"', 'name="for_round" value="1"'):
        assert shown in page


def test_draft_keeps_its_round_if_it_is_free(link: TableLink) -> None:
    Client().post(at(link), sent(link, *OTHERS, for_round="2"), headers=JSON)
    Client().post(at(link), sent(link, for_round="1"), headers=JSON)
    assert rounds() == [2, 1]


def test_outdated_round_number_is_no_conflict(link: TableLink) -> None:

    for hour, scores in enumerate((("317", "313", "255", ""), OTHERS)):
        with later(60 * hour):
            Client().post(at(link), sent(link, *scores, for_round=str(hour + 1)), headers=JSON)
    with later(120):
        begun = EVENING + timedelta(minutes=119)
        answer = Client().post(at(link), sent(link, "300", "200", "400", "", begun=begun, for_round="1"), headers=JSON)
    assert (answer.status_code, rounds()) == (200, [1, 2, 3])


@pytest.mark.parametrize("number", ["0", "-1", "99999999999999999999", "x", "１", ""])
def test_invalid_round_number_is_ignored(link: TableLink, number: str) -> None:
    answer = Client().post(at(link), sent(link, for_round=number) | {"begun_at": number}, headers=JSON)
    assert (answer.status_code, rounds()) == (200, [1])


@pytest.mark.parametrize("way", ["page", "link"])
@pytest.mark.parametrize(
    ("scores", "said"), [(SLIP, "ほぼ同じ結果が登録されています"), ((), "同じ結果が登録されています")]
)
def test_similar_result_asks_before_saving(link: TableLink, way: str, scores: tuple[str, ...], said: str) -> None:
    league = link.session.league
    client, address = Client(), at(link)
    if way == "page":
        client, address = logged_in(league, "scorer"), url("enter_session", league, link.session.pk)
    with later(-10):
        client.post(address, sent(link))
    draft = sent(link, *scores)
    page = client.post(address, draft).content.decode()
    assert said in page
    correction = url("correct", league, Hanchan.objects.get().pk)
    assert (f"{correction}?" in page) is (way == "page" and bool(scores))
    if f"{correction}?" in page:
        typed_again = client.get(correction, {"raw_0": "347", "raw_1": "313", "raw_2": "255", "raw_3": "85"})
        assert [typed_again.context["form"][f"raw_{seat}"].value() for seat in (0, 3)] == ["347", "85"]
    assert rounds() == [1]
    client.post(address, draft | {"do": "another"})
    assert rounds() == [1, 2]


def test_similar_result_at_another_table_asks_too(link: TableLink) -> None:
    play(link.session, table=2, played_at=EVENING - timedelta(minutes=5))
    answer = Client().post(at(link), sent(link, *SLIP), headers=JSON)
    assert answer.status_code == 409


def test_consecutive_hanchan_are_saved_without_a_question(link: TableLink) -> None:
    Client().post(at(link), sent(link))
    with later(3):
        answer = Client().post(at(link), sent(link, *OTHERS), headers=JSON)
    with later(30):
        again = Client().post(at(link), sent(link, *SLIP, begun=EVENING + timedelta(minutes=29)), headers=JSON)
    assert (answer.status_code, again.status_code, rounds()) == (200, 200, [1, 2, 3])


def test_late_similar_result_is_held_until_answered(link: TableLink) -> None:
    Client().post(at(link), sent(link))
    kept = sent(link, *SLIP, for_round="1", unsent="1", entered_at=(EVENING + timedelta(minutes=1)).isoformat())
    with later(180):
        answer = Client().post(at(link), kept, headers=JSON)
    assert (answer.status_code, answer.json()["state"]) == (409, "same")
    held = HeldResult.objects.get()
    assert (held.reason, held.typed["raw_0"]) == (HeldResult.Reason.SAME, ["347"])
    assert rounds() == [1]
    with later(181):
        Client().post(at(link), kept | {"do": "another"}, headers=JSON)
    held.refresh_from_db()
    assert (rounds(), held.hanchan) == ([1, 2], Hanchan.objects.get(round=2))


def test_completing_a_held_similar_result_asks_again(link: TableLink) -> None:
    Client().post(at(link), sent(link))
    kept = sent(link, *SLIP, for_round="1", unsent="1", entered_at=EVENING.isoformat())
    Client().post(at(link), kept, headers=JSON)
    client, entry = logged_in(link.session.league, "scorer"), url("enter_session", link.session.league, link.session.pk)
    page = client.get(entry, {"held": HeldResult.objects.get().pk}).content.decode()
    assert 'name="for_round" value="1"' in page
    answer = client.post(entry, kept | {"unsent": "", "table": "1"})
    assert answer.status_code == 200
    assert rounds() == [1]


def state(client: Client, session: Session, **query: str) -> Any:
    return client.get(url("enter_state", session.league, session.pk), query).json()["typing"]


def test_live_typing_is_shown_only_for_its_table_and_round(link: TableLink) -> None:
    client, session = logged_in(link.session.league, "scorer"), link.session
    page = client.get(url("enter_session", session.league, session.pk), {"table": "2", "raw_0": "317"})
    # The scorer's form names its table only in the preview URL.
    client.post(page.context["preview_url"], typed(session.league, device="a" * 16, for_round="1"))
    assert state(client, session, table="1", device="b" * 16) is None
    assert state(client, session, table="2", round="2", device="b" * 16) is None
    assert state(client, session, table="2", device="b" * 16)["scores"][:3] == ["317", "313", "255"]


def test_reopened_page_does_not_show_its_own_draft_as_live_typing(link: TableLink) -> None:
    client, session = logged_in(link.session.league, "scorer"), link.session
    sent = typed(session.league, device="a" * 16, for_round="1")
    client.post(url("enter_preview", session.league, session.pk), sent)
    page = client.get(url("enter_session", session.league, session.pk)).content.decode()
    assert 'value="317"' not in page
    assert '<p role="status"></p>' in page
