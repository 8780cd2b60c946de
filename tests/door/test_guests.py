import pytest
from django.test import Client

from league.models import Revision, Session
from tests.league.entry_contexts import JSON, at, link_of, typed, url
from tests.league.factories import make_league, make_players, make_session, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

FULL = "この卓のリンクから新しく入力できるゲストは8人までです"


@pytest.fixture
def session() -> Session:
    session = make_session(make_league())
    make_players(session.league)
    return session


def typed_with_guests(session: Session, *guests: str, **more: str) -> dict[str, str]:
    sent = typed(session.league, **more)
    for seat, guest in enumerate(guests):
        sent |= {f"player_{seat}": "guest", f"guest_{seat}": guest}
    return sent


def test_table_link_allows_eight_new_guests(session: Session) -> None:
    link, phone = link_of(session), Client()
    for evening in range(2):
        guests = [f"客{evening}{seat}" for seat in range(4)]
        scores = ("317", "313", "255", "") if evening else ("417", "213", "255", "")
        sent = typed_with_guests(session, *guests) | dict(zip(("raw_0", "raw_1", "raw_2"), scores, strict=False))
        assert phone.post(at(link), sent).status_code == 302
    assert session.league.players.count() == 12
    sent = typed_with_guests(session, "客9", raw_0="517", raw_1="113")
    page = phone.post(at(link), sent)
    assert FULL in page.content.decode()
    assert "客9" in page.content.decode()
    kept = phone.post(at(link), sent | {"unsent": "1"}, headers=JSON)
    assert kept.status_code == 422
    assert FULL in kept.json()["message"]
    assert session.league.players.count() == 12
    # Listed players are entered as before.
    assert phone.post(at(link), typed_with_guests(session, raw_0="517", raw_1="113")).status_code == 302


def test_organiser_allows_more_guests_for_a_table_link(session: Session) -> None:
    link, phone, organiser = link_of(session), Client(), Client()
    organiser.force_login(make_user("ishida", league=session.league, role="organiser"))
    address = url("table_links", session.league, session.pk)
    assert "guests-1" not in organiser.get(address).content.decode()
    for evening in range(2):
        scores = {"raw_0": ("317", "417")[evening], "raw_1": ("313", "213")[evening]}
        phone.post(at(link), typed_with_guests(session, *(f"客{evening}{seat}" for seat in range(4)), **scores))
    assert "guests-1" in organiser.get(address).content.decode()
    assert "16人" in organiser.post(address, {"do": "guests-1"}, follow=True).content.decode()
    assert Revision.objects.filter(subject="tablelink", action="changed").exists()
    assert phone.post(at(link), typed_with_guests(session, "客9", raw_0="517", raw_1="113")).status_code == 302
    assert session.league.players.count() == 13


def test_guests_of_a_result_sent_twice_count_once(session: Session) -> None:
    link, phone = link_of(session), Client()
    sent = typed_with_guests(session, "客1")
    for _ in range(3):
        phone.post(at(link), sent)
    link.refresh_from_db()
    assert link.guests == 1
