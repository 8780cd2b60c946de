import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from league.models import League, Player, Revision
from league.services.history import SYSTEM
from league.services.people import link_user
from tests.league.factories import log_in, make_league, make_players, make_session, make_user, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league() -> League:
    """Four players with a hanchan, the first with an account."""
    league = make_league()
    aoki = make_players(league)[0]
    play(make_session(league))
    link_user(player=aoki, user=make_user("a-san", league=league, role="player"), by=SYSTEM)
    return league


def name_page(player: Player) -> str:
    return reverse("league:player_name", args=[player.league.slug, player.pk])


def test_player_hides_and_shows_their_own_name(league: League) -> None:
    aoki = league.players.get(key="p1")
    phone, page = log_in("a-san"), reverse("stats:player", args=[league.slug, aoki.pk])
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


def test_unchanged_visibility_writes_no_history(league: League) -> None:
    aoki = league.players.get(key="p1")
    before = Revision.objects.count()
    log_in("a-san").post(name_page(aoki), {"visibility": "public"})
    assert Revision.objects.count() == before


@pytest.mark.parametrize("typed", ["", "visitor", "選手", "nobody\x00"])
def test_invalid_visibility_is_refused(league: League, typed: str) -> None:
    aoki = league.players.get(key="p1")
    answer = log_in("a-san").post(name_page(aoki), {"visibility": typed})
    assert answer.status_code == 200
    assert answer.context["form"].errors["visibility"]
    with pytest.raises(IntegrityError), transaction.atomic():
        Player.objects.filter(pk=aoki.pk).update(visibility="x")


def test_players_cannot_change_each_others_visibility(league: League) -> None:
    aoki, ishida = league.players.get(key="p1"), league.players.get(key="p2")
    make_user("scorer", league=league, role="scorer")
    Player.objects.filter(pk=ishida.pk).update(visibility="nobody")
    hidden = log_in("a-san")
    assert hidden.get(name_page(ishida)).status_code == 403
    assert hidden.post(name_page(ishida), {"visibility": "public"}).status_code == 403
    assert log_in("scorer").post(name_page(aoki), {"visibility": "nobody"}).status_code == 403
    assert "/login/" in Client().post(name_page(aoki), {"visibility": "nobody"})["Location"]
    assert hidden.get(name_page(aoki).replace(f"/{aoki.pk}/", "/999999/")).status_code == 404
    assert [league.players.get(pk=each.pk).visibility for each in (aoki, ishida)] == ["public", "nobody"]


def test_organiser_changes_the_visibility_of_players(league: League) -> None:
    make_user("organiser", league=league, role="organiser")
    ishida = league.players.get(key="p2")
    log_in("organiser").post(name_page(ishida), {"visibility": "nobody"})
    assert league.players.get(key="p2").visibility == "nobody"
