import csv
import json
from collections import deque
from datetime import date
from io import StringIO
from typing import Any

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.test import Client
from django.utils.translation import override
from pytest_django import DjangoAssertNumQueries

from league.core.periods import parse_period
from league.core.spreadsheets.columns import STATE, RowShape
from league.exports.hanchan import FileLayout, hanchan_table, hanchan_within
from league.exports.table import CSV, text_chunks
from league.models import Hanchan, League, Player
from league.selectors import plain_rows
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player, change_player
from league.services.results import void_hanchan
from scoring.core import Bust
from tests.league.factories import make_league, make_players, make_session, make_user, play, settle
from tests.league.interchange.test_streaming import league_of
from tests.league.managing.test_rescoring import peak

pytestmark = pytest.mark.django_db

PAGE = "/l/camarade/manage/export/"
FILE = f"{PAGE}file/"
MONTH = "2025-11"


@pytest.fixture
def league() -> League:
    """A league with one hanchan on 21 November 2025 and one on 5 December, the latter with a bust."""
    league = make_league()
    players = make_players(league, 4)
    play(make_session(league), players=players, note="=1+1")
    december = make_session(league, date(2025, 12, 5), title="忘年会")
    play(december, (50000, 31000, 20000, -1000), players, busts=[Bust(3, "win", winners=(0,))])
    settle()
    return league


@pytest.fixture
def organiser(league: League) -> User:
    return make_user("organiser", league=league, role="organiser")


def rows_of(league: League, shape: FileLayout, reader: Any = None, **chosen: Any) -> list[list[str]]:
    table = hanchan_table(league, hanchan_within(league, **chosen), reader or AnonymousUser(), shape)
    text = b"".join(text_chunks(table, CSV)).decode("utf-8-sig")
    return list(csv.reader(StringIO(text, newline="")))


def got(answer: Any) -> list[list[str]]:
    return list(csv.reader(StringIO(answer.getvalue().decode("utf-8-sig"), newline="")))


def test_long_file_has_a_row_per_player(league: League) -> None:
    header, first, *others = rows_of(league, FileLayout())
    assert ",".join(header) == "日付,節,卓,回戦,席,選手,素点,着順,ポイント,トビ,メモ"
    assert first == ["2025-11-21", "第1節", "1", "1", "東", "青木", "31700", "1", "21.7", "", "'=1+1"]
    assert [row[5] for row in others] == ["石田", "上野", "江口", "青木", "石田", "上野", "江口"]
    with override("en"):
        header, first, *_ = rows_of(league, FileLayout(languages="en"))
    assert header[:6] == ["date", "session", "table", "game", "seat", "player"]
    assert first[1:6] == ["Session 1", "1", "1", "E", "青木"]


def test_wide_file_has_a_row_per_hanchan(league: League) -> None:
    japanese, english, _, december = rows_of(league, FileLayout(RowShape.WIDE, "both"))
    assert japanese[4:8] == ["選手1", "素点1", "着順1", "ポイント1"]
    assert english[4:8] == ["player1", "raw1", "placement1", "points1"]
    assert december[:6] == ["2025-12-05", "忘年会", "1", "1", "青木", "50000"]


def test_wide_file_of_three_player_hanchan_has_three_seats() -> None:
    league = make_league(card="tenhou-3p")
    play(make_session(league), (45000, 35000, 25000))
    header, row = rows_of(league, FileLayout(RowShape.WIDE))
    assert "選手3" in header
    assert "選手4" not in header
    assert len(row) == len(header)


@pytest.mark.parametrize("form", list(RowShape))
def test_exact_file_has_every_fact(league: League, form: RowShape, organiser: User) -> None:
    void_hanchan(hanchan=hanchan_within(league).order_by("pk")[0], by=SYSTEM, reason="twice")
    header, first, *_, last = rows_of(league, FileLayout(form, "en", exact=True), organiser)
    facts = dict(zip(header, first, strict=True))
    assert facts["state"] == "voided"
    assert facts["played_at"].startswith("2025-11-21T")
    assert facts["played_at"].endswith("+09:00")
    assert facts["rules"] == facts["session_rules"] == "camarade v1"
    bust = "bust4" if form is RowShape.WIDE else "bust"
    assert dict(zip(header, last, strict=True))[bust] == "win:E"


