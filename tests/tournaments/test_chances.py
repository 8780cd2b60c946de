import re
from collections import Counter
from dataclasses import replace

import pytest
from django.test import Client

from league.models import Hanchan, Player
from league.models.editions import raise_edition
from league.services.history import SYSTEM
from stats.services.following import follow
from tests.conftest import built_once
from tests.league.factories import play, settle
from tests.tournaments.factories import (
    approve_stage,
    by_entry,
    draw_and_plan,
    entry,
    make_cinderella_league,
    make_tournament,
    play_planned,
)
from tests.tournaments.test_pages import PAGE, STAGE, plain, text
from tests.tournaments.test_what_if import keys, section
from tournaments.core.facts import Remedy
from tournaments.models import Tournament
from tournaments.selectors import outlook
from tournaments.selectors.chances import Chance, ChanceRow, block_chances
from tournaments.selectors.picture import picture_of
from tournaments.selectors.state import state_of
from tournaments.services.decisions import withdraw
from tournaments.services.short_tables import Settlement

ODDS = f"{PAGE}odds/"


@built_once()
def stored() -> None:
    tournament = make_tournament()
    for each in draw_and_plan(tournament, "qualifying")[:2]:
        play_planned(each, by_entry(tournament))
    other = make_tournament(make_cinderella_league("other"))
    play_planned(draw_and_plan(other, "qualifying")[0], by_entry(other))
    make_tournament(make_cinderella_league("new"))


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("stored")]


@pytest.fixture
def qualifying(stored: None) -> Tournament:
    return Tournament.objects.get(league__slug="cinderella")


def test_chances_are_hidden_until_every_block_has_played(client: Client) -> None:
    assert not outlook.may_tell_chances(state_of(Tournament.objects.get(league__slug="other")))
    assert "優勝の確率" not in text(client.get(PAGE.replace("cinderella", "other")))
    assert ">確率</h2>" not in text(client.get(STAGE.replace("cinderella", "other")))


def test_stage_shows_chances_to_advance_and_win(qualifying: Tournament, client: Client) -> None:
    html = text(client.get(STAGE))
    told = section(html, ">確率</h2>")
    assert all(said in told for said in ("通過", "決勝", "優勝"))
    assert "0%" not in re.findall(r"(?<![\d.])0%|100%", told)
    assert re.search(r"\d,\d{3}通り", told)
    assert "実力が同じ" in told
    assert text(client.get(STAGE)) == html
    english = plain(text(client.get(f"/en{STAGE}")))
    assert all(said in english for said in ("Advances", "Final", "Wins"))


@pytest.mark.merge
def test_stage_leaves_out_the_chance_of_advancing_if_everyone_who_plays_on_does(client: Client) -> None:
    tournament = make_tournament(make_cinderella_league("open"), "open-final-table")
    play_planned(draw_and_plan(tournament, "open")[0], by_entry(tournament))
    withdraw(stage="open", entry=entry(tournament, 16), reason="x", by=SYSTEM, settlement=Settlement(Remedy.HOUSE))
    page = "/en/l/open/t/t1/"
    told = section(text(client.get(f"{page}stage/open/")), ">Chances</h2>")
    assert all(said in told for said in (" Player Final table Wins ", "withdrew"))
    for each in tournament.sessions.filter(stage="open", number=2):
        play_planned(each, by_entry(tournament))
    pictures = picture_of(state_of(tournament)), picture_of(current := approve_stage(tournament, "open"))
    marks = [Counter(row.mark for row in picture.boxes[0].rows) for picture in pictures]
    assert (marks[0]["if"], marks[1]["on"], pictures[0].lines[1].words[:4]) == (4, 4, "5–15")
    assert [len(table) for table in outlook.tables_after(current, "open", current.furthest("open") - 1)] == [4, 4, 4, 4]
    told = section(text(client.get(f"{page}stage/open/")), "likely was that?")
    assert "Of those who advanced to Final table," in told
    rows = section(text(client.get(f"{page}odds/")), "likely was that?")
    assert (rows.count(" Final table "), rows.count(" — ")) == (4, 11)
    rest = draw_and_plan(tournament, "rest")
    assert ">Chances<" not in text(client.get(f"{page}stage/rest/"))
    for each in (*rest, *draw_and_plan(tournament, "final")):
        play_planned(each, by_entry(tournament))
    past = [outlook.StageHindsight(stage, {1: {}}, frozenset(), is_title=False) for stage in ("open", "final", "rest")]
    assert [look.key for look in outlook.looks_back(state_of(tournament), past)] == ["final", "rest", "open"]
    assert '<label for="press-text"><b>Final table</b>' in text(client.get(f"{page}results/"))


