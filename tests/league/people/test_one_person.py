import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from league.models import League, Player
from league.services.history import SYSTEM
from league.services.people import PeopleError, link_user, merge_players, separate_players
from tests.league.factories import make_league, make_players, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league() -> League:
    return make_league()


@pytest.fixture
def players(league: League) -> list[Player]:
    return make_players(league, 3)


def user_of(player: Player) -> User | None:
    return Player.objects.select_related("user").get(pk=player.pk).user


def test_the_database_refuses_a_second_player_of_one_person(players: list[Player]) -> None:
    user = make_user("tanaka")
    link_user(player=players[0], user=user, by=SYSTEM)
    with pytest.raises(IntegrityError), transaction.atomic():
        Player.objects.filter(pk=players[1].pk).update(user=user)


def test_one_person_plays_in_several_leagues(players: list[Player]) -> None:
    user = make_user("tanaka")
    for player in (players[0], *make_players(make_league("other"), 1)):
        link_user(player=player, user=user, by=SYSTEM)
    assert user.players.count() == 2


def test_duplicate_log_in_is_reported_with_its_player(client: Client, league: League, players: list[Player]) -> None:
    link_user(player=players[0], user=make_user("tanaka"), by=SYSTEM)
    client.force_login(make_user("ishida", league=league, role="organiser"))
    for name, args in (("player_edit", [players[1].pk]), ("player_new", [])):
        sent = {"name": "田中", "visibility": "public", "username": "tanaka"}
        page = client.post(reverse(f"league:{name}", args=[league.slug, *args]), sent)
        assert players[0].name in str(page.context["form"].errors["username"])
    assert league.players.count() == 3


def test_a_merge_takes_the_person_along_and_its_undoing_gives_them_back(players: list[Player]) -> None:
    user = make_user("tanaka")
    link_user(player=players[0], user=user, by=SYSTEM)
    merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    assert (user_of(players[0]), user_of(players[1])) == (None, user)
    separate_players(source=players[0], by=SYSTEM, reason="two people")
    assert (user_of(players[0]), user_of(players[1])) == (user, None)


def test_undoing_a_merge_keeps_earlier_links(players: list[Player]) -> None:
    user = make_user("tanaka")
    link_user(player=players[1], user=user, by=SYSTEM)
    merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    separate_players(source=players[0], by=SYSTEM, reason="two people")
    assert (user_of(players[0]), user_of(players[1])) == (None, user)


def test_two_people_are_not_merged_into_one(players: list[Player]) -> None:
    link_user(player=players[0], user=make_user("tanaka"), by=SYSTEM)
    link_user(player=players[1], user=make_user("suzuki"), by=SYSTEM)
    with pytest.raises(PeopleError) as refused:
        merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    assert refused.value.code == "two_people"
