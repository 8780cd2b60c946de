import csv
import gc
import json
import re
import tracemalloc
from datetime import date
from io import StringIO
from typing import Any
from urllib.parse import quote

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override
from pytest_django import DjangoAssertNumQueries

from league.core.periods import parse_period
from league.core.spreadsheets.columns import STATE, RowShape
from league.exports.hanchan import FileLayout, hanchan_table, hanchan_within
from league.exports.table import CSV, text_chunks
from league.http.codes import GUESSES
from league.models import Hanchan, League, LiveAddress, Revision, Session
from league.selectors import plain_rows
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_player, change_player
from league.services.results import void_hanchan
from league.services.secret_links import renew_live_address, secret_of
from league.services.session_points import PublishedSum, enter_session_points
from league.views.live import READS
from scoring.core import Bust
from tests.conftest import needs_postgresql
from tests.league.factories import DAY, logged_in, make_league, make_players, make_session, make_user, play, settle
from tests.league.interchange.test_interchange import league_of
from tests.project.test_database_errors import only_reading

pytestmark = pytest.mark.django_db

PAGE = "/l/camarade/manage/export/"
FILE = f"{PAGE}file/"
MONTH = "2025-11"


@pytest.fixture
def league() -> League:
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
    return list(csv.reader(StringIO(b"".join(text_chunks(table, CSV)).decode("utf-8-sig"), newline="")))


def got(answer: Any) -> list[list[str]]:
    return list(csv.reader(StringIO(answer.getvalue().decode("utf-8-sig"), newline="")))


def test_file_has_a_row_per_player_or_per_hanchan(league: League) -> None:
    header, first, *others = rows_of(league, FileLayout())
    assert ",".join(header) == "日付,節,卓,回戦,席,選手,素点,着順,ポイント,トビ,メモ"
    assert first == ["2025-11-21", "第1節", "1", "1", "東", "青木", "31700", "1", "21.7", "", "'=1+1"]
    assert [row[5] for row in others] == ["石田", "上野", "江口", "青木", "石田", "上野", "江口"]
    with override("en"):
        header, first, *_ = rows_of(league, FileLayout(languages="en"))
    assert header[:6] == ["date", "session", "table", "round", "seat", "player"]
    assert first[1:6] == ["Session 1", "1", "1", "E", "Aoki"]
    japanese, english, _, december = rows_of(league, FileLayout(RowShape.WIDE, "both"))
    assert japanese[4:8] == ["選手1", "素点1", "着順1", "ポイント1"]
    assert english[4:8] == ["player1", "raw1", "placement1", "points1"]
    assert december[:6] == ["2025-12-05", "忘年会", "1", "1", "青木", "50000"]


@pytest.mark.parametrize(("form", "columns"), [(RowShape.LONG, 1), (RowShape.WIDE, 4)])
def test_chombo_on_the_total_has_its_column(form: RowShape, columns: int) -> None:
    league = make_league(card="mleague")
    play(make_session(league), chombo=(0, 0, 1, 0))
    header, *rows = rows_of(league, FileLayout(form))
    assert [name.rstrip("1234") for name in header[-columns:]] == ["合計への加減"] * columns
    assert [each for row in rows for each in row[-columns:]] == ["0", "0", "-20", "0"]


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
    assert dict(zip(header, last, strict=True))[bust] == "win: East"


@pytest.mark.parametrize("form", list(RowShape))
def test_disputed_hanchan_that_do_not_count_are_marked(league: League, form: RowShape) -> None:
    hanchan_within(league).filter(session__title="忘年会").update(state=Hanchan.State.DISPUTED)
    assert "状態" not in rows_of(league, FileLayout(form))[0]
    league.disputed_count = False
    header, first, *_, last = rows_of(league, FileLayout(form))
    assert (header[-1], first[-1], last[-1]) == ("状態", STATE["recorded"], STATE["disputed"])


def test_file_omits_voided_hanchan_and_other_periods(league: League) -> None:
    assert {row[0] for row in rows_of(league, FileLayout(), period=parse_period("2025-11"))[1:]} == {"2025-11-21"}
    void_hanchan(hanchan=hanchan_within(league).order_by("pk")[0], by=SYSTEM, reason="twice")
    assert {row[0] for row in rows_of(league, FileLayout())[1:]} == {"2025-12-05"}


