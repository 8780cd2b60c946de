import pytest
from django.test import Client
from django.urls import reverse

from league.core.readings import alike, folded
from league.models import League
from tests.league.factories import make_league, make_players, make_user


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("高田", "髙田"),
        ("山崎", "山﨑"),
        ("吉野", "𠮷野"),
        ("渡辺", "渡邊"),
        ("渡辺", "渡邉"),
        ("斉藤", "齋藤"),
        ("浜田", "濵田"),
    ],
)
def test_variant_characters_are_alike_and_not_the_same(one: str, other: str) -> None:
    assert alike(one) == alike(other)
    assert folded(one) != folded(other)


def test_different_names_are_not_alike() -> None:
    assert alike("高田") != alike("高井")


@pytest.fixture
def organiser(client: Client, db: None) -> Client:
    league = make_league()
    make_players(league)
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return client


def add(client: Client, **sent: str) -> str:
    return client.post(reverse("league:player_new", args=["camarade"]), sent, follow=True).content.decode()


@pytest.mark.parametrize("way", ["name", "names"])
def test_name_that_is_written_like_another_is_pointed_out(organiser: Client, way: str) -> None:
    add(organiser, names="高田")
    said = add(organiser, **{way: "髙田", "visibility": "public"})
    assert "髙田と高田は字がよく似ています" in said
    league = League.objects.get()
    new = league.players.get(name="髙田")
    assert league.players.filter(name="高田", merged_into=None).exists()
    page = organiser.get(reverse("league:player_merge", args=["camarade", new.pk]))
    assert [player.name for player in page.context["likely"]] == ["高田"]


def test_duplicate_name_in_a_list_is_reported(organiser: Client) -> None:
    names = "\n".join([*(f"新人{number}" for number in range(25)), "新人3"])
    said = add(organiser, names=names)
    assert "25人" in said
    assert "1回だけ追加しました: 新人3" in said
