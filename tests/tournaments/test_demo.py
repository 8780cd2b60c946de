import json
from datetime import UTC, date, datetime

import pytest
import time_machine
from django.contrib.auth.models import User
from django.db.models import Count
from django.test import Client

from league.models import Adjustment, Board, Hanchan, Incident, League, Player, Revision, Session, StalePeriod
from league.selectors.boards import board_lines, live_lines
from league.services.boards import rebuild_boards
from league.services.history import SYSTEM
from tests.conftest import built_once
from tests.league.factories import as_text, client_of, run
from tests.tournaments.factories import kinds
from tournaments.interchange.reading import read_file
from tournaments.interchange.storing import store_file
from tournaments.interchange.writing import write_file
from tournaments.models import Tick, Tournament
from tournaments.selectors.last_hands import tables_under_way
from tournaments.selectors.state import state_of

TODAY = date(2026, 11, 21)


@built_once(DEMO=True)
def demo() -> str:
    return run("load_demo", today=TODAY)


pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("demo")]


def test_demo_contains_every_kind_of_result(demo: str) -> None:
    league = League.objects.get(slug="camarade")
    hanchan = Hanchan.objects.filter(league=league)
    assert hanchan.count() > 300
    assert hanchan.filter(state="voided").count() == 1
    assert (TODAY - min(hanchan.values_list("day", flat=True))).days > 700
    busts = [incident.detail["by"] for incident in Incident.objects.filter(hanchan__league=league, kind="bust")]
    assert {"win", "draw", "other"} <= set(busts)
    assert 10 < len(busts) < 120
    assert hanchan.filter(sticks_left__gt=0).exists()
    assert hanchan.annotate(scores=Count("seats__raw_score", distinct=True)).filter(scores__lt=4).count() >= 6
    assert Incident.objects.filter(kind="yakuman").exists()
    assert Adjustment.objects.filter(league=league, points__lt=0).count() == 3
    assert Revision.objects.filter(league=league, action="corrected").count() == 3
    assert Player.objects.filter(league=league, is_guest=True).count() == 4
    assert Player.objects.filter(league=league).exclude(merged_into=None).count() == 1
    assert "aoki     tenbo-demo  owner" in demo


def test_demo_session_of_today_is_running() -> None:
    tonight = Session.objects.get(league__slug="camarade", date=TODAY)
    assert tonight.state == "open"
    assert [hanchan.day for hanchan in tonight.hanchan.all()] == [TODAY, TODAY]
    assert Session.objects.filter(state="open", league__slug="camarade", date__lte=TODAY).count() == 1
    assert Board.objects.get(league__slug="camarade", period="2026-11").hanchan > 2


@pytest.mark.both_databases
def test_demo_standings_are_up_to_date() -> None:
    assert not StalePeriod.objects.exists()
    for league in League.objects.all():
        assert rebuild_boards(league, lambda progress: None) == 0
        month = league.periods_of(TODAY)[0]
        stored, live = board_lines(league, month), live_lines(league, month)
        assert {line.player_id: line.total for line in stored} == {line.player_id: line.total for line in live}


@pytest.mark.long
@pytest.mark.both_databases
def test_demo_leagues_survive_export_and_import() -> None:
    for league in League.objects.all():
        first = json.loads(as_text(write_file(league)))
        copied = store_file(read_file(json.dumps(first).encode()), by=SYSTEM, slug=f"copy-of-{league.slug}")
        second = json.loads(as_text(write_file(League.objects.get(pk=copied.pk))))
        second["league"]["slug"] = league.slug
        assert second == first


def test_reloading_the_demo_prints_only_valid_logins(demo: str) -> None:
    assert demo.splitlines()[2:] == run("load_demo", if_empty=True).splitlines()
    aoki = User.objects.get(username="aoki")
    aoki.set_password("something else")
    aoki.save()
    again = run("load_demo", if_empty=True)
    assert "aoki" not in again
    assert "ueno" in again


def test_demo_player_has_a_filled_home_page() -> None:
    client = client_of(User.objects.get(username="eguchi"))
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC)):
        html = client.get("/en/me/").content.decode()
        for said in ("Today", "Your seat", "My statistics", "My last hanchan", "Camarade Open", "list: number 2"):
            assert said in html, said
        ahead = Session.objects.get(league__slug="camarade", date__gt=TODAY)
        page = client.get(f"/en/l/camarade/sessions/{ahead.pk}/").content.decode()
    paths = ("stage/swiss", "wall", "results")
    stage, hall, results = (client.get(f"/en/l/camarade/t/open/{path}/").content for path in paths)
    assert (b"Entered players" in hall, b"Swiss, not started" in results, b"to play" in stage) == (True, True, False)
    assert "Are you coming?" in page
    assert Tournament.objects.get(key="open").entries.count() == 8


def test_demo_table_is_in_its_last_hand(client: Client) -> None:
    paths = ("", "stage/po2/", "what-if/po2/")
    whole, page, what_if = (client.get(f"/l/cinderella/t/cinderella-2026/{path}").content.decode() for path in paths)
    assert "対局中の半荘は開始時の状態" in what_if
    assert whole.index("プレーオフ2を観戦") < whole.index("t-bracket")
    assert page.index("対局中の卓") < page.index("この局の条件") < page.index("この半荘の前に必要だったこと")
    current = state_of(Tournament.objects.get(key=f"cinderella-{2026}"))
    assert kinds(current.tournament, TODAY)[0] == "results"
    (table,) = tables_under_way(current, po2 := current.state.stage("po2"))
    order = [current.player(line.participant) for line in po2.rankings[0].lines]
    assert [player for player, _ in table.last_hands[0].players] == order
    assert table.line.startswith("南4局")
    assert sum(score for _, score in table.scores) == 100_000
    said = [said.own for _, said in table.last_hands[0].players]
    # Some players are safe, others need a certain result.
    assert len(set(said)) >= 3
    ticks = list(Tick.objects.order_by("number").values_list("number", "at"))
    assert [number for number, _ in ticks] == list(range(len(ticks)))
    assert [at for _, at in ticks] == sorted(at for _, at in ticks)
    saved = Hanchan.objects.filter(session__date=TODAY, league__slug="cinderella").latest("round").played_at
    assert saved is not None
    assert saved < ticks[0][1]


def test_demo_hall_display_shows_needs_of_the_last_hand() -> None:
    with time_machine.travel(datetime(2026, 11, 21, 12, tzinfo=UTC)):
        state = Client().get("/en/l/cinderella/t/cinderella-2026/wall/state/").json()
        page = Client().get("/en/l/cinderella/t/cinderella-2026/stage/qualifying/").content.decode()
    (gone,) = (row.split("</tr>")[0] for row in page.split("<tr") if ">withdrew<" in row)
    assert "Playoff" not in gone
    assert state["pause"] == 500
    for said in (
        'class="momentum"',
        "South 4",
        "What is needed in this hand",
        "Tsumo: any value.",
        "Ron from anyone: any",
    ):
        assert said in state["html"], said