def test_tournament_shows_chances_of_the_title(qualifying: Tournament, client: Client) -> None:
    told = section(text(client.get(PAGE)), "優勝の確率</h2>")
    listed = [int(found) for found in re.findall(r"(\d+)%", told)[:8]]
    assert listed == sorted(listed, reverse=True)
    current = state_of(qualifying)
    leader = current.player(current.state.stage("qualifying").rankings[0].lines[0].participant)
    assert leader.name in told
    Player.objects.filter(pk=leader.pk).update(visibility="nobody")
    raise_edition(leader.league_id)
    assert leader.name not in text(client.get(PAGE))


def test_players_with_hardly_any_chance_share_one_line_if_many(qualifying: Tournament) -> None:
    leader, *others = (ChanceRow(entry, (Chance(0.001), Chance(out=True))) for entry in qualifying.entries.all()[:5])
    leader = replace(leader, chances=(Chance(0.6), Chance(certain=True)))
    block = block_chances("", [leader, *others])
    assert (block.rows, block.slight) == ((leader,), tuple(others))
    assert block_chances("", [leader, *others[1:]]).slight == ()


def test_pages_share_the_simulation(qualifying: Tournament, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []

    def counted(*found: object) -> object:
        drawn.append(1)
        return outlook.outlook_of(*found)  # type: ignore[arg-type]

    monkeypatch.setattr("tournaments.http.pages.outlook_of", counted)
    for page in (PAGE, STAGE, f"/en{STAGE}", ODDS):
        assert client.get(page).status_code == 200
    assert len(drawn) == 1


def test_strengths_follow_ratings(qualifying: Tournament, client: Client) -> None:
    assert outlook.Knowledge(state_of(qualifying)).strengths == {}
    for each in qualifying.sessions.filter(stage="qualifying", number=2):
        play_planned(each, by_entry(qualifying))
    for _ in range(3):
        for each in qualifying.sessions.filter(stage="qualifying"):
            play(
                each.session,
                (40_000, 30_000, 20_000, 10_000),
                [seat.player for seat in Hanchan.objects.filter(session=each.session)[0].seats.all()],
                even_if_others=True,
            )
    settle()
    follow(qualifying.league_id)
    found = outlook.Knowledge(state_of(qualifying)).strengths
    assert found
    assert all(abs(value) < 1 for value in found.values())
    few, more, most = (abs(outlook.strength(35.0, variance)) for variance in (2.0, 7.0, 25 / 3))
    assert few > more > most == 0


def test_chances_page_loads_before_the_first_hanchan(client: Client) -> None:
    page = text(client.get(ODDS.replace("cinderella", "new")))
    assert "確率は、3回戦(それより短いステージでは全回戦)を終えると表示します。" in plain(page)


def test_what_if_opens_the_first_table_and_those_with_a_choice(qualifying: Tournament, client: Client) -> None:
    page = f"{PAGE}what-if/qualifying/"
    found = keys(html := text(client.get(page)))
    assert "actions stays" in html
    opened = r'<details class="fold" open>.*?name="(\w+)p0"'
    assert re.findall(opened, html, re.DOTALL) == found[:1]
    html = text(client.get(f"{page}?{found[3]}p0=1&{found[5]}p0=1&{found[5]}p1=1"))
    assert re.findall(opened, html, re.DOTALL) == [found[0], found[3], found[5]]


def test_supposed_results_of_a_block_count_once(qualifying: Tournament, client: Client) -> None:
    page = f"{PAGE}what-if/qualifying/"
    found = keys(text(client.get(page)))
    assert len(found) == 16
    html = text(client.get(f"{page}?{'&'.join(f'{key}p0=1' for key in found)}"))
    assert "8/8" in plain(html)
    assert "選手 決勝 優勝" in section(html, ">確率</h2>")
    current = state_of(qualifying)
    leader = current.player(current.state.stage("qualifying").rankings[0].lines[0].participant)
    Player.objects.filter(pk=leader.pk).update(visibility="nobody")
    raise_edition(leader.league_id)
    assert leader.name not in text(client.get(page))