def test_file_costs_few_queries(league: League, django_assert_max_num_queries: DjangoAssertNumQueries) -> None:
    session = make_session(league, date(2025, 12, 6))
    players = list(league.players.order_by("pk"))
    for _ in range(5):
        play(session, players=players)
    with django_assert_max_num_queries(11):
        assert len(rows_of(league, FileLayout(exact=True), User(username="root", is_superuser=True))) == 29


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
    assert b"?json=1" not in client.get(PAGE).content
    client.force_login(organiser)
    assert b"?json=1" in client.get(PAGE).content
    assert address.encode() in client.get(f"{PAGE}?json=1").content
    answer: Any = client.get(address)
    assert json.loads(answer.getvalue())["schema"] == "tenbo/1"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{league.slug}.json"'


@pytest.mark.parametrize(
    ("asked", "name", "media"),
    [
        pytest.param({}, "hanchan-all.csv", "text/csv; charset=utf-8", id="nothing said"),
        pytest.param({"what": "board", "scope": "2025-11"}, "2025-11.csv", "text/csv", id="board"),
        pytest.param({"format": "tsv-utf16", "scope": "2025"}, "hanchan-2025.txt", "text/plain", id="UTF-16"),
        pytest.param({"format": "xlsx", "by_month": "on"}, "hanchan-all.xlsx", "application/", id="workbook"),
        pytest.param({"scope": "2025-11-01..2025-11-21"}, "hanchan-2025-11-01..2025-11-21.csv", "text/csv", id="range"),
    ],
)
def test_file_is_named_by_content(client: Client, league: League, asked: dict[str, str], name: str, media: str) -> None:
    answer = client.get(FILE, asked)
    assert answer.headers["Content-Disposition"] == f"attachment; filename*=utf-8''{quote('カマラードリーグ-' + name)}"
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
    name = f"カマラードリーグ-hanchan-session-{session.number}.csv"
    assert answer.headers["Content-Disposition"] == f"attachment; filename*=utf-8''{quote(name)}"
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


def test_export_page_is_filled_in_from_the_url(client: Client, league: League) -> None:
    page = client.get(PAGE, {"what": "board", "scope": "2025-11"}).content.decode()
    assert '<option value="board" selected>' in page
    assert '<option value="2025-11" selected>' in page
    assert "<h1" in client.get(f"/en{PAGE}").content.decode()


def most_held(league: League, form: RowShape) -> int:
    table, held = hanchan_table(league, hanchan_within(league), AnonymousUser(), FileLayout(form, exact=True)), []
    gc.freeze()
    tracemalloc.start()
    for _ in text_chunks(table, CSV):
        # Objects waiting for the garbage collector do not count as held.
        gc.collect()
        held.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    gc.unfreeze()
    return max(held)


@pytest.mark.long
@pytest.mark.both_databases
@pytest.mark.parametrize("form", list(RowShape))
def test_file_of_many_hanchan_needs_little_memory(form: RowShape, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_rows, "HANCHAN_AT_ONCE", 20)
    few, many = league_of(200), league_of(600)
    first = most_held(few, form)
    assert most_held(many, form) < first + 50_000


BOARD = "/l/camarade/live/2025-11.csv"


@pytest.fixture
def session() -> Session:
    session = make_session(make_league())
    play(session)
    settle()
    return session


@pytest.fixture
def hidden(session: Session) -> Session:
    session.league.is_public = False
    session.league.save()
    return session


def organiser_of(league: League) -> Client:
    return logged_in(league, "organiser", "ishida")


def formula_on(answer: Any) -> str:
    found = re.search(r'value="=IMPORTDATA\(&quot;http://testserver([^&]+)&quot;\)"', answer.content.decode())
    return found[1] if found else ""


@pytest.mark.parametrize("page", ["/en/l/camarade/standings/2025-11/", "session"])
def test_standings_and_session_link_to_a_spreadsheet_formula(client: Client, session: Session, page: str) -> None:
    page = f"/en/l/camarade/sessions/{session.pk}/" if page == "session" else page
    [way] = re.findall(r'href="(/en/l/camarade/live/[^"]+)"', client.get(page).content.decode())
    table = got(client.get(formula_on(client.get(way))))
    assert "Aoki" in " ".join(table[0]) or "Aoki" in table[1]


