import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from config import settings as written
from league.models import Player, PlayerAlias
from league.services.history import SYSTEM
from tests.league.factories import make_league, make_user
from tests.tournaments.factories import by_entry, director, draw_and_plan, make_tournament, play_planned, play_table
from tournaments.__main__ import main as run_command
from tournaments.core.seating.seat import PROPOSALS, seat
from tournaments.models import Entry, StageSession, Tournament
from tournaments.services.planning import postpone_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage_sessions() -> list[StageSession]:
    return draw_and_plan(make_tournament(), "qualifying", seed=7)


def seating_page(client: Client, tournament: Tournament, query: str = "", prefix: str = "") -> str:
    answer = client.get(f"{prefix}/l/cinderella/t/{tournament.key}/seating/", {"q": query} if query else {})
    assert answer.status_code == 200
    return answer.content.decode()


def answers(page: str) -> list[str]:
    return re.findall(r'<li data-keys="[^"]*" data-player="\d+">([^<]*)</li>', page)


def test_seating_page_without_tables_explains_why(client: Client) -> None:
    page = seating_page(client, make_tournament(), prefix="/en")
    assert "No tables yet" in page
    assert "after the draw" in page


def test_open_entries_are_what_the_first_tables_wait_for(client: Client) -> None:
    tournament = make_tournament(make_league("cinderella"), "open-final-table")
    assert "once entries are closed" in seating_page(client, tournament, prefix="/en")
    assert "/t/t1/inbox/" not in seating_page(client, tournament)
    client.force_login(director(tournament.league))
    assert "/t/t1/inbox/" in seating_page(client, tournament)
    Tournament.objects.update(state="running")
    assert "The tables will be announced" in seating_page(client, tournament, prefix="/en")


def test_seating_page_lists_all_tables_of_the_next_session(client: Client, stage_sessions: list[StageSession]) -> None:
    page = seating_page(client, stage_sessions[0].tournament)
    for player in Player.objects.all():
        assert page.count(f'data-seat="{player.pk}"') == 8
    assert (page.count('seat-round big"'), page.count('seat-round small"')) == (4, 12)
    assert re.findall('<span class="seat-wind">(.)</span>', page)[:4] == ["東", "南", "西", "北"]


@pytest.mark.parametrize("query", ["アオキ", "ｱｵｷ", "あお", "aoki", "AOKI", "青木", "ブルー"])
def test_player_search_accepts_every_spelling(client: Client, stage_sessions: list[StageSession], query: str) -> None:
    PlayerAlias.objects.create(player=Player.objects.get(name="青木"), name="ブルー")
    found = answers(seating_page(client, stage_sessions[0].tournament, query))
    assert len(found) == 1
    assert found[0].startswith("青木")


def test_player_search_without_results_shows_a_message(client: Client, stage_sessions: list[StageSession]) -> None:
    page = seating_page(client, stage_sessions[0].tournament, "いないひと", prefix="/en")
    assert answers(page) == []
    assert "No one called “いないひと” has" in page


def test_player_search_shows_the_next_unplayed_seat(client: Client, stage_sessions: list[StageSession]) -> None:
    tournament = stage_sessions[0].tournament
    player = next(each.player for each in stage_sessions[0].session.planned_seats.filter(round=1, table=1))
    before = answers(seating_page(client, tournament, player.romanised, prefix="/en"))
    hanchan = play_table(stage_sessions[0], 1, 1, by_entry(tournament))
    page = seating_page(client, tournament, player.romanised, prefix="/en")
    assert "Round 1" in before[0]
    assert any("Round 2" in line for line in answers(page))
    assert reverse("league:hanchan", args=["cinderella", hanchan.pk]) in page


def test_finished_sessions_are_collapsed(client: Client, stage_sessions: list[StageSession]) -> None:
    play_planned(stage_sessions[0], by_entry(stage_sessions[0].tournament))
    head, _, tail = seating_page(client, stage_sessions[0].tournament, prefix="/en").partition('class="seat-over"')
    assert "Qualifying, session 1, block A" in tail
    shown = head.replace('class="sr"', "").partition("<main")[2].partition('class="evening"')[2]
    assert "Qualifying, session 1, block A" not in shown


def test_linked_player_sees_their_own_table_first(client: Client, stage_sessions: list[StageSession]) -> None:
    tournament = stage_sessions[0].tournament
    user = make_user("aoki", league=tournament.league, role="player")
    Player.objects.filter(name="青木").update(user=user)
    assert "seat-mine" not in seating_page(client, tournament)
    client.force_login(user)
    assert "seat-mine" in seating_page(client, tournament)


