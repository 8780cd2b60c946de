from typing import Any

import pytest
from django.test import Client

from league.models import League, Player
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player, change_player
from tests.league.factories import make_league, make_players, make_session, play, settle

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league)
    play(make_session(league))
    settle()
    return league


def text(response: Any) -> str:
    return str(response.content.decode())


def named(league: League, name: str) -> Player:
    return league.players.get(romanised=name)


@pytest.mark.parametrize("wanted", ["青", "あお", "アオ", "ｱｵ", "aok", "AOKI", "あおちゃん"])
def test_directory_finds_any_name(client: Client, league: League, wanted: str) -> None:
    facts = PlayerFacts("青木", "あおき", "Aoki", "1", aliases=("アオちゃん",))
    change_player(player=named(league, "Aoki"), facts=facts, by=SYSTEM)
    html = text(client.get("/en/l/camarade/players/", {"q": wanted}))
    assert "1 player found" in html
    assert "Aoki" in html


def test_directory_is_sorted_by_reading(client: Client, league: League) -> None:
    add_player(league=league, facts=PlayerFacts("Wilson", romanised="Wilson"), by=SYSTEM)
    add_player(league=league, facts=PlayerFacts("河野", "かわの"), by=SYSTEM)
    html = text(client.get("/l/camarade/players/"))
    assert (
        html.index("青木")
        < html.index("石田")
        < html.index("上野")
        < html.index("江口")
        < html.index("河野")
        < html.index("Wilson")
    )
    for heading in ("あ", "か", "W"):
        assert f"<h2>{heading}</h2>" in html


def test_directory_in_english_begins_with_letters(client: Client, league: League) -> None:
    add_player(league=league, facts=PlayerFacts("河野", "かわの"), by=SYSTEM)
    html = text(client.get("/en/l/camarade/players/"))
    assert html.index("<h2>A</h2>") < html.index("<h2>か</h2>")


def test_hidden_name_cannot_be_searched_for(client: Client, league: League) -> None:
    facts = PlayerFacts("青木", "あおき", "Aoki", visibility=Player.Visibility.MEMBERS)
    change_player(player=named(league, "Aoki"), facts=facts, by=SYSTEM)
    assert "0 players found" in text(client.get("/en/l/camarade/players/?q=aoki"))


@pytest.mark.parametrize("wanted", ["nobody", "\x00", "x" * 5000, "%", "'"])
def test_search_accepts_any_input(client: Client, league: League, wanted: str) -> None:
    assert client.get("/l/camarade/players/", {"q": wanted}).status_code == 200


def test_empty_directory_says_so(client: Client) -> None:
    make_league()
    assert "No players yet" in text(client.get("/en/l/camarade/players/"))