@pytest.mark.parametrize("scope", ["2025-11", "2025", "all", "2025-11-01..2025-11-30"])
def test_standings_of_every_period_have_a_csv_address(client: Client, session: Session, scope: str) -> None:
    answer = client.get(f"/l/camarade/live/{scope}.csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    table = got(answer)
    assert table[0][:4] == ["順位", "前回順位", "選手", "ポイント"]
    assert [line[2:4] for line in table[1:3]] == [["青木", "21.7"], ["石田", "1.3"]]


def test_score_table_ends_with_totals(client: Client, session: Session) -> None:
    play(session, round=2)
    Hanchan.objects.filter(pk=play(session, round=3).pk).update(state="disputed")
    League.objects.update(disputed_count=False)
    [absent] = make_players(session.league, 1)
    enter_session_points(session=session, lines={absent: PublishedSum(5000, 1)}, note="came later", by=SYSTEM)
    adjust(player=session.league.players.get(name="青木"), day=DAY, points=-2000, reason="late", by=SYSTEM)
    head, first, *_rest, besides, total = got(client.get(f"/en/l/camarade/live/session-{session.pk}.csv"))
    assert head == ["round", "Aoki", "Ishida", "Ueno", "Eguchi", "Player 5"]
    assert first == ["1", "21.7", "1.3", "-4.5", "-18.5", ""]
    assert besides[1:] == ["-2", "0", "0", "0", "5"]
    assert total[1:] == ["41.4", "2.6", "-9", "-37", "5"]


def test_unchanged_table_is_a_304_without_reading_results(client: Client, session: Session) -> None:
    tag = client.get(BOARD).headers["ETag"]
    with CaptureQueriesContext(connection) as asked:
        answer = client.get(BOARD, headers={"if-none-match": tag})
        again = client.get(BOARD)
    assert answer.status_code == 304
    assert again.status_code == 200
    assert len(asked) == 2
    play(session, round=2)
    settle()
    assert client.get(BOARD, headers={"if-none-match": tag}).status_code == 200


def test_public_address_shows_public_names_to_members_too(session: Session) -> None:
    aoki = session.league.players.get(name="青木")
    change_player(player=aoki, facts=PlayerFacts("青木", visibility="members"), by=SYSTEM)
    assert "青木" not in organiser_of(session.league).get(BOARD).content.decode()


def test_names_that_look_like_formulas_are_escaped(client: Client, session: Session) -> None:
    change_player(player=session.league.players.get(name="青木"), facts=PlayerFacts("=1+1"), by=SYSTEM)
    assert got(client.get(BOARD))[1][2] == "'=1+1"
    assert got(client.get(f"/l/camarade/live/session-{session.pk}.csv"))[0][1] == "'=1+1"


def test_secret_address_of_a_private_league_needs_no_log_in(client: Client, hidden: Session) -> None:
    desk = organiser_of(hidden.league)
    page = desk.get("/en/l/camarade/live/?scope=2025-11")
    assert formula_on(page) == ""
    page = desk.post("/en/l/camarade/manage/live/", {"do": "new", "asked": "scope=2025-11"}, follow=True)
    assert "Created by ishida" in page.content.decode()
    answer = client.get(formula_on(page))
    assert got(answer)[1][2:4] == ["Aoki", "21.7"]
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert answer.headers["X-Robots-Tag"] == "noindex"
    by_session = formula_on(desk.get(f"/en/l/camarade/live/?session={hidden.pk}"))
    assert got(client.get(by_session))[0][:2] == ["round", "Aoki"]
    assert [each.action for each in Revision.objects.filter(subject="liveaddress")] == ["created"]
    assert "Live address" in desk.get("/en/l/camarade/manage/history/").content.decode()


def test_stored_hash_is_not_a_valid_secret(client: Client, hidden: Session) -> None:
    made = renew_live_address(league=hidden.league, by=SYSTEM)
    secret = secret_of(made)
    for stored in (made.secret_hash, made.nonce.hex):
        assert client.get(f"/live/{stored}/2025-11.csv").status_code == 404
    assert secret not in str(list(LiveAddress.objects.values()))
    assert secret not in str(list(Revision.objects.values()))


@pytest.mark.parametrize("do", ["new", "revoke"])
def test_renewed_or_revoked_secret_stops_working_at_once(client: Client, hidden: Session, do: str) -> None:
    secret = secret_of(renew_live_address(league=hidden.league, by=SYSTEM))
    assert client.get(f"/live/{secret}/2025-11.csv").status_code == 200
    organiser_of(hidden.league).post("/l/camarade/manage/live/", {"do": do})
    dead = client.get(f"/live/{secret}/2025-11.csv")
    unknown = client.get(f"/live/{'a' * 26}/2025-11.csv")
    assert dead.status_code == unknown.status_code == 404
    assert dead.content.decode().replace(secret, "") == unknown.content.decode().replace("a" * 26, "")
    assert hidden.league.live_addresses.filter(revoked_at=None).count() == (do == "new")


def test_secret_address_shows_only_its_league(client: Client, hidden: Session) -> None:
    secret = secret_of(renew_live_address(league=hidden.league, by=SYSTEM))
    other = make_session(make_league("other", is_public=False))
    assert client.get(f"/live/{secret}/session-{other.pk}.csv").status_code == 404
    assert client.get(f"/live/{secret}/yesterday.csv").status_code == 404
    assert client.get(BOARD).status_code == 302
    hidden.league.state = League.State.TAKEN_DOWN
    hidden.league.save(update_fields=["state"])
    assert client.get(f"/live/{secret}/2025-11.csv").status_code == 404


def test_guessing_and_reading_are_throttled_separately(client: Client, hidden: Session) -> None:
    made = renew_live_address(league=hidden.league, by=SYSTEM)
    secret = secret_of(made)
    answers = [client.get(f"/live/{number:026d}/all.csv").status_code for number in range(GUESSES.tries + 1)]
    assert answers == [404] * GUESSES.tries + [429]
    assert client.get(f"/live/{secret}/all.csv").status_code == 200
    for _ in range(READS.tries):
        READS.use(str(made.pk))
    assert client.get(f"/live/{secret}/all.csv").status_code == 429


def test_secret_address_outlives_the_secret_key_but_is_hidden(client: Client, hidden: Session, settings: Any) -> None:
    secret = secret_of(renew_live_address(league=hidden.league, by=SYSTEM))
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key, long enough to be believed by the site", []
    assert client.get(f"/live/{secret}/all.csv").status_code == 200
    page = organiser_of(hidden.league).get("/en/l/camarade/live/").content.decode()
    assert secret not in page
    assert "cannot be shown again" in page


@pytest.mark.parametrize("state", ["archived", "taken_down"])
def test_owner_can_revoke_the_secret_of_an_archived_league(client: Client, hidden: Session, state: str) -> None:
    league = hidden.league
    secret = secret_of(renew_live_address(league=league, by=SYSTEM))
    desk, owner = organiser_of(league), Client()
    owner.force_login(make_user("ueno", league=league, role="owner"))
    League.objects.filter(pk=league.pk).update(state=state)
    assert (client.get(f"/live/{secret}/2025-11.csv").status_code == 200) is (state == "archived")
    page = owner.get("/en/l/camarade/live/").content.decode()
    assert 'value="revoke"' in page
    assert 'value="new"' not in page
    assert owner.post("/l/camarade/manage/live/", {"do": "new"}).status_code == 403
    assert desk.post("/l/camarade/manage/live/", {"do": "revoke"}).status_code in {403, 404}
    assert league.live_addresses.get().revoked_at is None
    said = owner.post("/en/l/camarade/manage/live/", {"do": "revoke"}, follow=True).content.decode()
    assert "The secret address was revoked" in said
    assert 'name="do"' not in said
    assert client.get(f"/live/{secret}/2025-11.csv").status_code == 404


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_secret_address_works_while_the_database_is_read_only(client: Client, hidden: Session) -> None:
    made = renew_live_address(league=hidden.league, by=SYSTEM)
    client.raise_request_exception = False
    with only_reading():
        assert client.get(f"/live/{secret_of(made)}/2025-11.csv").status_code == 200
    made.refresh_from_db()
    assert made.used_at is None
    client.get(f"/live/{secret_of(made)}/2025-11.csv")
    made.refresh_from_db()
    assert made.used_at is not None


def test_players_of_a_private_league_are_told_to_ask_an_organiser(hidden: Session) -> None:
    page = logged_in(hidden.league, "player", "eguchi").get("/en/l/camarade/live/").content.decode()
    assert "An organiser can create a secret address" in page
    assert "/manage/live/" not in page