def test_member_only_names_are_numbers_on_seating_pages(client: Client, stage_sessions: list[StageSession]) -> None:
    del stage_sessions
    hidden = Player.objects.get(name="青木")
    PlayerAlias.objects.create(player=hidden, name="ブルー")
    Player.objects.filter(pk=hidden.pk).update(visibility="members")
    addresses = [
        reverse("tournaments:seating", args=["cinderella", "t1"]),
        reverse("tournaments:certificate", args=["cinderella", "t1", "qualifying"]),
        reverse("tournaments:projector", args=["cinderella", "t1"]),
    ]
    for address in addresses:
        for prefix in ("", "/en"):
            page = client.get(prefix + address).content.decode()
            assert f"{hidden.pk:03d}" in page
            assert not re.search("青木|あおき|Aoki|aoki|ブルー|ぶるー", page)


def certificate_page(client: Client, stage: str = "qualifying") -> str:
    answer = client.get(f"/en/l/cinderella/t/t1/certificate/{stage}/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_certificate_page_proves_optimal_seating(client: Client, stage_sessions: list[StageSession]) -> None:
    del stage_sessions
    page = certificate_page(client)
    assert page.count("0 to 2 sessions, which is proven to be optimal") == 2
    assert "8 planned, 0 of them played" in page
    # 8 × 0, 16 × 1 and 4 × 2 meetings in each of the blocks.
    assert re.findall(r'<td class="num">(\d+)</td><td class="bar-cell">', page) == ["8", "16", "4"] * 2
    # Two of each wind.
    assert page.count('<td class="num">8</td>\n                    <td class="num">0</td>') >= 16
    assert ">7 <span" in page
    assert "python -m tournaments seat --players 8 --rounds 4 --sessions 2 --table-size 4 --seed 7" in page


def test_command_on_the_certificate_reproduces_the_seating(
    client: Client, stage_sessions: list[StageSession], capsys: pytest.CaptureFixture[str]
) -> None:
    command = re.findall("<code>python -m tournaments ([^<]*)</code>", certificate_page(client))[0]
    assert run_command(command.split()) == 0
    repeated = json.loads(capsys.readouterr().out)["rounds"]
    members = sorted(
        {each.player_id for stage_session in stage_sessions[::2] for each in stage_session.session.planned_seats.all()},
        key=lambda pk: Entry.objects.get(player=pk).number,
    )
    planned = [
        {frozenset(members.index(player) for player in players) for players in tables_of(stage_session)}
        for stage_session in stage_sessions[::2]
    ]
    assert [{frozenset(table) for table in tables} for tables in repeated] == planned


def tables_of(stage_session: StageSession) -> list[list[int]]:
    seats = list(stage_session.session.planned_seats.filter(round=1))
    return [[each.player_id for each in seats if each.table == table] for table in {each.table for each in seats}]


def test_certificate_includes_postponed_tables(client: Client, stage_sessions: list[StageSession]) -> None:
    last = stage_sessions[-1].session.date
    postpone_table(stage_session=stage_sessions[0], table=1, to=last, reason="ill", by=SYSTEM)
    assert certificate_page(client).count("proven to be optimal") == 2


def test_certificate_counts_played_hanchan(client: Client, stage_sessions: list[StageSession]) -> None:
    play_planned(stage_sessions[0], by_entry(stage_sessions[0].tournament))
    assert "8 planned, 4 of them played" in certificate_page(client)


def test_certificate_without_tables_shows_a_message(client: Client, stage_sessions: list[StageSession]) -> None:
    del stage_sessions
    assert "No tables yet" in certificate_page(client, "final")
    assert client.get("/l/cinderella/t/t1/certificate/nothing/").status_code == 404


WANTED = {"players": "8", "rounds": "8", "table_size": "4", "seed": "1"}
TOOL = "/en/l/cinderella/manage/seating/"


def test_seating_tool_seats_eight_players_optimally(organiser: Client) -> None:
    page = organiser.post(TOOL, WANTED).content.decode()
    assert "Every pair meets 3 to 4 times, which is proven to be optimal." in page
    assert page.count('class="seat-round small"') == 8
    assert TOOL in organiser.get("/en/l/cinderella/tournaments/").content.decode()


def test_seating_tool_folds_what_is_optional(organiser: Client) -> None:
    fold = '<details class="fold">\n      <summary>Conditions</summary>'
    page = organiser.get(TOOL).content.decode()
    assert fold in page
    assert page.index('name="table_size"') < page.index(fold) < page.index('name="apart"')
    assert fold in organiser.post(TOOL, WANTED).content.decode()
    for used in ({"apart": "1,2"}, {"seed": "x"}):
        assert fold not in organiser.post(TOOL, {**WANTED, **used}).content.decode()


def test_seating_tool_downloads_csv_and_json(organiser: Client) -> None:
    page = organiser.post(TOOL, {**WANTED, "apart": "1,2"}).content.decode()
    assert "python -m tournaments seat --players 8 --rounds 8 --seed 1 --apart apart.json" in page
    names = "\n".join(["=青木", "石田", "上野", "江口", "大森"])
    sheet = organiser.post(TOOL, {**WANTED, "players": names, "as": "csv"})
    lines = sheet.content.decode("utf-8-sig").split("\r\n")
    assert lines[0] == "round,table,East,South,West,North"
    assert len(lines) == 8 + 2
    assert "'=青木" in sheet.content.decode()
    assert not re.search("(^|,)=", sheet.content.decode(), re.MULTILINE)
    document = json.loads(organiser.post(TOOL, {**WANTED, "players": names, "as": "json"}).content)
    assert document["players"][0] == "=青木"
    assert document["seed"] == 1
    assert len(document["rounds"]) == 8
    assert document["certificate"]["games"] == [6, 7]


def test_seating_tool_follows_wishes(organiser: Client) -> None:
    names = "\n".join(f"P{number}" for number in range(1, 17))
    wishes = {"apart": "P1, P2\nP3、P4", "together": "p5，P6", "groups": "club: P7, P8"}
    sent = {**WANTED, "rounds": "4", "players": names, **wishes, "as": "json"}
    document = json.loads(organiser.post(TOOL, sent).content)
    pairs = [set(table) for tables in document["rounds"] for table in tables]
    assert not any({0, 1} <= table or {2, 3} <= table for table in pairs)
    assert sum({4, 5} <= table for table in pairs) == 4
    assert document["wishes"]["groups"] == [[6, 7]]


def test_seating_tool_avoids_pairs_already_met(organiser: Client) -> None:
    history = "1,2,3,4\n5,6,7,8\n\n1,2,5,6\n3,4,7,8"
    document = json.loads(organiser.post(TOOL, {**WANTED, "rounds": "1", "history": history, "as": "json"}).content)
    table = next(set(table) for table in document["rounds"][0] if 0 in table)
    assert 1 not in table


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        pytest.param("players", "3", "Too few players for a table.", id="too few"),
        pytest.param("players", "201", "201 players are too many", id="too many"),
        pytest.param("players", "-8", "Too few players", id="a negative number is a name"),
        pytest.param("players", "Aoki\nIshida\nUeno\nEguchi\nａｏｋｉ", "is listed twice", id="twice"),
        pytest.param("players", "x" * 41 + "\nb\nc\nd", "too long for a name", id="long name"),
        pytest.param("rounds", "41", "", id="too many rounds"),
        pytest.param("rounds", "0", "", id="no rounds"),
        pytest.param("seed", "99999999999999999999", "", id="huge seed"),
        pytest.param("table_size", "5", "", id="table of five"),
        pytest.param("apart", "1", "enter two names", id="one name"),
        pytest.param("apart", "1, 9", "“9” is not among the players.", id="unknown"),
        pytest.param("apart", "1, 1", "contains the same person twice", id="with themselves"),
        pytest.param("apart", "\n".join(f"{a},{b}" for a in range(1, 9) for b in range(1, a)), "No seating satisfies", id="impossible"),
        pytest.param("groups", "club: 1, Nobody", "“Nobody” is not among the players.", id="unknown member"),
        pytest.param("history", "1,2,3", "every table needs 4 players", id="table of three"),
        pytest.param("history", "1,2,3,4\n4,5,6,7", "someone has two seats", id="sits twice"),
        pytest.param("history", "1,2,3,4\n\n" * 61, "61 hanchan are too many", id="long history"),
    ],
)  # fmt: skip
def test_seating_tool_refuses_invalid_input(organiser: Client, field: str, value: str, said: str) -> None:
    answer = organiser.post(TOOL, {**WANTED, field: value})
    assert answer.status_code == 200
    page = answer.content.decode()
    assert said in page
    assert 'class="error"' in page or 'class="notice error"' in page
    assert "seat-round" not in page


def test_seating_search_is_limited_by_a_setting(organiser: Client, settings: Any) -> None:
    found = []
    for most in (1, PROPOSALS):
        settings.SEATING_PROPOSALS = most
        answer = organiser.post(TOOL, {**WANTED, "players": "16", "rounds": "7", "as": "json"})
        found.append(json.loads(answer.content)["rounds"])
        assert found[-1] == [[[*table] for table in tables] for tables in seat(16, 7, proposals=most).rounds]
    assert found[0] != found[1]
    assert written.SEATING_PROPOSALS == PROPOSALS


def test_seating_tool_refuses_contradicting_wishes(organiser: Client) -> None:
    page = organiser.post(TOOL, {**WANTED, "apart": "1,2", "together": "2,1"}).content.decode()
    assert "are also in “Keep apart”" in page


def test_seating_pages_use_few_queries(
    client: Client, stage_sessions: list[StageSession], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for stage_session in stage_sessions[:2]:
        play_planned(stage_session, by_entry(stage_session.tournament))
    with django_assert_max_num_queries(16):
        seating_page(client, stage_sessions[0].tournament)
    with django_assert_max_num_queries(16):
        certificate_page(client)
