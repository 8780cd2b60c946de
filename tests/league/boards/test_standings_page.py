import csv
import re
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from league.messages import counted_points
from league.models import League, Player, Standing
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player
from league.tables.board import BoardQuery, board_rows, gap_text
from tests.league.factories import DAY, make_league, make_players, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db

MONTH = "/l/camarade/standings/2025-11/"
NOW = datetime(2025, 11, 21, 13, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _now() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def league() -> League:
    league = make_league()
    play(make_session(league))
    settle()
    return league


def text(response: Any) -> str:
    return str(response.getvalue().decode())


def names(html: str) -> list[str]:
    return re.findall(r'class="player" href="[^"]+">(?:<span[^>]*>)?([^<]+)<', html)


def test_standings_show_names_points_and_gaps(client: Client, league: League) -> None:
    html = text(client.get(MONTH))
    assert names(html) == ["青木", "石田", "上野", "江口"]
    for fact in ("+21.7", "20.4", "▲", "4.5", "1.00", "2025年11月"):
        assert fact in html
    gaps = re.findall(r'<td class="trend">\s*<span class="line2">([^<]+)</span>', text(client.get(f"/en{MONTH}")))
    assert gaps == ["gap 20.4", "gap 5.8", "gap 14.0"]


def test_standings_without_period_redirect_to_this_month(client: Client, league: League) -> None:
    assert client.get("/l/camarade/standings/").headers["Location"] == MONTH
    assert client.get("/l/camarade/standings/?scope=2025").headers["Location"] == "/l/camarade/standings/2025/"


@pytest.mark.parametrize(
    "scope",
    ["2025-13", "0001-01", "9999-12", "9999", "0000", "x", "2025-11-21..2025-11-01", "%00", "2025-11-01..9999-12-31"],
)
def test_invalid_periods_are_not_found(client: Client, league: League, scope: str) -> None:
    for ending in ("", "state/", "csv/"):
        assert client.get(f"/l/camarade/standings/{scope}/{ending}").status_code == 404


@pytest.mark.long
def test_every_column_sorts_both_ways(client: Client, league: League) -> None:
    shown = ("rank", "player", "total", "mean", "hanchan", "average", "recent")
    for column in (*shown, "first", "top_two", "not_last", "busts", "best"):
        for sign in ("", "-"):
            html = text(client.get(f"{MONTH}?columns=all&sort={sign}{column}"))
            assert len(names(html)) == 4, column
            direction = "descending" if sign else "ascending"
            assert f'aria-sort="{direction}"' in html, column


def test_standings_sort_by_any_column(client: Client, league: League) -> None:
    assert names(text(client.get(f"{MONTH}?sort=total"))) == ["江口", "上野", "石田", "青木"]
    assert names(text(client.get(f"{MONTH}?sort=-player"))) == ["江口", "上野", "石田", "青木"]


@pytest.mark.parametrize(
    ("sort", "said"),
    [
        ("", "Total points, highest first"),
        ("total", "Sorted by “Points”, ascending"),
        ("-average", "Sorted by “Average placement”, descending"),
    ],
)
def test_caption_says_how_the_rows_are_sorted(client: Client, league: League, sort: str, said: str) -> None:
    html = text(client.get(f"/en{MONTH}?sort={sort}"))
    caption = re.findall(r"<caption[^>]*>(.*?)</caption>", html)
    assert caption == [f"November 2025. {said}"]
    for sentence in ("Ranking points: base, oka", "etter result in the most recent hanchan"):
        assert sentence in html


def test_own_row_is_marked_and_linked_from_other_pages(
    client: Client, league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert 'class="me ' not in text(client.get(MONTH))
    user = make_user("reader", league=league, role="player")
    eguchi = league.players.get(romanised="Eguchi")
    league.players.filter(pk=eguchi.pk).update(user=user)
    client.force_login(user)
    html = text(client.get(f"/en{MONTH}"))
    assert "You: #4" in html
    assert html.count('class="me ') == 1
    assert f'href="#p{eguchi.pk}"' in html
    monkeypatch.setattr("league.tables.board_page.ROWS", 3)
    monkeypatch.setattr("league.views.standings.ROWS", 3)
    League.objects.update(name="別の名")
    assert f'href="?page=2#p{eguchi.pk}"' in text(client.get(MONTH))


def test_players_below_the_minimum_are_shown_without_a_rank(client: Client) -> None:
    league = make_league(minimum_month=2)
    players = make_players(league, 5)
    session = make_session(league)
    play(session, players=players[:4])
    play(session, players=(*players[:3], players[4]))
    settle()
    html = text(client.get(f"/en{MONTH}"))
    assert names(html) == ["Aoki", "Ishida", "Ueno", "Eguchi", "Player 5"]
    assert html.count("1 more needed") == 4
    assert "Below the minimum of 2 hanchan" in html
    assert "Below the minimum" not in text(client.get("/en/l/camarade/standings/2025/"))


def test_tied_row_explains_the_tie(client: Client) -> None:
    league = make_league()
    players = make_players(league)
    session = make_session(league)
    play(session, players=players)
    play(session, players=(players[1], players[0], players[2], players[3]))
    settle()
    ranks = dict(Standing.objects.filter(period="2025-11").values_list("player_id", "rank"))
    assert (ranks[players[1].pk], ranks[players[0].pk]) == (1, 2)
    html = text(client.get(MONTH))
    assert names(html)[:2] == ["石田", "青木"]
    assert html.count('class="why"') == 1


def test_empty_month_links_to_the_latest_month(client: Client, league: League) -> None:
    html = text(client.get("/l/camarade/standings/2025-10/"))
    assert "2025年10月の対局はまだありません" in html
    assert f'href="{MONTH}" rel="next"' in html
    html = text(client.get(MONTH))
    assert 'rel="prev"' not in html
    assert 'rel="next"' not in html


def test_range_form_redirects_to_the_range_or_shows_an_error(client: Client, league: League) -> None:
    good = client.get(MONTH, {"first": "2025-11-01", "last": "2025-11-21"})
    assert good.headers["Location"] == "/l/camarade/standings/2025-11-01..2025-11-21/"
    bad = client.get(f"/en{MONTH}", {"first": "2025-11-21", "last": "2025-11-01"})
    assert "The end date is before the start date." in text(bad)
    assert 'value="2025-11-21"' in text(bad)
    assert client.get(MONTH, {"first": "\x00", "last": "9" * 5000}).status_code == 200


def test_polled_state_changes_only_with_the_figures(client: Client, league: League) -> None:
    before = client.get(f"{MONTH}state/")
    assert before.json()["hanchan"] == 1
    tag = before.headers["ETag"]
    play(make_session(league))
    assert client.get(f"{MONTH}state/", headers={"if-none-match": tag}).status_code == 304
    settle()
    assert client.get(f"{MONTH}state/", headers={"if-none-match": tag}).json()["hanchan"] == 2


def test_page_polls_its_state(client: Client, league: League) -> None:
    html = text(client.get(MONTH))
    tag = client.get(f"{MONTH}state/").headers["ETag"].replace('"', "&quot;")
    assert f'data-live-etag="{tag}"' in html
    assert f'data-live-url="{MONTH}state/"' in html


@pytest.mark.long
@pytest.mark.parametrize("scope", ["2025-11", "2025", "all", "2025-11-01..2025-11-30"])
@pytest.mark.parametrize("evenings", [1, 3])
def test_standings_of_two_hundred_players_cost_few_queries(client: Client, evenings: int, scope: str) -> None:
    league = make_league()
    players = [Player(league=league, key=f"p{n}", name=f"選手{n}", kana=f"せんしゅ{n:03}") for n in range(200)]
    Player.objects.bulk_create(players)
    for _ in range(evenings):
        session = make_session(league)
        for number in range(0, 200, 4):
            play(session, players=players[number : number + 4])
    settle()
    address = f"/l/camarade/standings/{scope}/"
    with CaptureQueriesContext(connection) as first:
        response = client.get(address)
    assert len(names(text(response))) == 50
    assert "4ページ" in text(response)
    with CaptureQueriesContext(connection) as again:
        client.get(address)
    with CaptureQueriesContext(connection) as unchanged:
        client.get(address, headers={"if-none-match": response.headers["ETag"]})
    assert len(first) <= 12
    assert len(again) <= 5
    assert len(unchanged) <= 2


def test_long_standings_have_pages(client: Client, monkeypatch: pytest.MonkeyPatch, league: League) -> None:
    monkeypatch.setattr("league.tables.board_page.ROWS", 3)
    assert names(text(client.get(MONTH))) == ["青木", "石田", "上野"]
    second = text(client.get(f"{MONTH}?page=2"))
    assert names(second) == ["江口"]
    assert 'rel="prev"' in second


def sheet(response: Any) -> list[list[str]]:
    raw = response.getvalue().decode()
    assert raw.startswith("\ufeff")
    assert "\r\n" in raw
    return list(csv.reader(StringIO(raw.removeprefix("\ufeff"), newline="")))


def test_csv_has_plain_numbers(client: Client, league: League) -> None:
    heading, first, *_, last = sheet(client.get(f"{MONTH}csv/"))
    assert heading[:5] == ["順位", "前回順位", "選手", "ポイント", "半荘数"]
    assert first[:6] == ["1", "", "青木", "21.7", "1", "1.0000"]
    assert last[3] == "-18.5"
    response = client.get(f"{MONTH}csv/")
    assert response.headers["Content-Disposition"] == 'attachment; filename="camarade-2025-11.csv"'
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert sheet(client.get(f"/en{MONTH}csv/"))[0][:3] == ["rank", "previous rank", "player"]


def test_csv_has_players_with_only_an_adjustment(client: Client) -> None:
    league = make_league()
    player = add_player(league=league, facts=PlayerFacts("=HYPERLINK()"), by=SYSTEM)
    adjust(player=player, day=DAY, points=-40000, reason="late", by=SYSTEM)
    settle()
    _, row = sheet(client.get(f"{MONTH}csv/"))
    assert row[:6] == ["", "", "'=HYPERLINK()", "-40", "0", ""]
    assert client.get(MONTH).status_code == 200


@pytest.mark.parametrize(
    ("metric", "column", "first"),
    [
        pytest.param(League.Metric.AVERAGE_POINTS, "Per hanchan", "Aoki", id="points per hanchan"),
        pytest.param(League.Metric.AVERAGE_PLACEMENT, "Average placement", "Aoki", id="average placement"),
    ],
)
def test_standings_have_the_column_of_their_metric(client: Client, metric: str, column: str, first: str) -> None:
    league = make_league(metric=metric)
    play(make_session(league))
    settle()
    html = text(client.get(f"/en{MONTH}"))
    assert f">{column}</a>" in html
    assert names(html)[0] == first


@pytest.mark.parametrize(
    ("metric", "distance", "expected"),
    [
        (League.Metric.POINTS, 20400, "20.4"),
        (League.Metric.POINTS, 20000, "20.0"),
        (League.Metric.POINTS, 1, "0.001"),
        (League.Metric.AVERAGE_POINTS, 20400 * 10**9, "20.4"),
        (League.Metric.AVERAGE_PLACEMENT, 2 * 10**9, "1.00"),
    ],
)
def test_gap_is_in_the_unit_of_the_metric(metric: str, distance: int, expected: str) -> None:
    assert gap_text(League(metric=metric), distance) == expected


@pytest.mark.parametrize(("players", "expected"), [(4, 48), (3, 24)])
def test_last_placement_depends_on_the_size_of_the_table(players: int, expected: int) -> None:
    league = make_league()
    assert league.current_version is not None
    league.current_version.parameters["players"] = players
    line = Standing(player=Player(name="青木"), score=0, hanchan=4, first=12, second=12, third=24, fourth=0)
    [row] = board_rows(league, [line], minimum=0)
    assert row.not_last_count == expected


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({}, "?"),
        ({"sort": "-total", "columns": "all"}, "?sort=-total&columns=all"),
        ({"sort": "rank", "view": "table", "page": "7"}, "?view=table"),
    ],
)
def test_links_keep_the_query(asked: dict[str, str], expected: str) -> None:
    assert BoardQuery.read(asked).url() == expected


@pytest.mark.parametrize(
    ("settings", "counted"),
    [
        ({"card": "mleague"}, "Ranking points: base, oka, uma, penalties"),
        (
            {"card": "parlour-placement", "parameters": {"uma": ["3", "1", "-1", "-3"]}},
            "Ranking points: uma, penalties",
        ),
        ({"metric": "average_placement"}, "Placements only"),
    ],
)
def test_standings_name_what_the_rules_count(settings: dict[str, Any], counted: str) -> None:
    with override("en"):
        assert counted_points(make_league(**settings)) == counted
