import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client

from league.models import League, Player
from league.services.history import SYSTEM
from league.services.people import PeopleError, link_user, merge_players, separate_players
from tests.league.entry_contexts import url
from tests.league.factories import make_league, make_players, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def players(league: League) -> list[Player]:
    return make_players(league, 3)


def user_of(player: Player) -> User | None:
    return Player.objects.select_related("user").get(pk=player.pk).user


def test_user_has_at_most_one_player_in_a_league(players: list[Player]) -> None:
    user = make_user("tanaka")
    link_user(player=players[0], user=user, by=SYSTEM)
    with pytest.raises(IntegrityError), transaction.atomic():
        Player.objects.filter(pk=players[1].pk).update(user=user)


def test_user_may_have_players_in_several_leagues(players: list[Player]) -> None:
    user = make_user("tanaka")
    for player in (players[0], *make_players(make_league("other"), 1)):
        link_user(player=player, user=user, by=SYSTEM)
    assert user.players.count() == 2


def test_taken_user_is_reported_with_their_player(client: Client, league: League, players: list[Player]) -> None:
    link_user(player=players[0], user=make_user("tanaka"), by=SYSTEM)
    client.force_login(make_user("ishida", league=league, role="organiser"))
    for name, args in (("player_edit", [players[1].pk]), ("player_new", [])):
        sent = {"name": "田中", "visibility": "public", "username": "tanaka"}
        page = client.post(url(name, league, *args), sent)
        assert players[0].name in str(page.context["form"].errors["username"])
    assert league.players.count() == 3


@pytest.mark.parametrize("linked", [0, 1], ids=["source", "target"])
def test_merge_moves_the_user_and_separating_moves_them_back(players: list[Player], linked: int) -> None:
    user = make_user("tanaka")
    link_user(player=players[linked], user=user, by=SYSTEM)
    merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    assert [user_of(player) for player in players[:2]] == [None, user]
    separate_players(source=players[0], by=SYSTEM, reason="two people")
    assert [user_of(player) for player in players[:2]] == [[user, None], [None, user]][linked]


def test_players_of_two_users_cannot_be_merged(players: list[Player]) -> None:
    link_user(player=players[0], user=make_user("tanaka"), by=SYSTEM)
    link_user(player=players[1], user=make_user("suzuki"), by=SYSTEM)
    with pytest.raises(PeopleError) as refused:
        merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    assert refused.value.code == "two_people"
