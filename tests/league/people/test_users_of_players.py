import pytest
from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from league.models import League, Player, Revision
from league.services.history import SYSTEM
from league.services.people import PeopleError, link_user, merge_players, separate_players
from tests.league.entry_contexts import url
from tests.league.factories import log_in, make_league, make_players, make_session, make_user, play

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


@pytest.fixture
def league_of_four() -> League:
    """Four players with a hanchan, the first with an account."""
    league = make_league()
    aoki = make_players(league)[0]
    play(make_session(league))
    link_user(player=aoki, user=make_user("a-san", league=league, role="player"), by=SYSTEM)
    return league


def name_page(player: Player) -> str:
    return reverse("league:player_name", args=[player.league.slug, player.pk])


def test_player_hides_and_shows_their_own_name(league_of_four: League) -> None:
    aoki = league_of_four.players.get(key="p1")
    phone, page = log_in("a-san"), reverse("stats:player", args=[league_of_four.slug, aoki.pk])
    assert name_page(aoki) in phone.get(page).content.decode()
    assert 'value="public"' in phone.get(name_page(aoki)).content.decode()
    assert phone.post(name_page(aoki), {"visibility": "nobody"})["Location"] == page
    assert "青木" in phone.get(page).content.decode()
    visitor = Client().get(page).content.decode()
    assert "青木" not in visitor
    assert f"選手{aoki.pk:03d}" in visitor
    phone.post(name_page(aoki), {"visibility": "public"})
    assert "青木" in Client().get(page).content.decode()
    told = Revision.objects.filter(subject="player", subject_id=aoki.pk, by_name="a-san").order_by("pk")
    assert [(each.before, each.after) for each in told] == [
        ({"visibility": "public"}, {"visibility": "nobody"}),
        ({"visibility": "nobody"}, {"visibility": "public"}),
    ]


def test_unchanged_visibility_writes_no_history(league_of_four: League) -> None:
    aoki = league_of_four.players.get(key="p1")
    before = Revision.objects.count()
    log_in("a-san").post(name_page(aoki), {"visibility": "public"})
    assert Revision.objects.count() == before


@pytest.mark.parametrize("typed", ["", "visitor", "選手", "nobody\x00"])
def test_invalid_visibility_is_refused(league_of_four: League, typed: str) -> None:
    aoki = league_of_four.players.get(key="p1")
    answer = log_in("a-san").post(name_page(aoki), {"visibility": typed})
    assert answer.status_code == 200
    assert answer.context["form"].errors["visibility"]
    with pytest.raises(IntegrityError), transaction.atomic():
        Player.objects.filter(pk=aoki.pk).update(visibility="x")


def test_players_cannot_change_each_others_visibility(league_of_four: League) -> None:
    aoki, ishida = league_of_four.players.get(key="p1"), league_of_four.players.get(key="p2")
    make_user("scorer", league=league_of_four, role="scorer")
    Player.objects.filter(pk=ishida.pk).update(visibility="nobody")
    hidden = log_in("a-san")
    assert hidden.get(name_page(ishida)).status_code == 403
    assert hidden.post(name_page(ishida), {"visibility": "public"}).status_code == 403
    assert log_in("scorer").post(name_page(aoki), {"visibility": "nobody"}).status_code == 403
    assert "/login/" in Client().post(name_page(aoki), {"visibility": "nobody"})["Location"]
    assert hidden.get(name_page(aoki).replace(f"/{aoki.pk}/", "/999999/")).status_code == 404
    assert [league_of_four.players.get(pk=each.pk).visibility for each in (aoki, ishida)] == ["public", "nobody"]


def test_organiser_changes_the_visibility_of_players(league_of_four: League) -> None:
    make_user("organiser", league=league_of_four, role="organiser")
    ishida = league_of_four.players.get(key="p2")
    log_in("organiser").post(name_page(ishida), {"visibility": "nobody"})
    assert league_of_four.players.get(key="p2").visibility == "nobody"
