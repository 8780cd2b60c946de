import csv
import random
import re
from datetime import UTC, date, datetime, timedelta
from io import StringIO
from typing import Any
from urllib.parse import quote

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from league.core.periods import ALL_TIME, Period, month_of, range_of, year_of
from league.messages import counted_points
from league.models import League, Player, Standing
from league.selectors.board_parts import known_boards
from league.selectors.boards import MAX_STEPS, Evenings, board_lines, board_lines_on, drawn, evenings_around, trends
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player
from league.services.rules import adopt_card, make_current
from league.tables.board import BoardQuery, board_rows, gap_text
from league.tables.board_page import podium_lines
from league.templatetags.tenbo import pictures
from scoring.core import format_points
from tests.league.entry_contexts import text
from tests.league.factories import DAY, make_league, make_players, make_session, make_user, play, settle

MONTH = "/l/camarade/standings/2025-11/"
NOW = datetime(2025, 11, 21, 13, 0, tzinfo=UTC)

pytestmark = [pytest.mark.django_db, pytest.mark.time_machine(NOW, tick=False)]


@pytest.fixture
def league() -> League:
    league = make_league()
    play(make_session(league))
    settle()
    return league


def names(html: str) -> list[str]:
    return re.findall(r'class="player" href="[^"]+">(?:<span[^>]*>)?([^<]+)<', html)


def test_standings_show_names_points_and_gaps_and_sort_by_any_column(client: Client, league: League) -> None:
    html = text(client.get(MONTH))
    assert names(html) == ["青木", "石田", "上野", "江口"]
    for fact in ("+21.7", "20.4", "▲", "4.5", "1.00", "2025年11月"):
        assert fact in html
    gaps = re.findall(r'<td class="trend">\s*<span class="line2">([^<]+)</span>', text(client.get(f"/en{MONTH}")))
    assert gaps == ["gap 20.4", "gap 5.8", "gap 14.0"]
    for sort in ("total", "-player"):
        assert names(text(client.get(f"{MONTH}?sort={sort}"))) == ["江口", "上野", "石田", "青木"]


@pytest.mark.parametrize("scope", ["2025-13", "2025-11-21..2025-11-01", "%00"])
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
    assert re.findall(r"<caption[^>]*>(.*?)</caption>", html) == [f"November 2025. {said}"]
    for sentence in ("Ranking points: base, oka", "ore points in the most recent one"):
        assert sentence in html


