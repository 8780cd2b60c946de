import re
from datetime import UTC, datetime, time, timedelta

import pytest
import time_machine
from django.core.cache import caches
from django.test import Client

from league.services.history import SYSTEM
from tests.league.factories import make_players
from tests.tournaments.factories import (
    by_entry,
    director,
    draw_and_plan,
    make_cinderella_league,
    make_tournament,
    play_planned,
    play_stage,
    play_table,
)
from tournaments.core.reading import load_document
from tournaments.models import StageSession, Tournament
from tournaments.services.hall import set_timer
from tournaments.services.rounds import plan_next_round
from tournaments.services.setup import create_tournament, enter_players

pytestmark = pytest.mark.django_db

PROJECTOR = "/en/l/cinderella/t/t1/wall/"
STATE = PROJECTOR + "state/"
REMOTE = "/en/l/cinderella/t/t1/remote/"


@pytest.fixture
def stage_sessions() -> list[StageSession]:
    """The four sessions of a qualifying stage, block A before block B, with the first one played."""
    sessions = draw_and_plan(make_tournament(), "qualifying", seed=7)
    play_planned(sessions[0], by_entry(sessions[0].tournament))
    return sessions


def screen(client: Client, query: str = "") -> str:
    answer = client.get(PROJECTOR + query)
    assert answer.status_code == 200
    return answer.content.decode()


@pytest.mark.usefixtures("stage_sessions")
def test_hall_display_shows_the_running_stage(client: Client) -> None:
    page = screen(client)
    for fact in (
        "Spring tournament",
        "Qualifying",
        "Block A",
        "Block B",
        "Cut line: Final",
        "Cut line: Playoff 1",
        "4/8",
        "0/8",
    ):
        assert fact in page
    assert len(re.findall('scope="row"', page)) == 16
    assert 'class="top"' not in page


@pytest.mark.usefixtures("stage_sessions")
def test_hall_display_query_selects_stage_block_and_scene(client: Client) -> None:
    page = screen(client, "?block=B&show=standings")
    assert "Block B" in page
    assert "Block A" not in page
    assert client.get(PROJECTOR + "?block=C").status_code == 404
    assert client.get(PROJECTOR + "?stage=nothing").status_code == 404
    assert client.get(PROJECTOR + "?stage=final").status_code == 200
    assert "to the line" in screen(client, "?show=weather&screen=99999999999999999999&theme=%00")
    assert len({client.get(STATE + query)["ETag"] for query in ("", "?block=A", "?show=seating", "?stage=final")}) == 4
    assert client.get(STATE + "?block=C").status_code == 404
    assert 'class="projector overlay"' in screen(client, "?overlay=1")
    assert 'class="projector"' in screen(client)


def test_hall_display_shows_the_next_tables_between_hanchan(client: Client, stage_sessions: list[StageSession]) -> None:
    assert "Table 2" in screen(client)
    assert "Table 2" not in screen(client, "?show=standings")
    only = screen(client, "?show=seating")
    assert "Table 2" in only
    assert "to the line" not in only
    play_table(stage_sessions[1], 1, 1, by_entry(stage_sessions[0].tournament))
    assert screen(client, "?show=seating").count('class="table done"') == 1


@pytest.mark.usefixtures("stage_sessions")
def test_hall_display_refreshes_without_script(client: Client) -> None:
    page = screen(client, "?show=standings,seating")
    refresh = '<meta http-equiv="refresh" content="15; url=?show=standings%2Cseating&amp;screen=1">'
    assert f"<noscript>{refresh}</noscript>" in page
    assert re.findall(r'data-screen="(\d)"( hidden)?', page) == [("0", ""), ("1", " hidden")]
    second = screen(client, "?show=standings,seating&screen=1")
    assert re.findall(r'data-screen="(\d)"( hidden)?', second) == [("0", " hidden"), ("1", "")]


def test_hall_display_polls_more_often_on_a_day_of_play(client: Client, stage_sessions: list[StageSession]) -> None:
    day = stage_sessions[1].session.date
    for moment, pause in ((day, 500), (day + timedelta(days=1), 1500)):
        with time_machine.travel(datetime.combine(moment, time(10), UTC)):
            caches["default"].clear()
            assert client.get(STATE).json()["pause"] == pause


def test_hall_display_shows_seats_or_names_before_play(client: Client) -> None:
    tournament = make_tournament()
    assert ('class="rank"' in screen(client), 'scope="row"' in screen(client)) == (False, False)
    draw_and_plan(tournament, "qualifying", seed=7)
    assert "scene-seating" in screen(client)
    assert "scene-standings" not in screen(client)
    names = screen(client, "?view=standings")
    assert (names.count('scope="row"'), 'class="rank"' in names, "0.0" in names) == (16, False, False)
    assert "In each block, 1st advances to Final." in names


@pytest.mark.usefixtures("stage_sessions")
def test_hall_display_says_when_needs_appear(client: Client) -> None:
    said = "What is needed appears here before the last hanchan."
    assert said in screen(client, "?view=conditions")
    assert said not in screen(client, "?view=standings")
    assert "The champion appears here once the tournament is decided." in screen(client, "?view=champion")


