import re

import pytest
from django.test import Client

from league.models import League, Player
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player, change_player
from tests.league.entry_contexts import text
from tests.league.factories import make_league, make_players, make_session, play, settle

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league)
    play(make_session(league))
    settle()
    return league


@pytest.mark.parametrize("wanted", ["青", "あお", "アオ", "ｱｵ", "aok", "AOKI", "あおちゃん"])
def test_directory_finds_any_name(client: Client, league: League, wanted: str) -> None:
    facts = PlayerFacts("青木", "あおき", "Aoki", "1", aliases=("アオちゃん",))
    change_player(player=league.players.get(romanised="Aoki"), facts=facts, by=SYSTEM)
    html = text(client.get("/en/l/camarade/players/", {"q": wanted}))
    assert "1 player found" in html
    assert "Aoki" in html


def test_directory_is_sorted_by_reading(client: Client, league: League) -> None:
    add_player(league=league, facts=PlayerFacts("Wilson", romanised="Wilson"), by=SYSTEM)
    add_player(league=league, facts=PlayerFacts("河野", "かわの"), by=SYSTEM)
    html = text(client.get("/l/camarade/players/"))
    names = [html.index(name) for name in ("青木", "石田", "上野", "江口", "河野", "Wilson")]
    assert names == sorted(names)
    assert re.findall(r"<h2>(.)</h2>", html) == ["あ", "か", "W"]
    english = re.findall(r"<h2>(.)</h2>", text(client.get("/en/l/camarade/players/")))
    assert english.index("A") < english.index("か")


def test_hidden_name_cannot_be_searched_for(client: Client, league: League) -> None:
    facts = PlayerFacts("青木", "あおき", "Aoki", visibility=Player.Visibility.MEMBERS)
    change_player(player=league.players.get(romanised="Aoki"), facts=facts, by=SYSTEM)
    assert "0 players found" in text(client.get("/en/l/camarade/players/?q=aoki"))


def test_empty_directory_says_so(client: Client) -> None:
    make_league()
    assert "No players yet" in text(client.get("/en/l/camarade/players/"))