def test_own_row_is_marked_and_linked_to(client: Client, league: League, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert "2025年10月の対局はありません" in html
    assert f'href="{MONTH}" rel="next"' in html
    assert "2025年11月を見る" in html
    html = text(client.get(MONTH))
    assert 'rel="prev"' not in html
    assert 'rel="next"' not in html


def test_standings_redirect_to_this_month_or_the_chosen_range(client: Client, league: League) -> None:
    good = client.get(MONTH, {"first": "2025-11-01", "last": "2025-11-21"})
    assert good.headers["Location"] == "/l/camarade/standings/2025-11-01..2025-11-21/"
    bad = client.get(f"/en{MONTH}", {"first": "2025-11-21", "last": "2025-11-01"})
    assert "The end date is before the start date." in text(bad)
    assert 'value="2025-11-21"' in text(bad)
    assert client.get(MONTH, {"first": "\x00", "last": "9" * 5000}).status_code == 200
    assert client.get("/l/camarade/standings/").headers["Location"] == MONTH
    assert client.get("/l/camarade/standings/?scope=2025").headers["Location"] == "/l/camarade/standings/2025/"


def test_page_polls_a_state_that_changes_only_with_the_figures(client: Client, league: League) -> None:
    before = client.get(f"{MONTH}state/")
    assert before.json()["hanchan"] == 1
    tag = before.headers["ETag"]
    play(make_session(league))
    assert client.get(f"{MONTH}state/", headers={"if-none-match": tag}).status_code == 304
    settle()
    assert client.get(f"{MONTH}state/", headers={"if-none-match": tag}).json()["hanchan"] == 2
    html = text(client.get(MONTH))
    tag = client.get(f"{MONTH}state/").headers["ETag"].replace('"', "&quot;")
    assert f'data-live-etag="{tag}"' in html
    assert f'data-live-url="{MONTH}state/"' in html


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
    assert (
        response.headers["Content-Disposition"]
        == f"attachment; filename*=utf-8''{quote('カマラードリーグ')}-2025-11.csv"
    )
    assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert sheet(client.get(f"/en{MONTH}csv/"))[0][:3] == ["rank", "previous rank", "player"]


def test_settlement_of_a_file_counts_chombo_as_the_session_does(client: Client) -> None:
    session = make_session(make_league(card="mleague", parameters={"chombo": {"kind": "total", "amount": "-20"}}))
    hanchan = play(session, chombo=(1, 0, 0, 0))
    settle()
    heading, *rows = sheet(client.get(f"{MONTH}csv/"))
    settlement = {row[2]: row[heading.index("精算")] for row in rows}
    assert settlement == {row[2]: row[3] for row in rows}
    page = client.get(f"/l/camarade/sessions/{session.pk}/", {"ledger": "settlement"})
    assert hanchan.seats.get(seat=0).total_only == -20000
    assert {column.player.name: format_points(column.total) for column in page.context["sheet"].columns} == settlement


def test_csv_has_players_with_only_an_adjustment(client: Client) -> None:
    player = add_player(league=make_league(), facts=PlayerFacts("=HYPERLINK()"), by=SYSTEM)
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
    play(make_session(make_league(metric=metric)))
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
        (League.Metric.AVERAGE_PLACEMENT, 8 * 10**6, "0.0040"),
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
        league = make_league(**settings)
        assert counted_points(league, league.current_version) == counted


def test_past_standings_name_the_rules_of_their_time(client: Client, league: League) -> None:
    make_current(league=league, version=adopt_card(league=league, card_key="wrc", name="WRC", by=SYSTEM), by=SYSTEM)
    assert "Ranking points: base, oka" in text(client.get(f"/en{MONTH}"))


FIRST, SECOND, THIRD = date(2025, 10, 31), date(2025, 11, 7), date(2025, 11, 21)


ENGLISH_MONTH = "/en/l/camarade/standings/2025-11/"


@pytest.fixture
def three_evenings() -> League:
    league = make_league()
    aoki, ishida, ueno, eguchi, fifth = make_players(league, 5)
    for day in (FIRST, SECOND):
        play(make_session(league, day), players=(aoki, ishida, ueno, eguchi))
    third = make_session(league, THIRD)
    play(third, players=(ishida, fifth, aoki, eguchi))
    play(third, players=(ishida, ueno, aoki, eguchi))
    settle()
    return league


def board(client: Client, address: str) -> dict[str, str]:
    rows = re.findall(r"<tr id=.*?</tr>", text(client.get(address)), re.DOTALL)
    plain = [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows]
    return dict(zip([re.findall(r'class="player" href="[^"]+">([^<]+)<', row)[0] for row in rows], plain, strict=True))


def facts(lines: list[Standing]) -> list[tuple[Any, ...]]:
    names = ("player_id", "rank", "shared_rank", "score", "total", "hanchan", "previous_rank", "recent", "raw_best")
    return [tuple(getattr(line, name) for name in names) for line in lines]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "period", [month_of(THIRD), year_of(THIRD), ALL_TIME, range_of(date(2025, 10, 15), THIRD)], ids=lambda one: one.key
)
def test_standings_as_of_a_day_equal_the_standings_on_that_day(seed: int, period: Period) -> None:
    dice = random.Random(seed)
    league = make_league(minimum_month=2, minimum_year=2)
    players = make_players(league, 6)
    days = sorted(dice.sample([date(2025, 8, 20) + timedelta(days=number) for number in range(93)], 10))
    said: dict[date, list[tuple[Any, ...]]] = {}
    for day in days:
        raw = dice.sample(range(1, 400), 3)
        play(
            make_session(league, day),
            (*(100 * each for each in raw), 100_000 - 100 * sum(raw)),
            players=dice.sample(players, 4),
        )
        settle()
        said[day] = facts(board_lines(league, period))
    for day in days:
        if day in period:
            assert facts(board_lines_on(league, period, day, known_boards(league))) == said[day]