@pytest.mark.merge
def test_hall_display_says_what_the_only_hanchan_takes_with_points_brought_along(client: Client) -> None:
    league = make_cinderella_league()
    document = load_document("open-final-table", 16)
    document["stage"] = [stage | {"sessions": 1, "hanchan": 1} for stage in document["stage"]]
    tournament = Tournament(league=league, format_key="open-final-table", document=document, key="t1", name="春の大会")
    create_tournament(tournament=tournament, by=SYSTEM)
    enter_players(tournament=tournament, players=make_players(league, 16), by=SYSTEM)
    play_stage(tournament, "open")
    final, _ = (draw_and_plan(tournament, stage)[0] for stage in ("final", "rest"))
    said = screen(client, "?view=conditions")
    assert "What is needed for the title" in said
    assert "1st: the title." in said
    # The placement tables decide no title.
    assert "Placement tables" not in said
    play_planned(final, by_entry(tournament))
    assert "There are no conditions to show now." in screen(client, "?view=conditions")
    assert "for the title" not in client.get("/en/l/cinderella/t/t1/stage/rest/").content.decode()


@pytest.mark.long
def test_hall_display_follows_the_stages_to_the_final_ranks(client: Client) -> None:
    tournament = make_tournament(format_key="open-final-table", players=16)
    set_timer(tournament=tournament, minutes=60, starts=True, by=SYSTEM)
    play_stage(tournament, "open")
    assert ("Final table" in screen(client), screen(client).count('scope="row"')) == (True, 4)
    play_stage(tournament, "final")
    (rest,) = draw_and_plan(tournament, "rest")
    play_planned(rest, by_entry(tournament))
    placement = "?view=standings&stage=rest"
    assert re.findall(r'class="rank">(\d+)<', screen(client, placement))[:2] == ["5", "6"]
    assert ("LIVE</span>" in screen(client), "data-timer" in screen(client)) == (True, True)
    plan_next_round(tournament=tournament, stage="rest", by=SYSTEM)
    for table in (1, 2, 3):
        play_table(rest, table, 2, by_entry(tournament))
    assert "scene-champion" in screen(client)
    assert ("LIVE" in screen(client), "data-timer" in screen(client)) == (False, False)
    assert client.get(STATE).json()["words"]["live"] == ""
    assert re.findall(r'class="rank">(\d+)<', screen(client, placement)) == [str(rank) for rank in range(5, 17)]


@pytest.mark.merge
def test_hall_display_counts_the_hanchan_of_a_stage_with_byes(client: Client) -> None:
    tournament = make_tournament(format_key="open-final-table", players=19)
    (session, _) = draw_and_plan(tournament, "open")
    for table, number in [(table, number) for number in (1, 2, 3, 4) for table in (1, 2, 3, 4)]:
        play_table(session, table, number, by_entry(tournament))
    page = screen(client, "?view=standings")
    assert (" ".join(page.split()).count("hanchan 4/8"), len(re.findall("<small>3/[67]<", page))) == (1, 12)


@pytest.mark.merge
def test_everything_ranks_only_those_who_have_played_while_the_first_round_runs(client: Client) -> None:
    tournament = make_tournament(format_key="open-final-table", players=11, length=2)
    (session,) = draw_and_plan(tournament, "open")
    hanchan = play_table(session, 1, 1, by_entry(tournament))
    stage = client.get("/en/l/cinderella/t/t1/stage/open/").content.decode()
    wall, line = screen(client, "?view=standings"), "(among those who have played)"
    assert (stage.count(line), "#0" in stage) == (2, False)
    assert (wall.count(line), wall.count("<small>1/1</small>")) == (1, stage.count('wide">1/1<'))
    assert re.findall(r'<td class="rank">(.+?)<', screen(client, "?view=tables")) == ["–"] * 4
    assert "once everyone has played a hanchan" in screen(client, "?view=conditions")
    client.force_login(director(tournament.league))
    assert "Next hanchan: what is needed" not in client.get(f"/en/l/cinderella/g/{hanchan.pk}/done/").content.decode()
    gone = tournament.entries.get(player=hanchan.seats.get(placement=4).player)
    preview = client.get(f"/en/l/cinderella/t/t1/withdraw/?entry={gone.pk}&stage=open")
    assert "4th in Open stage now" in preview.content.decode()


@pytest.mark.merge
def test_hall_display_tells_many_players_in_a_line_each_what_the_last_hanchan_takes(client: Client) -> None:
    tournament = make_tournament(format_key="open-final-table", players=16, length=2)
    (session,) = draw_and_plan(tournament, "open")
    for table in (1, 2, 3, 4):
        play_table(session, table, 1, by_entry(tournament))
    page = screen(client, "?view=conditions")
    assert (page.count("said-brief"), len(re.findall(r"<dd>\s*<p>.+</p>\s*</dd>", page))) == (2, 16)


@pytest.mark.merge
def test_hall_display_and_remote_follow_two_stages_that_play_at_once(client: Client) -> None:
    tournament = make_tournament(format_key="open-final-table", players=16)
    play_stage(tournament, "open")
    (final,), (rest,) = (draw_and_plan(tournament, stage) for stage in ("final", "rest"))
    client.force_login(director(tournament.league))
    seats = screen(client, "?view=seating")
    assert (seats.count("<section"), seats.count('<li class="table')) == (1, 4)
    assert re.findall(r"<h2>(.+)</h2>", seats) == ["Final table · Placement tables"]
    timer = " ".join(re.findall("<h2>.*</h2>", screen(client, "?view=timer"), re.DOTALL)[0].split())
    assert timer == "<h2> Final table · round 1 / Placement tables · round 1 </h2>"
    assert re.findall(r"<h2>(.+)</h2>", screen(client, "?view=standings")) == ["Final table", "Placement tables"]
    assert client.get(REMOTE).content.decode().count('name="act" value="ready"') == 4
    play_planned(final, by_entry(tournament))
    assert screen(client, "?view=seating").count('<li class="table') == 3
    assert "scene-seating" in screen(client)
    assert client.get(REMOTE).content.decode().count('name="act" value="ready"') == 3
    play_planned(rest, by_entry(tournament))
    assert "scene-seating" not in screen(client)
