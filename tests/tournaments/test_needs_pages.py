import json

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from league.models import Player
from league.models.editions import raise_edition
from tests.tournaments.factories import (
    by_entry,
    draw_and_plan,
    make_tournament,
    play_planned,
    play_table,
    play_to_the_final,
)
from tests.tournaments.test_pages import PAGE, plain, text
from tournaments.models import StageSession, Tournament
from tournaments.selectors.needs import needs_as_read
from tournaments.selectors.state import state_of

pytestmark = pytest.mark.django_db

FINAL = f"{PAGE}stage/final/"


@pytest.fixture
def final() -> StageSession:
    return play_to_the_final()


def play_up_to(final: StageSession, left: int) -> None:
    tournament: Tournament = final.tournament
    planned = tournament.format.stage("final").planned
    for number in range(state_of(tournament).furthest("final") + 1, planned - left + 1):
        play_table(final, 1, number, by_entry(tournament))


@pytest.mark.long
def test_final_shows_needs_until_its_last_hanchan(final: StageSession, client: Client) -> None:
    assert "優勝に必要なこと" not in text(client.get(FINAL))
    play_up_to(final, 2)
    html = plain(text(client.get(FINAL)))
    assert all(said in html for said in ("優勝に必要なこと", "残り2半荘", "20000通り"))
    assert "着なら" not in html
    assert text(client.get(FINAL)) == text(client.get(FINAL))
    play_up_to(final, 1)
    html = plain(text(client.get(FINAL)))
    assert all(
        said in html for said in ("残り1半荘", "着以上なら優勝。", "極端な点差の半荘でないかぎり届かない。", "点差以上")
    )
    english = plain(text(client.get(f"/en{FINAL}")))
    assert "What is needed for the title" in english
    assert "is not enough" in english
    leader = first_of(final)
    said = text(client.get(f"{PAGE}results/?stage=final&as=text"))
    assert "優勝に必要なこと】" in said
    needs = said.split("必要なこと】\n")[1].split("\n\n")[0].splitlines()
    assert max(line.count("。") for line in needs) < 2
    assert f"{leader.name}: " in said
    page = f"/l/cinderella/p/{leader.pk}/"
    html = text(client.get(page))
    assert "あと1半荘: " in plain(html)
    assert f'href="{FINAL}#needs"' in html
    Player.objects.filter(pk=leader.pk).update(visibility="nobody")
    raise_edition(leader.league_id)
    assert leader.name not in text(client.get(FINAL))
    Player.objects.filter(pk=leader.pk).update(visibility="public")
    play_up_to(final, 0)
    assert "優勝に必要なこと" not in text(client.get(FINAL))
    assert "あと1半荘" not in plain(text(client.get(page)))


QUALIFYING = f"{PAGE}stage/qualifying/"


@pytest.mark.long
def test_needs_name_rivals_at_both_tables(client: Client, tournament: Tournament) -> None:
    sessions = [each for each in draw_and_plan(tournament, "qualifying") if each.block == "A"]
    strength = by_entry(tournament)
    for each in sessions[:-1]:
        play_planned(each, strength)
    for number in (1, 2, 3):
        for table in (1, 2):
            play_table(sessions[-1], table, number, strength)
    with CaptureQueriesContext(connection) as asked:
        html = plain(text(client.get(QUALIFYING)))
    assert "残り1半荘" in html
    assert "人を抜けば優勝" not in html
    assert all(said in html for said in ("同卓の", "別卓の", "すべての条件"))
    assert "20000通り" not in html
    assert "決定。" not in html
    assert sum('"league_plannedseat"."seat"' in query["sql"] for query in asked) == 1
    assert "at another table" in plain(text(client.get(f"/en{QUALIFYING}")))
    (stage,) = client.get(f"{PAGE}needs.json").json()["stages"]
    found = stage["blocks"][0]
    assert [len(table) for table in found["tables"]] == [4, 4]
    player, against = next(iter(found["apart"].items()))
    assert set(against) == set(next(table for table in found["tables"] if player not in table))
    assert all(each.keys() == {"min_points", "level"} for each in against.values())
    assert [each["goal"] for each in stage["blocks"]] == [1, 2, 3, 5]
    # Once a table has finished, the needs of the other are exact.
    tournament = sessions[0].tournament
    play_table(sessions[-1], 1, 4, by_entry(tournament))
    html = plain(text(client.get(QUALIFYING)))
    assert all(said in html for said in ("対局終了", "着なら: ", "極端な点差"))
    play_table(sessions[-1], 2, 4, by_entry(tournament))
    assert "に必要なこと" not in text(client.get(QUALIFYING))


def test_stage_tells_no_conditions_while_several_hanchan_remain(client: Client, tournament: Tournament) -> None:
    sessions = [each for each in draw_and_plan(tournament, "qualifying") if each.block == "A"]
    play_planned(sessions[0], by_entry(tournament))
    with CaptureQueriesContext(connection) as found:
        html = text(client.get(QUALIFYING))
    assert "ラインまで" in html
    assert 'id="needs"' not in html
    assert not any('"league_plannedseat"."seat"' in query["sql"] for query in found)