def test_adjustment_counts_from_its_day(three_evenings: League) -> None:
    aoki = three_evenings.players.get(romanised="Aoki")
    adjust(player=aoki, day=date(2025, 11, 10), points=-40000, reason="late", by=SYSTEM)
    settle()

    def total(day: date) -> int:
        return next(line.total for line in board_lines_on(three_evenings, month_of(THIRD), day) if line.player == aoki)

    assert (total(date(2025, 11, 9)), total(date(2025, 11, 10))) == (21700, -18300)
    assert trends(three_evenings, month_of(THIRD), [aoki.pk])[aoki.pk] == (0, 21700, -18300, -27300)


@pytest.mark.parametrize(
    ("period", "day", "expected"),
    [
        (month_of(THIRD), None, Evenings(SECOND, THIRD, SECOND, None)),
        (month_of(THIRD), SECOND, Evenings(SECOND, THIRD, None, THIRD)),
        (month_of(THIRD), date(2025, 11, 8), Evenings(SECOND, THIRD, SECOND, THIRD)),
        (ALL_TIME, SECOND, Evenings(FIRST, THIRD, FIRST, THIRD)),
        (month_of(date(2025, 12, 1)), None, Evenings(None, None, None, None)),
    ],
)
def test_sessions_around_a_day_are_found_with_one_query(
    three_evenings: League, period: Period, day: date | None, expected: Evenings
) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert evenings_around(three_evenings, period, day) == expected
    assert len(asked) == 1


def test_standings_as_of_a_session_show_changes_and_link_to_others(client: Client, three_evenings: League) -> None:
    rows = board(client, f"{ENGLISH_MONTH}?on=2025-11-07")
    assert list(rows) == ["Aoki", "Ishida", "Ueno", "Eguchi"]
    assert "+21.7" in rows["Aoki"]
    assert "−9.0" in rows["Aoki"]
    assert "#1 → #2" in rows["Aoki"]
    assert "#2 → #1" in rows["Ishida"]
    html = text(client.get(f"{ENGLISH_MONTH}?on=2025-11-07"))
    assert "As of Fri 7 Nov 2025" in html
    assert "1 hanchan until then" in html
    assert "Joined since:" in html
    assert "Player 5" in html
    assert "noindex" in html
    assert "on=2025-11-07&amp;columns=all" in html
    for address in (ENGLISH_MONTH, f"{ENGLISH_MONTH}?on="):
        html = text(client.get(address))
        assert "+44.7" in html
        assert "Since then" not in html
        assert "noindex" not in html
    html = text(client.get("/l/camarade/standings/all/?on=2025-11-07"))
    assert 'href="?on=2025-10-31" rel="prev"' in html
    assert 'href="?on=2025-11-21" rel="next"' in html
    assert 'href="?on=2025-11-07"' in text(client.get(ENGLISH_MONTH))


@pytest.mark.parametrize(
    "day", ["2025-11-06", "2025-11-22", "2025-02-30", "9999-12-31", "0001-01-01", "x", "2025-11", "\x00"]
)
def test_days_without_standings_are_refused_in_one_sentence(client: Client, three_evenings: League, day: str) -> None:
    response = client.get(ENGLISH_MONTH, {"on": day})
    assert response.status_code == 404
    html = text(response)
    assert html.count("These standings are available for days from 7 Nov 2025 to 21 Nov 2025.") == 1
    assert '<meta name="robots" content="noindex">' in html
    assert "+44.7" in html
    response = client.get("/en/l/camarade/standings/2025-09/?on=2025-09-03")
    assert response.status_code == 404
    assert "Nothing was played in this period, so there are no earlier standings." in text(response)


@pytest.mark.parametrize("scope", ["2025-11", "2025", "all", "2025-11-01..2025-11-21"])
@pytest.mark.parametrize("evenings", [1, 6])
def test_standings_of_days_cost_few_queries(client: Client, three_evenings: League, evenings: int, scope: str) -> None:
    for number in range(evenings):
        play(make_session(three_evenings, date(2025, 11, 8 + number)))
    settle()
    with CaptureQueriesContext(connection) as asked:
        assert client.get(f"/l/camarade/standings/{scope}/?on=2025-11-13").status_code == 200
    assert len(asked) <= (17 if ".." in scope else 15)


