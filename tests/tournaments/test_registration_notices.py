from collections.abc import Iterator
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import User
from django.utils import timezone

from accounts.models import Notice, NoticeKind
from league.services.history import SYSTEM, Actor
from tests.accounts.mail_server import MailServer
from tests.accounts.telling import EVENING, post, sweep, sweep_at, told, want_mails
from tests.league.factories import client_of, make_user
from tests.tournaments.factories import make_tournament
from tests.tournaments.registering import offered, opens_check_in, player_called, registered
from tournaments.models import Registration, RegistrationTerms, Tournament
from tournaments.services import registering
from tournaments.services.setup import enter_players, remove_entry

pytestmark = pytest.mark.django_db


@pytest.fixture
def server() -> Iterator[MailServer]:
    with post() as server:
        yield server


@pytest.fixture
def one_place() -> Iterator[Tournament]:
    with time_machine.travel(EVENING, tick=False):
        yield offered(places=1)


def as_user(tournament: Tournament, name: str, username: str) -> tuple[Registration, User]:
    user = make_user(username, league=tournament.league, role="player")
    player = player_called(tournament, name)
    player.user = user
    player.save()
    want_mails(user, language="en")
    return registering.register_player(tournament=tournament, player=player, by=Actor(user, "web")), user


def subjects(server: MailServer) -> list[str]:
    return [str(mail["Subject"]).strip().partition(": ")[2] for mail in server.mails]


def test_promotion_is_announced_once_with_a_link(one_place: Tournament, server: MailServer) -> None:
    (aoki,) = registered(one_place, "青木")
    ishida, user = as_user(one_place, "石田", "ishida")
    sweep(EVENING)
    assert told(user) == [], "that one waits is seen at once"
    registering.withdraw_registration(registration=aoki, by=SYSTEM)
    sweep_at(1, 12, 30, 80)
    assert subjects(server) == ["Spring tournament: you have a spot."]
    path = Notice.objects.get(user=user).path
    assert f"https://tenbo.example/en{path}" in server.mails[0].get_content()
    assert "You have a spot" in client_of(user).get(f"/en{path}", follow=True).content.decode()
    assert ishida.pk


def test_acceptance_and_refusal_are_announced_with_the_reason(one_place: Tournament, server: MailServer) -> None:
    RegistrationTerms.objects.update(needs_approval=True)
    people = [as_user(one_place, name, username) for name, username in (("青木", "aoki"), ("石田", "ishida"))]
    refused, reader = as_user(one_place, "上野", "ueno")
    sweep(EVENING)
    assert not Notice.objects.exists()
    for registration, _user in people:
        registering.accept_registration(registration=registration, by=SYSTEM)
    registering.refuse_registration(registration=refused, reason="募集はクラブの人だけです", by=SYSTEM)
    sweep_at(1, 12)
    assert sorted(subjects(server)) == [
        "Spring tournament: you have a spot.",
        "Spring tournament: your registration was accepted. You are number 1 on the waiting list.",
        "Spring tournament: your registration was refused.",
    ]
    assert all("募集は" not in mail.get_content() for mail in server.mails)
    client = client_of(reader)
    assert "募集はクラブの人だけです" in client.get(Notice.objects.get(user=reader).path, follow=True).content.decode()


def test_spot_lost_at_check_in_is_announced_to_both_players(one_place: Tournament, server: MailServer) -> None:
    late, user = as_user(one_place, "青木", "aoki")
    there, other = as_user(one_place, "石田", "ishida")
    sweep(EVENING)
    opens_check_in(one_place, closes_in=timedelta(0))
    Registration.objects.filter(pk=there.pk).update(checked_in_at=timezone.now())
    registering.drop_no_shows(tournament=one_place, seen=[late.pk], reason="来なかった", by=SYSTEM)
    sweep_at(1, 12)
    assert sorted(subjects(server)) == [
        "Spring tournament: you did not check in, so your spot went to someone else.",
        "Spring tournament: you have a spot.",
    ]
    assert {user.username, other.username} == set(Notice.objects.values_list("user__username", flat=True))


def test_spot_given_up_before_the_mail_is_not_announced(one_place: Tournament) -> None:
    (aoki,) = registered(one_place, "青木")
    ishida, user = as_user(one_place, "石田", "ishida")
    registering.withdraw_registration(registration=aoki, by=SYSTEM)
    sweep(EVENING)
    assert told(user) == [("place", True)]
    registering.withdraw_registration(registration=Registration.objects.get(pk=ishida.pk), by=Actor(user, "web"))
    sweep_at(1, 20)
    assert told(user) == []


def test_no_notice_without_account_or_subscription(one_place: Tournament) -> None:
    first, _guest = registered(one_place, "青木", "石田")
    _third, user = as_user(one_place, "上野", "ueno")
    want_mails(user, NoticeKind.PLACE)
    RegistrationTerms.objects.update(places=3)
    registering.withdraw_registration(registration=first, by=SYSTEM)
    sweep(EVENING)
    assert not Notice.objects.exists()


def taken_off(tournament: Tournament, registration: Registration, by: Actor = SYSTEM) -> None:
    remove_entry(entry=tournament.entries.get(player=registration.player), by=by)


def test_every_removal_is_announced(one_place: Tournament, server: MailServer) -> None:
    aoki, _user = as_user(one_place, "青木", "aoki")
    sweep(EVENING)
    taken_off(one_place, aoki)
    sweep_at(1, 12, 30, 80)
    said = "Spring tournament: the organisers removed you from the list."
    assert subjects(server) == [said]
    enter_players(tournament=one_place, players=[aoki.player], by=SYSTEM)
    taken_off(one_place, aoki)
    sweep_at(90, 110, 200)
    assert subjects(server) == [said, said]


def test_removal_of_a_manual_entry_is_announced(server: MailServer) -> None:
    with time_machine.travel(EVENING, tick=False):
        tournament = make_tournament()
    entry = tournament.entries.order_by("pk")[0]
    entry.player.user = make_user("aoki", league=tournament.league, role="player")
    entry.player.save()
    want_mails(entry.player.user, language="en")
    sweep(EVENING)
    remove_entry(entry=entry, by=SYSTEM)
    sweep_at(1, 12)
    assert len(subjects(server)) == 1
    assert "removed you from the list" in subjects(server)[0]


def test_own_withdrawal_or_return_is_not_announced(one_place: Tournament) -> None:
    aoki, user = as_user(one_place, "青木", "aoki")
    sweep(EVENING)
    taken_off(one_place, aoki)
    sweep_at(1)
    assert told(user) == [("taken_off", True)]
    enter_players(tournament=one_place, players=[aoki.player], by=SYSTEM)
    sweep_at(2, 20)
    assert told(user) == []
    taken_off(one_place, aoki, Actor(user, "web"))
    sweep_at(21)
    assert told(user) == []