def first_of(final: StageSession) -> Player:
    current = state_of(final.tournament)
    return current.player(current.state.stage("final").rankings[0].lines[0].participant)


@pytest.mark.long
def test_receipt_shows_needs_for_the_next_hanchan(final: StageSession, client: Client) -> None:
    play_up_to(final, 2)
    leader = first_of(final)
    tournament = final.tournament
    hanchan = play_table(final, 1, tournament.format.stage("final").planned - 1, by_entry(tournament))
    html = plain(text(client.get(f"/l/cinderella/g/{hanchan.pk}/done/")))
    assert f"{leader.name} あと1半荘: " in html
    assert "すべての条件: 春の大会" in html
    assert "今終われば" in html
    assert "2025年11月" not in html.partition("すべての条件")[0]
    Player.objects.filter(pk=leader.pk).update(visibility="nobody")
    assert leader.name not in text(client.get(f"/l/cinderella/g/{hanchan.pk}/done/"))
    last = play_table(final, 1, tournament.format.stage("final").planned, by_entry(tournament))
    assert "あと" not in plain(text(client.get(f"/l/cinderella/g/{last.pk}/done/")))


@pytest.mark.long
def test_needs_are_available_as_json(final: StageSession, client: Client) -> None:
    play_up_to(final, 1)
    leader = first_of(final)
    facts = client.get(f"{PAGE}needs.json").json()
    (stage,) = facts["stages"]
    (block,) = stage["blocks"]
    assert (facts["tournament"], stage["stage"], block["goal"], block["line"]) == ("t1", "final", 1, "")
    key = next(key for key, names in block["players"].items() if names["ja"] == leader.name)
    assert block["hanchan_left"] == dict.fromkeys(block["players"], 1)
    assert set(block["hanchan"]) == set(block["players"]) == set(block["tables"][0])
    assert block["hanchan"][key]["1"].keys() == block["players"].keys() - {key}
    assert block["secured"] == block["out"] == []
    assert block["sentences"]["ja"][key]
    assert block["sentences"]["en"][key][0].endswith("the title.")
    Player.objects.filter(pk=leader.pk).update(visibility="nobody")
    raise_edition(leader.league_id)
    assert leader.name not in text(client.get(f"{PAGE}needs.json"))


FIRST = f"{PAGE}stage/first/"


@pytest.mark.long
def test_stage_page_shows_needs_by_placement(client: Client) -> None:
    sessions = draw_and_plan(make_tournament(format_key="cinderella-system", players=8), "first")
    html = plain(text(client.get(FIRST)))
    # Equal requirements are told once for all who sit in a block.
    assert html.count("1着なら通過。") == 2
    assert html.count("2着か3着なら2戦目へ。") == 2
    assert html.count("3着以上なら通過。") == 2
    assert "優勝に必要なこと" not in html
    assert "2nd or 3rd: on to Second hanchan." in plain(text(client.get(f"/en{FIRST}")))
    player = sessions[0].tournament.entries.first()
    assert player is not None
    assert "1着なら通過。" in plain(text(client.get(f"/l/cinderella/p/{player.player_id}/")))
    assert "1着なら通過。" in text(client.get(f"{PAGE}results/?as=text"))
    # When one block has played, the other still gets its sentences, and the JSON says that placements rank.
    play_planned(sessions[0], by_entry(sessions[0].tournament))
    html = plain(text(client.get(FIRST)))
    assert html.count("1着なら通過。") == 1
    told = json.loads(text(client.get(f"{PAGE}needs.json")))["stages"][0]["blocks"]
    assert [(block["goal"], block["ranked_by"]) for block in told] == [(1, "placement"), (3, "placement")]
    assert {tuple(said) for said in told[0]["sentences"]["en"].values()} == {
        ("1st: through.", "2nd or 3rd: on to Second hanchan.", "4th is not enough.")
    }
    assert set(told[0]["hanchan_left"].values()) == {1}
    for each in needs_as_read(state_of(sessions[0].tournament), state_of(sessions[0].tournament).state.stage("first")):
        assert [player.chance for player in each.players] == pytest.approx([each.goal / 4] * 4)


@pytest.mark.long
def test_stage_page_shows_needs_for_the_wild_card(client: Client) -> None:
    tournament = make_tournament(format_key="cinderella-2018", players=24)
    strength = by_entry(tournament)
    for each in draw_and_plan(tournament, "qualifying"):
        if each.block == "A" or each.number < 3:
            play_planned(each, strength)
        else:
            for number, table in [(number, table) for number in (1, 2, 3) for table in (1, 2)]:
                play_table(each, table, number, strength)
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
    # The direct advancement line is shown too, also in the block with the tournament card.
    assert [block["goal"] for block in blocks] == [5, 2, 3, 4, 5, 2, 3, 4, 5]
    assert "ワイルドカード" in text(client.get(f"{PAGE}results/?as=text"))
    # When all have played, there are no needs.
    strength = by_entry(tournament)
    for each in StageSession.objects.filter(tournament=tournament, number=3).exclude(block="A"):
        for table in (1, 2):
            play_table(each, table, 4, strength)
    assert "ワイルドカードで" not in text(client.get(QUALIFYING))