def test_voided_hanchan_are_omitted_by_default(league: League) -> None:
    void_hanchan(hanchan=hanchan_within(league).order_by("pk")[0], by=SYSTEM, reason="twice")
    assert {row[0] for row in rows_of(league, FileLayout())[1:]} == {"2025-12-05"}


@pytest.mark.parametrize("form", list(RowShape))
def test_disputed_hanchan_that_do_not_count_are_marked(league: League, form: RowShape) -> None:
    hanchan_within(league).filter(session__title="忘年会").update(state=Hanchan.State.DISPUTED)
    assert "状態" not in rows_of(league, FileLayout(form))[0]
    league.disputed_count = False
    header, first, *_, last = rows_of(league, FileLayout(form))
    assert (header[-1], first[-1], last[-1]) == ("状態", STATE["recorded"][0], STATE["disputed"][0])


def test_file_of_a_period_has_only_its_hanchan(league: League) -> None:
    november = parse_period("2025-11")
    assert {row[0] for row in rows_of(league, FileLayout(), period=november)[1:]} == {"2025-11-21"}


def test_file_costs_few_queries(league: League, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    session = make_session(league, date(2025, 12, 6))
    players = list(league.players.order_by("pk"))
    for _ in range(5):
        play(session, players=players)
    with django_assert_max_num_queries(7):
        reader = User(username="root", is_superuser=True)
        assert len(rows_of(league, FileLayout(exact=True), reader)) == 29


@pytest.mark.parametrize("what", ["hanchan", "board"])
@pytest.mark.parametrize("form", ["long", "wide"])
def test_files_for_visitors_have_no_hidden_names(client: Client, league: League, what: str, form: str) -> None:
    facts = PlayerFacts("青木", "あおき", "Aoki", "1", visibility=Player.Visibility.MEMBERS)
    change_player(player=league.players.get(romanised="Aoki"), facts=facts, by=SYSTEM)
    asked = {"what": what, "form": form}
    assert "青木" not in client.get(FILE, asked).getvalue().decode()
    client.force_login(make_user("member", league=league, role="player"))
    assert "青木" in client.get(FILE, asked).getvalue().decode()


@pytest.mark.merge
def test_only_files_for_organisers_have_every_column(client: Client, league: League, organiser: User) -> None:
    assert b'name="columns"' not in client.get(PAGE).content
    (header, *_) = got(client.get(FILE, {"columns": "all"}))
    assert "ふりがな" not in header
    assert "状態" not in header
    client.force_login(organiser)
    (header, first, *_) = got(client.get(FILE, {"columns": "all"}))
    assert dict(zip(header, first, strict=True))["ふりがな"] == "あおき"
    assert league.name not in header


def test_only_organisers_export_the_whole_league(client: Client, league: League, organiser: User) -> None:
    address = f"{PAGE}json/"
    assert address.encode() not in client.get(PAGE).content
    assert client.get(address).status_code == 302
    client.force_login(organiser)
    assert address.encode() in client.get(PAGE).content
    answer: Any = client.get(address)
    assert json.loads(answer.getvalue())["schema"] == "tenbo/1"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{league.slug}.json"'


@pytest.mark.parametrize(
    ("asked", "name", "media"),
    [
        pytest.param({}, "camarade-hanchan-all.csv", "text/csv; charset=utf-8", id="nothing said"),
        pytest.param({"what": "board", "scope": "2025-11"}, "camarade-2025-11.csv", "text/csv", id="board"),
        pytest.param({"format": "tsv-utf16", "scope": "2025"}, "camarade-hanchan-2025.txt", "text/plain", id="UTF-16"),
        pytest.param({"format": "xlsx", "by_month": "on"}, "camarade-hanchan-all.xlsx", "application/", id="workbook"),
        pytest.param(
            {"scope": "2025-11-01..2025-11-21"}, "camarade-hanchan-2025-11-01..2025-11-21.csv", "text/csv", id="range"
        ),
    ],
)
def test_file_is_named_after_its_content(
    client: Client, league: League, asked: dict[str, str], name: str, media: str
) -> None:
    answer = client.get(FILE, asked)
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer.headers["Content-Type"].startswith(media)
    assert "no-store" in answer.headers["Cache-Control"]
    assert answer.getvalue()


def test_standings_of_all_days_of_a_month_equal_those_of_the_month(client: Client, league: League) -> None:
    month, days = (
        got(client.get(FILE, {"what": "board", "scope": each})) for each in (MONTH, f"{MONTH}-01..{MONTH}-30")
    )
    assert len(month) == 5
    assert days == month


def test_file_of_a_session_has_only_its_hanchan(client: Client, league: League) -> None:
    session = league.sessions.get(title="忘年会")
    answer = client.get(FILE, {"session": str(session.pk), "scope": "2025-11"})
    name = f"camarade-hanchan-session-{session.number}.csv"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert [row[1] for row in got(answer)[1:]] == ["忘年会"] * 4


@pytest.mark.parametrize(
    "asked",
    [
        {"format": "doc"},
        {"scope": "tomorrow"},
        {"session": "0"},
        {"form": "round"},
        {"headers": "de"},
        {"what": "mail"},
    ],
)
def test_invalid_export_option_shows_an_error(client: Client, league: League, asked: dict[str, str]) -> None:
    answer = client.get(FILE, asked)
    assert "Content-Disposition" not in answer.headers
    assert b'id="errors"' in answer.content


@pytest.mark.parametrize("what", ["hanchan", "board"])
def test_names_missing_in_shift_jis_are_listed_before_the_download(client: Client, league: League, what: str) -> None:
    asked = {"format": "csv-cp932", "what": what}
    assert client.get(FILE, asked).getvalue()
    seldom = add_player(league=league, facts=PlayerFacts("𠮷田"), by=SYSTEM)
    three = league.players.exclude(pk=seldom.pk).order_by("pk")[:3]
    play(make_session(league, date(2025, 12, 6)), players=[seldom, *three])
    settle()
    answer = client.get(FILE, asked)
    page = answer.content.decode()
    assert "𠮷田" in page
    assert "Content-Disposition" not in answer.headers
    assert f"{FILE}?format=xlsx&amp;what={what}" in page
    assert client.get(FILE, {**asked, "format": "xlsx"}).getvalue()


def test_standings_file_has_headings_in_both_languages(client: Client, league: League) -> None:
    japanese, english, first, *_ = got(client.get(FILE, {"what": "board", "headers": "both"}))
    assert japanese[:3] == ["順位", "前回順位", "選手"]
    assert english[:3] == ["rank", "previous rank", "player"]
    assert first[2] == "青木"


def test_export_page_is_filled_in_from_the_url(client: Client, league: League) -> None:
    page = client.get(PAGE, {"what": "board", "scope": "2025-11"}).content.decode()
    assert '<option value="board" selected>' in page
    assert '<option value="2025-11" selected>' in page
    assert "<h1" in client.get(f"/en{PAGE}").content.decode()


@pytest.mark.long
@pytest.mark.both_databases
@pytest.mark.parametrize("form", list(RowShape))
def test_file_of_many_hanchan_needs_little_memory(form: RowShape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_rows, "HANCHAN_AT_ONCE", 60)
    peaks = []
    for size in (300, 1200):
        made = league_of(size)
        table = hanchan_table(made, hanchan_within(made), AnonymousUser(), FileLayout(form, exact=True))
        peaks.append(peak(lambda table=table: deque(text_chunks(table, CSV), maxlen=0)))
    assert peaks[1] < 1.25 * peaks[0]
