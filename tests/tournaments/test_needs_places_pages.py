import json

import pytest
from django.test import Client

from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_planned, play_table
from tests.tournaments.test_pages import PAGE, plain, text
from tournaments.models import StageSession, Tournament
from tournaments.selectors.needs import needs_as_read
from tournaments.selectors.state import state_of

pytestmark = pytest.mark.django_db

FIRST, QUALIFYING = f"{PAGE}stage/first/", f"{PAGE}stage/qualifying/"


@pytest.fixture
def sessions() -> list[StageSession]:
    """The first stage of a Cinderella System, seated, not yet played."""
    return draw_and_plan(make_tournament(format_key="cinderella-system", players=8), "first")


@pytest.mark.long
def test_stage_page_shows_needs_by_placement(sessions: list[StageSession], client: Client) -> None:
    html = plain(text(client.get(FIRST)))
    assert html.count("1着なら通過。") == 8
    assert html.count("2着か3着なら2戦目へ。") == 8
    assert html.count("3着以上なら通過。") == 8
    assert "優勝に必要なこと" not in html
    english = plain(text(client.get(f"/en{FIRST}")))
    assert "2nd or 3rd: on to Second hanchan." in english
    player = sessions[0].tournament.entries.first()
    assert player is not None
    own = plain(text(client.get(f"/l/cinderella/p/{player.player_id}/")))
    assert "1着なら通過。" in own
    assert "1着なら通過。" in text(client.get(f"{PAGE}results/?as=text"))
    # When one block has played, the other still gets its sentences, and the JSON says that placements rank.
    play_planned(sessions[0], by_entry(sessions[0].tournament))
    html = plain(text(client.get(FIRST)))
    assert html.count("1着なら通過。") == 4
    told = json.loads(text(client.get(f"{PAGE}needs.json")))["stages"][0]["blocks"]
    assert [(block["goal"], block["ranked_by"]) for block in told] == [(1, "placement"), (3, "placement")]
    assert {tuple(said) for said in told[0]["sentences"]["en"].values()} == {
        ("1st: through.", "2nd or 3rd: on to Second hanchan.", "4th is not enough.")
    }
    assert set(told[0]["hanchan_left"].values()) == {1}
    for each in needs_as_read(state_of(sessions[0].tournament), state_of(sessions[0].tournament).state.stage("first")):
        assert [player.chance for player in each.players] == pytest.approx([each.goal / 4] * 4)


@pytest.fixture
def wild() -> Tournament:
    """The qualifying of 2018: block A finished; B and C lack the last hanchan."""
    tournament = make_tournament(format_key="cinderella-2018", players=24)
    strength = by_entry(tournament)
    for each in draw_and_plan(tournament, "qualifying"):
        if each.block == "A" or each.number < 3:
            play_planned(each, strength)
        else:
            for number, table in [(number, table) for number in (1, 2, 3) for table in (1, 2)]:
                play_table(each, table, number, strength)
    return tournament


@pytest.mark.long
def test_stage_page_shows_needs_for_the_wild_card(wild: Tournament, client: Client) -> None:
    html = plain(text(client.get(QUALIFYING)))
    assert "プレーオフ1stへのワイルドカード(5位のうち上位1人)" in html
    assert "5位で終われば、3ブロックの5位のうち上位1人がワイルドカードで通過。" in html
    assert "あと最大1半荘で変わる" in html
    assert "で終了。" in html
    assert "Wild card to Playoff 1 (best 1 of those ranked 5th)" in plain(text(client.get(f"/en{QUALIFYING}")))
    blocks = json.loads(text(client.get(f"{PAGE}needs.json")))["stages"][0]["blocks"]
    drawn = [block for block in blocks if "wild_card" in block]
    assert [block["block"] for block in drawn] == ["A", "B", "C"]
    assert {holder["block"] for holder in drawn[0]["wild_card"]["holders"]} == {"B", "C"}
    # The direct advancement line is shown too, also in the block with the wild card.
    assert [block["goal"] for block in blocks] == [5, 2, 3, 4, 5, 2, 3, 4, 5]
    assert "ワイルドカード" in text(client.get(f"{PAGE}results/?as=text"))
    # When all have played, there are no needs.
    strength = by_entry(wild)
    for each in StageSession.objects.filter(tournament=wild, number=3).exclude(block="A"):
        for table in (1, 2):
            play_table(each, table, 4, strength)
    assert "ワイルドカードで" not in text(client.get(QUALIFYING))
