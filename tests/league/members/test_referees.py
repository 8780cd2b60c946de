import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from league.models import Confirmation, Hanchan, League, Revision
from league.permissions import JUDGE, MANAGE, RECORD
from tests.journeys.pages import Visitor
from tests.league.factories import make_league, make_session, make_user, play

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    return make_league("friday", confirmed_by=League.ConfirmedBy.ONE)


@pytest.fixture
def hanchan(league: League) -> Hanchan:
    return play(make_session(league))


@pytest.fixture
def referee(league: League) -> User:
    return make_user("ueno", league=league, role="referee")


def test_referees_judge_and_scorers_record(league: League, referee: User) -> None:
    scorer = make_user("ishida", league=league, role="scorer")
    assert [referee.has_perm(each, league) for each in (JUDGE, RECORD, MANAGE)] == [True, False, False]
    assert [scorer.has_perm(each, league) for each in (JUDGE, RECORD, MANAGE)] == [False, True, False]


def test_referee_confirms_a_result_from_the_league_home_page(
    client: Client, league: League, hanchan: Hanchan, referee: User
) -> None:
    client.force_login(referee)
    page = Visitor(client).opens("/").follows(to=r"^/l/friday/$")
    page.reads("審判の確認を待つ成績")
    page.follows(to=rf"/g/{hanchan.pk}/").submits("リーグとして確認する")
    hanchan.refresh_from_db()
    assert hanchan.state == Hanchan.State.CONFIRMED
    said = Confirmation.objects.get(hanchan=hanchan, by=referee)
    assert (said.by_name, said.player) == ("ueno", None)
    assert Revision.objects.filter(league=league, by=referee, by_name="ueno").exists()


def test_referee_disputes_and_settles_a_result(client: Client, hanchan: Hanchan, referee: User) -> None:
    client.force_login(referee)
    address = reverse("league:confirm", args=["friday", hanchan.pk])
    tap = {"version": hanchan.version, "say": "disputes-organiser", "note": "seats"}
    client.post(address, tap)
    hanchan.refresh_from_db()
    assert hanchan.state == Hanchan.State.DISPUTED
    client.post(address, tap | {"version": hanchan.version, "say": "agrees-organiser", "note": "seen the sheet"})
    hanchan.refresh_from_db()
    assert hanchan.state == Hanchan.State.CONFIRMED


def test_referee_cannot_confirm_for_a_player_or_correct_a_result(
    client: Client, hanchan: Hanchan, referee: User
) -> None:
    client.force_login(referee)
    player = hanchan.seats.get(seat=0).player
    client.post(
        reverse("league:confirm", args=["friday", hanchan.pk]),
        {"version": hanchan.version, "say": f"agrees-{player.pk}", "note": ""},
    )
    assert not Confirmation.objects.filter(hanchan=hanchan, by=referee).exists()
    assert client.get(reverse("league:correct", args=["friday", hanchan.pk])).status_code == 403
    page = client.get(reverse("league:hanchan", args=["friday", hanchan.pk])).content.decode()
    assert reverse("league:correct", args=["friday", hanchan.pk]) not in page
