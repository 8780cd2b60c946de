import re

import pytest
from django.test import Client

from league.models import League
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_players, change_player
from league.services.proofs.registry import NAMES
from league.services.proofs.values import ProofTally
from tests.league.entry_contexts import text
from tests.league.factories import make_league, make_players, make_session, make_user

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

LISTED = ("青木", "Eguchi", "加藤", "斎藤", "𠮷田", "渡邊", "Anna", "鶫")
"""Only Eguchi has a stored reading, えぐち; most are guessed, and Anna is read as written."""


@pytest.fixture
def league() -> League:
    """A league whose players were added in a different order than they are listed."""
    league = make_league()
    people = [PlayerFacts(name, "えぐち" if name == "Eguchi" else "") for name in sorted(LISTED)]
    add_players(league=league, people=people, by=SYSTEM)
    return league


def in_text(html: str) -> list[str]:
    return sorted((name for name in LISTED if name in html), key=html.index)


def test_directory_is_sorted_by_reading(client: Client, league: League) -> None:
    html = text(client.get("/l/camarade/players/"))
    assert in_text(html[html.index('class="index-parts"') :]) == list(LISTED)
    assert "わたなべ" not in html
    assert re.findall(r"<h2>(.)</h2>", html) == ["あ", "か", "さ", "や", "わ", "A", "#"]
    english = re.findall(r"<h2>(.)</h2>", text(client.get("/en/l/camarade/players/")))
    assert english.index("A") < english.index("か")


def test_only_a_known_reading_is_shown(client: Client, league: League) -> None:
    player = league.players.get(name="渡邊")
    assert "わたなべ" not in text(client.get(f"/l/camarade/p/{player.pk}/"))
    change_player(player=player, facts=PlayerFacts("渡邊", "わたべ"), by=SYSTEM)
    assert "わたべ" in text(client.get(f"/l/camarade/p/{player.pk}/"))


def test_entry_lists_players_in_the_same_order(client: Client, league: League) -> None:
    session = make_session(league)
    client.force_login(make_user("ueno", league=league, role="scorer"))
    html = text(client.get(f"/l/camarade/sessions/{session.pk}/enter/"))
    choices = html[html.index("<select") : html.index("</select>")]
    assert in_text(choices) == list(LISTED)


def test_renamed_player_moves_in_the_directory(client: Client, league: League) -> None:
    player = league.players.get(name="渡邊")
    change_player(player=player, facts=PlayerFacts("秋山"), by=SYSTEM)
    player.refresh_from_db()
    change_player(player=league.players.get(name="青木"), facts=PlayerFacts("青木", "んんん"), by=SYSTEM)
    html = text(client.get("/l/camarade/players/"))
    html = html[html.index('class="index-parts"') :]
    assert html.index("秋山") < html.index("Eguchi") < html.index("青木") < html.index("Anna")


def test_club_is_searchable_and_hidden_with_the_name(client: Client, league: League) -> None:
    [player] = make_players(league, 1)
    facts = PlayerFacts("相川", club="東クラブ")
    change_player(player=player, facts=facts, by=SYSTEM)
    page = f"/l/camarade/p/{player.pk}/"
    assert "東クラブ" in text(client.get(page))
    assert in_text(text(client.get("/l/camarade/players/?q=東クラブ"))) == []
    assert "相川" in text(client.get("/l/camarade/players/?q=東クラブ"))
    change_player(player=player, facts=PlayerFacts("相川", club="東クラブ", visibility="members"), by=SYSTEM)
    assert "東クラブ" not in text(client.get(page))
    assert "相川" not in text(client.get("/l/camarade/players/?q=東クラブ"))


def test_verify_repairs_a_wrong_sort_key(league: League) -> None:
    league.players.filter(name="青木").update(sort_key="3f")
    tally = ProofTally()
    [difference] = NAMES.check(league, tally)
    assert difference.column == "sort_key"
    assert tally.count == len(LISTED)
    assert NAMES.repair is not None
    NAMES.repair(league)
    assert not list(NAMES.check(league, ProofTally()))


@pytest.mark.parametrize("wanted", ["青", "あお", "アオ", "ｱｵ", "aok", "AOKI", "あおちゃん"])
def test_directory_search_matches_any_spelling(client: Client, wanted: str) -> None:
    aoki, *_ = make_players(make_league())
    facts = PlayerFacts("青木", "あおき", "Aoki", "1", aliases=("アオちゃん",))
    change_player(player=aoki, facts=facts, by=SYSTEM)
    html = text(client.get("/en/l/camarade/players/", {"q": wanted}))
    assert "1 player found" in html
    assert "Aoki" in html


def test_empty_directory_says_so(client: Client) -> None:
    make_league()
    assert "No players yet" in text(client.get("/en/l/camarade/players/"))