def aoki(league: League) -> Player:
    return league.players.get(romanised="Aoki")


@pytest.mark.parametrize(
    ("period", "curve"),
    [
        pytest.param(month_of(THIRD), (0, 21700, 12700), id="a step for each day of a month"),
        pytest.param(year_of(THIRD), (0, 21700, 34400), id="a step for each month of a year"),
        pytest.param(ALL_TIME, (0, 21700, 34400), id="a step for each month of all time"),
        pytest.param(range_of(SECOND, SECOND), (0, 21700), id="only the days of a range"),
    ],
)
def test_curve_has_steps_of_the_period(three_evenings: League, period: Period, curve: tuple[int, ...]) -> None:
    assert trends(three_evenings, period, [aoki(three_evenings).pk]) == {aoki(three_evenings).pk: curve}


def test_curve_of_a_shifted_year_starts_in_its_first_month(three_evenings: League) -> None:
    three_evenings.first_month = 11
    assert trends(three_evenings, year_of(THIRD, 11), [aoki(three_evenings).pk])[aoki(three_evenings).pk] == (0, 12700)


def test_long_curve_is_thinned_and_keeps_its_end() -> None:
    steps = [f"{number:03}" for number in range(200)]
    found = drawn({1: dict.fromkeys(steps, 10)}, steps, [1, 2])
    assert len(found[1]) == MAX_STEPS
    assert found[1][-1] == 2000
    assert set(found[2]) == {0}


@pytest.mark.parametrize(
    ("totals", "bars"),
    [
        pytest.param((126_100, 63_050, 12_610), [(0, 10000, 0), (0, 5000, 0), (0, 1000, 0)], id="all above zero"),
        pytest.param((30_000, 0, -10_000), [(2500, 7500, 2500), (2500, 0, 2500), (0, 2500, 2500)], id="on both sides"),
        pytest.param((-10_000, -20_000), [(5000, 5000, 10000), (0, 10000, 10000)], id="all below zero"),
        pytest.param((0, 0), [(0, 0, 0), (0, 0, 0)], id="nothing"),
        pytest.param((), [], id="nobody"),
    ],
)
def test_podium_bars_are_proportional_to_points(totals: tuple[int, ...], bars: list[tuple[int, int, int]]) -> None:
    lines = podium_lines(League(metric=League.Metric.POINTS), [Standing(total=total) for total in totals])
    assert [place.bar for place in lines] == bars


def test_podium_bars_show_average_points_but_no_average_placements() -> None:
    lines = [Standing(total=40_000, hanchan=4), Standing(total=30_000, hanchan=6)]
    first, second = podium_lines(League(metric=League.Metric.AVERAGE_POINTS), lines)
    assert (first.bar, second.bar) == ((0, 10000, 0), (0, 5000, 0))
    (place,) = podium_lines(League(metric=League.Metric.AVERAGE_PLACEMENT), lines[:1])
    assert place.bar is None
    assert pictures.podium_bar(None) == ""


def test_negative_bar_is_drawn_left_of_zero() -> None:
    bar = pictures.podium_bar((0, 2500, 2500))
    assert '<rect class="minus" x="0.00%" width="25.00%"' in bar
    assert '<line x1="25.00%"' in bar
    assert '<rect class="plus" x="25.00%" width="75.00%"' in pictures.podium_bar((2500, 7500, 2500))


def test_league_home_shows_the_podium_in_order(client: Client) -> None:
    play(make_session(make_league()))
    settle()
    html = client.get("/en/l/camarade/").content.decode()
    podium = html[html.index('<ol class="podium">') : html.index("</ol>", html.index('<ol class="podium">'))]
    assert podium.index("Aoki") < podium.index("Ishida") < podium.index("Ueno")
    assert podium.count("<rect") == 3
    assert podium.count('class="minus"') == 1
    assert podium.count("<a ") == 3
