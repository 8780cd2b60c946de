"""A second result of the same hanchan prompts a question however it is entered, and drafts keep their round."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from league.models import Hanchan, HeldResult, Session, TableLink
from tests.league.entry_contexts import JSON, at, link_of, typed
from tests.league.factories import make_league, make_players, make_session, make_user, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

EVENING = datetime(2025, 11, 21, 11, 30, tzinfo=UTC)
"""21 November 2025, 20:30 in Tokyo."""

SLIP = ("347", "313", "255", "")
"""The usual result with one digit misread; the fourth score makes up for it."""

OTHERS = ("250", "402", "181", "")


@pytest.fixture
def link() -> Iterator[TableLink]:
    league = make_league()
    make_players(league, 5)
    with time_machine.travel(EVENING, tick=False):
        yield link_of(make_session(league, EVENING.date(), tables=2))


def page_of_scorer(session: Session, name: str = "enter_session") -> str:
    return reverse(f"league:{name}", args=[session.league.slug, session.pk])


def scorer(session: Session) -> Client:
    client = Client()
    client.force_login(make_user("ueno", league=session.league, role="scorer"))
    return client


def sent(link: TableLink, *scores: str, begun: datetime = EVENING, **more: Any) -> dict[str, Any]:
    return typed(link.session.league, *scores, begun_at=begun.isoformat(), **more)


def later(minutes: int) -> Any:
    return time_machine.travel(EVENING + timedelta(minutes=minutes), tick=False)


def rounds() -> list[int]:
    return [hanchan.round for hanchan in Hanchan.objects.order_by("pk")]


def test_a_draft_for_a_round_that_was_saved_meanwhile_is_asked_about(link: TableLink) -> None:
    """Two phones type round 1; the second is picked up again after 40 minutes, with other scores for two players."""
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


def test_the_saved_one_can_be_corrected_by_what_was_typed(link: TableLink) -> None:
    client = scorer(link.session)
    address = page_of_scorer(link.session)
    client.post(address, sent(link, for_round="1"))
    client.post(address, sent(link, *SLIP, for_round="1"))
    saved = Hanchan.objects.get()
    correction = reverse("league:correct", args=[link.session.league.slug, saved.pk])
    page = client.get(correction, {"raw_0": "347", "raw_1": "313", "raw_2": "255", "raw_3": "85"}).content.decode()
    assert 'value="347"' in page
    assert 'value="85"' in page


def test_a_draft_whose_round_is_free_keeps_it(link: TableLink) -> None:
    Client().post(at(link), sent(link, *OTHERS, for_round="2"), headers=JSON)
    Client().post(at(link), sent(link, for_round="1"), headers=JSON)
    assert rounds() == [2, 1]


def test_old_round_number_is_no_conflict(link: TableLink) -> None:
    """A page from the phone's cache says round 1, although the table has moved on."""
    for hour, scores in enumerate((("317", "313", "255", ""), OTHERS)):
        with later(60 * hour):
            Client().post(at(link), sent(link, *scores, for_round=str(hour + 1)), headers=JSON)
    with later(120):
        begun = EVENING + timedelta(minutes=119)
        answer = Client().post(at(link), sent(link, "300", "200", "400", "", begun=begun, for_round="1"), headers=JSON)
    assert (answer.status_code, rounds()) == (200, [1, 2, 3])


@pytest.mark.parametrize("number", ["0", "-1", "99999999999999999999", "x", "１", ""])
def test_a_round_that_makes_no_sense_is_none(link: TableLink, number: str) -> None:
    answer = Client().post(at(link), sent(link, for_round=number) | {"begun_at": number}, headers=JSON)
    assert (answer.status_code, rounds()) == (200, [1])


@pytest.mark.parametrize("way", ["page", "link"])
@pytest.mark.parametrize(
    ("scores", "said"), [(SLIP, "ほぼ同じ結果が登録されています"), ((), "同じ結果が登録されています")]
)
def test_a_result_that_is_alike_is_asked_about(link: TableLink, way: str, scores: tuple[str, ...], said: str) -> None:
    client, address = Client(), at(link)
    if way == "page":
        client, address = scorer(link.session), page_of_scorer(link.session)
    with later(-10):
        client.post(address, sent(link))
    draft = sent(link, *scores)
    page = client.post(address, draft).content.decode()
    assert said in page
    correction = reverse("league:correct", args=[link.session.league.slug, Hanchan.objects.get().pk])
    assert (f"{correction}?" in page) is (way == "page" and bool(scores))
    assert rounds() == [1]
    client.post(address, draft | {"do": "another"})
    assert rounds() == [1, 2]


def test_the_table_does_not_matter_four_people_sit_at_one(link: TableLink) -> None:
    play(link.session, table=2, played_at=EVENING - timedelta(minutes=5))
    answer = Client().post(at(link), sent(link, *SLIP), headers=JSON)
    assert answer.status_code == 409


def test_hanchan_one_after_the_other_are_ordinary(link: TableLink) -> None:
    Client().post(at(link), sent(link))
    with later(3):
        answer = Client().post(at(link), sent(link, *OTHERS), headers=JSON)
    with later(30):
        again = Client().post(at(link), sent(link, *SLIP, begun=EVENING + timedelta(minutes=29)), headers=JSON)
    assert (answer.status_code, again.status_code, rounds()) == (200, 200, [1, 2, 3])


def test_a_phone_that_delivers_late_is_asked_too_and_the_result_is_held(link: TableLink) -> None:
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


def test_a_held_draft_is_still_asked_about_when_it_is_completed(link: TableLink) -> None:
    Client().post(at(link), sent(link))
    kept = sent(link, *SLIP, for_round="1", unsent="1", entered_at=EVENING.isoformat())
    Client().post(at(link), kept, headers=JSON)
    client = scorer(link.session)
    page = client.get(page_of_scorer(link.session), {"held": HeldResult.objects.get().pk}).content.decode()
    assert 'name="for_round" value="1"' in page
    answer = client.post(page_of_scorer(link.session), kept | {"unsent": "", "table": "1"})
    assert answer.status_code == 200
    assert rounds() == [1]


def state(client: Client, session: Session, **query: str) -> Any:
    return client.get(page_of_scorer(session, "enter_state"), query).json()["typing"]


def test_live_typing_is_not_shown_at_other_tables(link: TableLink) -> None:
    """The scorer's form names its table only in the preview URL."""
    client, session = scorer(link.session), link.session
    page = client.get(page_of_scorer(session), {"table": "2", "raw_0": "317"})
    values = typed(session.league, device="a" * 16)
    client.post(page.context["preview_url"], values)
    assert state(client, session, table="1", device="b" * 16) is None
    assert state(client, session, table="2", device="b" * 16)["scores"][:3] == ["317", "313", "255"]


def test_live_typing_is_not_shown_for_other_rounds(link: TableLink) -> None:
    client, session = scorer(link.session), link.session
    client.post(page_of_scorer(session, "enter_preview"), typed(session.league, device="a" * 16, for_round="1"))
    assert state(client, session, table="1", round="1", device="b" * 16)
    assert state(client, session, table="1", round="2", device="b" * 16) is None


def test_a_page_that_is_opened_again_does_not_call_its_own_draft_another_phones(link: TableLink) -> None:
    client, session = scorer(link.session), link.session
    client.post(page_of_scorer(session, "enter_preview"), typed(session.league, device="a" * 16, for_round="1"))
    page = client.get(page_of_scorer(session)).content.decode()
    assert 'value="317"' not in page
    assert '<p role="status"></p>' in page
