import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse

from league.core.sessions import SessionPhase
from league.forms.leagues import AdjustmentForm
from league.models import Confirmation, League, Revision, Session, Standing
from league.selectors.sheet_notes import meetings_of, notes_of
from league.selectors.sheets import SumVerdict, sheet_of
from league.services.calendar import SessionFacts, adjust, open_session, set_session_state
from league.services.confirming import NewStatement, say
from league.services.history import SYSTEM, Actor
from league.services.links import issue_links
from league.services.planning import TablePlan, plan_tables
from league.services.results import void_hanchan
from tests.league.entry_contexts import url
from tests.league.factories import correct, make_league, make_players, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db


def at(hour: int, day: int = 21) -> datetime:
    return datetime(2025, 11, day, hour, tzinfo=UTC)


def page_of(session: Session) -> str:
    return url("session", session.league, session.pk)


def test_score_table_has_a_row_per_hanchan_and_a_column_per_player(league: League, session: Session) -> None:
    players = make_players(league, 5)
    play(session, (42300, 28100, 19600, 10000), players[:4], played_at=at(10))
    play(session, (22100, 12300, 30200, 35400), [*players[:2], *players[3:]], played_at=at(11))
    sheet = sheet_of(session, "ranking")
    assert [row.round for row in sheet.rows] == [1, 2]
    assert [column.player for column in sheet.columns] == players
    assert [cell and cell.points for cell in sheet.rows[0].cells] == [32300, -1900, -10400, -20000, None]
    assert [cell and cell.points for cell in sheet.rows[1].cells] == [-7900, -17700, None, 200, 25400]
    assert [row.check.verdict for row in sheet.rows] == [SumVerdict.BALANCED, SumVerdict.BALANCED]
    first, last = [row.sums for row in sheet.rows]
    assert first == (32300, -1900, -10400, -20000, 0)
    assert last == (24400, -19600, -10400, -19800, 25400)
    assert [column.subtotal for column in sheet.columns] == [column.total for column in sheet.columns] == [*last]
    assert sheet.total == 0


def score_table(html: str) -> str:
    return html.partition('id="score-table"')[2].partition("<tbody>")[2].partition("</tbody>")[0]


def test_session_with_two_tables_shows_ranks_and_meetings(client: Client, league: League) -> None:
    players = make_players(league, 8)
    session = make_session(league, tables=2)
    for number, order in enumerate(([0, 1, 2, 3], [0, 1, 4, 5]), start=1):
        here = [players[place] for place in order]
        play(session, (40000, 30000, 20000, 10000), here, table=1, round=number)
        rest = [player for player in players if player not in here]
        play(session, (40000, 30000, 20000, 10000), rest, table=2, round=number)
    sheet = sheet_of(session, "ranking")
    # First place gives 30, second 0, third ▲10, fourth ▲20.
    assert [column.total for column in sheet.columns] == [60_000, 0, 20_000, -20_000, 20_000, -20_000, -20_000, -40_000]
    assert [column.rank for column in sheet.columns] == [1, 4, 2, 5, 2, 5, 5, 8]
    meetings = meetings_of(sheet)
    assert meetings is not None
    met = dict(meetings["rows"])
    assert met[players[0]] == (None, 2, 1, 1, 1, 1, 0, 0)
    assert met[players[6]][:2] == (0, 0)
    assert (meetings["least"], meetings["most"]) == (0, 2)
    shown = client.get(page_of(session)).content.decode()
    assert 'id="meetings"' in shown
    links = re.findall(r"(.)回戦</span>(.*?)</p>", shown, re.DOTALL)
    assert [(round_, text.count("<a ")) for round_, text in links] == [("1", 2), ("2", 2)]
    assert "節の順位では同点は同順位です" in shown
    assert '<th scope="row">順位</th>' in shown
    marks = re.findall(r'class="(sheet-at|sr)"><span aria-hidden="true">(.)卓', score_table(shown).split("</tr>")[0])
    assert marks == [("sheet-at", "1"), *[("sr", "1")] * 3, ("sheet-at", "2"), *[("sr", "2")] * 3]


def test_score_table_names_a_table_once_if_its_players_are_in_a_row(league: League) -> None:
    players = make_players(league, 9)
    session = make_session(league, tables=2)
    play(session, players=players[:4], table=1)
    play(session, players=players[4:8], table=2)
    play(session, players=[*players[:2], *players[6:8]], table=1, round=2)
    play(session, players=[*players[3:6], players[8]], table=2, round=2)
    one, two = sheet_of(session, "ranking").rows
    assert [cell and (cell.table, cell.beside) for cell in one.cells] == [
        *((1, place > 0) for place in range(4)),
        *((2, place > 0) for place in range(4)),
        None,
    ]
    assert [cell and (cell.table, cell.beside) for cell in two.cells] == [
        *((1, False), (1, False), None, (2, False), (2, False), (2, False)),
        *((1, False), (1, False), (2, False)),
    ]


def test_equal_meetings_are_summarised_and_too_many_left_out(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    league = make_league()
    players = make_players(league, 5)
    session = make_session(league)
    for out in range(5):
        play(session, players=[player for player in players if player != players[out]])
    assert "全組3回" in client.get(page_of(session)).content.decode()
    monkeypatch.setattr("league.selectors.sheet_notes.MAX_PLAYERS", 4)
    assert meetings_of(sheet_of(session, "ranking")) is None


def test_session_with_one_table_has_no_ranks_or_meetings(client: Client, league: League, session: Session) -> None:
    play(session)
    assert meetings_of(sheet_of(session, "ranking")) is None
    shown = client.get(page_of(session)).content.decode()
    assert 'id="meetings"' not in shown
    assert '<th scope="row">順位</th>' not in shown


def test_player_at_two_tables_of_a_round_gets_two_rows(league: League) -> None:
    players = make_players(league, 5)
    session = make_session(league, tables=2)
    play(session, players=players[:4], table=1, round=1)
    play(session, players=players[1:], table=2, round=1)
    assert [len(row.hanchan) for row in sheet_of(session, "ranking").rows] == [1, 1]


def test_score_table_marks_points_that_contradict_the_rules(session: Session) -> None:
    play(session).seats.filter(seat=0).update(points=0, base=0, oka=0)
    sheet = sheet_of(session, "ranking")
    assert sheet.rows[0].check.verdict == SumVerdict.WRONG
    assert not sheet.adds_up


def test_score_table_counts_shared_placements_in_twelfths() -> None:
    session = make_session(make_league(card="cinderella"))
    play(session, (35000, 25000, 25000, 15000))
    assert [column.places for column in sheet_of(session, "ranking").columns[:2]] == [(12, 0, 0, 0), (0, 6, 6, 0)]


def test_score_table_adds_chombo_only_to_the_total() -> None:
    session = make_session(make_league(parameters={"chombo": {"kind": "total", "amount": "-40"}}))
    play(session, chombo=(0, 0, 0, 1))
    column = sheet_of(session, "ranking").columns[3]
    assert (column.subtotal, column.total_only, column.total) == (-18500, -40000, -58500)


@pytest.mark.parametrize("ledger", ["ranking", "settlement"])
def test_running_total_equals_the_total_of_the_year(ledger: str) -> None:
    league = make_league(ledger=ledger)
    players = make_players(league, 4)
    first, second = make_session(league, date(2025, 10, 17)), make_session(league)
    play(first, played_at=datetime(2025, 10, 17, 11, tzinfo=UTC))
    play(second, (20000, 30000, 24000, 26000), played_at=at(11))
    adjust(player=players[0], day=date(2025, 11, 1), points=-5000, reason="late", by=SYSTEM)
    adjust(player=players[1], day=date(2025, 11, 21), points=7500, reason="bonus", by=SYSTEM)
    settle()
    year = dict(Standing.objects.filter(league=league, period="2025").values_list("player", "total"))
    columns = sheet_of(second, ledger).columns
    assert {column.player.pk: column.running for column in columns} == year
    assert {column.player.name: column.adjustment for column in columns if column.adjustment} == {"石田": 7500}


def test_running_total_restarts_each_year(league: League) -> None:
    make_players(league, 4)
    play(make_session(league, date(2024, 12, 20)), played_at=datetime(2024, 12, 20, 11, tzinfo=UTC))
    session = make_session(league, date(2025, 1, 17))
    play(session, played_at=datetime(2025, 1, 17, 11, tzinfo=UTC))
    assert {column.before for column in sheet_of(session, "ranking").columns} == {0}


def test_voided_hanchan_is_listed_below_the_score_table(client: Client, league: League, session: Session) -> None:
    hanchan = play(session)
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="entered twice")
    page = client.get(page_of(session))
    assert page.context["sheet"].rows == ()
    assert reverse("league:hanchan", args=[league.slug, hanchan.pk]) in page.content.decode()


def test_session_page_shows_the_requested_ledger(client: Client, league: League, session: Session) -> None:
    play(session)
    address = page_of(session)
    assert "+21.7" in client.get(address).content.decode()
    assert "+31.0" in client.get(address, {"ledger": "settlement"}).content.decode()
    assert "+21.7" in client.get(address, {"ledger": "nonsense"}).content.decode()


def test_sessions_are_listed_by_year_with_their_winner(client: Client, league: League) -> None:
    make_players(league, 4)
    play(make_session(league, date(2024, 5, 1)))
    play(make_session(league, title="第2節"))
    page = client.get(reverse("league:sessions", args=[league.slug]))
    (month,) = page.context["months"]
    (line,) = month["lines"]
    assert (line.session.title, line.hanchan, line.players, line.points) == ("第2節", 1, 4, 21700)
    assert [player.name for player in line.winners] == ["青木"]
    older = client.get(reverse("league:sessions", args=[league.slug]), {"year": page.context["older"]})
    assert older.context["year"].year == 2024


def test_new_session_proposes_the_last_venue_and_tables(organiser: Client, league: League) -> None:
    make_session(league, venue="荻窪", tables=2, start_time=time(19, 0))
    page = organiser.get(url("session_new", league))
    initial = page.context["form"].initial
    assert (initial["venue"], initial["tables"]) == ("荻窪", 2)
    assert 'value="19:00"' in page.content.decode()


def test_session_without_a_title_is_named_by_its_number(client: Client, league: League) -> None:
    address = page_of(make_session(league, title=""))
    assert "<h1>第1節</h1>" in client.get(address).content.decode()
    assert "<h1>Session 1</h1>" in client.get(f"/en{address}").content.decode()


@pytest.mark.parametrize(("typed", "stored"), [("19:00", time(19, 0)), ("１８：３０", time(18, 30)), ("", None)])
def test_session_is_created_and_edited(organiser: Client, league: League, typed: str, stored: time | None) -> None:
    answers = {"date": "2025-12-05", "tables": "1", "ruleset_version": str(league.current_version_id)}
    answer = organiser.post(url("session_new", league), answers | {"start_time": typed})
    session = Session.objects.get()
    assert answer["Location"] == page_of(session)
    assert (session.date, session.tables, session.number) == (date(2025, 12, 5), 1, 1)
    assert session.start_time == stored
    changed = {"start_time": "20:15", "title": "延期", "date": "2025-11-28", "tables": "3"}
    organiser.post(url("session_edit", league, session.pk), answers | changed)
    session.refresh_from_db()
    assert (session.start_time, session.title) == (time(20, 15), "延期")
    assert (session.date, session.tables) == (date(2025, 11, 28), 3)
    assert (Revision.objects.get(subject="session", action="changed").after or {})["start_time"] == "20:15"


def test_new_session_needs_rules(client: Client) -> None:
    league = make_league(card=None)
    client.force_login(make_user(league=league, role="organiser"))
    assert client.get(url("session_new", league))["Location"] == url("rules_choose", league)


@pytest.mark.parametrize("field", ["start_time", "ruleset_version"])
def test_session_with_an_invalid_start_or_rules_is_refused(organiser: Client, league: League, field: str) -> None:
    wrong = {"start_time": "25:00", "ruleset_version": str(make_league("other").current_version_id)}
    answers = {"date": "2025-12-05", "tables": "1", "ruleset_version": str(league.current_version_id)}
    page = organiser.post(url("session_new", league), answers | {field: wrong[field]})
    assert field in page.context["form"].errors
    assert page.context["form"][field].value() == wrong[field]


@pytest.mark.parametrize(
    ("state", "expected"), [("closed", "closed"), ("open", "open"), ("withdrawn", "withdrawn"), ("nonsense", "open")]
)
def test_session_is_closed_reopened_cancelled(organiser: Client, session: Session, state: str, expected: str) -> None:
    organiser.post(url("session_state", session.league, session.pk), {"state": state})
    session.refresh_from_db()
    assert session.state == expected


def test_session_with_disputed_result_is_closed_by_a_button_that_says_so(organiser: Client, session: Session) -> None:
    hanchan = play(session)
    statement = NewStatement(Confirmation.Verdict.DISPUTES, 1, hanchan.seats.get(seat=0).player, "点数が違う")
    say(hanchan=hanchan, statement=statement, by=SYSTEM)
    page = organiser.post(
        url("session_state", session.league, session.pk), {"state": "closed"}, follow=True
    ).content.decode()
    assert "まだ締め切っていません" in page
    menu = page.partition('class="menu-sheet"')[2].partition("</header>")[0]
    assert "受け付けを締め切る(異議を残す)" in menu
    assert 'name="disputed" value="1"' in menu
    assert page.count("受け付けを締め切る(異議を残す)") == 2, "below the results too"
    organiser.post(url("session_state", session.league, session.pk), {"state": "closed", "disputed": "1"})
    session.refresh_from_db()
    assert session.state == "closed"


@pytest.mark.parametrize("is_played", [True, False])
def test_session_with_results_or_of_a_tournament_is_not_cancelled(
    organiser: Client, session: Session, monkeypatch: pytest.MonkeyPatch, *, is_played: bool
) -> None:
    if is_played:
        play(session)
    else:
        monkeypatch.setattr("league.selectors.sessions.rounds_of", [lambda sessions: dict.fromkeys(sessions, 4)])
    organiser.post(url("session_state", session.league, session.pk), {"state": "withdrawn"})
    session.refresh_from_db()
    assert session.state == "open"


@pytest.mark.parametrize(
    ("view", "shown", "hidden"),
    [
        ("points", "+21.7", None),
        ("raw", "31,700", "+10.0"),
        ("placement", "place-1", "31,700"),
        ("running", "+43.4", "31,700"),
        ("nonsense", "31,700", None),
    ],
)
def test_session_has_four_views(client: Client, session: Session, view: str, shown: str, hidden: str | None) -> None:
    play(session)
    play(session)
    page = client.get(page_of(session), {"view": view})
    table = score_table(page.content.decode())
    assert shown in table
    assert hidden is None or hidden not in table
    assert sum(each["current"] for each in page.context["views"]) == 1
    assert all("ledger=ranking" in each["url"] for each in page.context["views"])
    assert all("view=" in each["url"] for each in page.context["ledgers"])


def test_disputed_hanchan_is_shown_but_not_summed_if_it_does_not_count(client: Client) -> None:
    session = make_session(make_league())
    play(session)
    session.hanchan.filter(pk=play(session).pk).update(state="disputed")
    counted = sheet_of(Session.objects.get(pk=session.pk), "ranking").rows
    assert counted[0].sums != counted[1].sums
    League.objects.update(disputed_count=False)
    sheet = sheet_of(Session.objects.get(pk=session.pk), "ranking")
    assert sheet.rows[0].sums == sheet.rows[1].sums
    page = client.get(f"/en{page_of(session)}").content.decode()
    assert '<span class="tag bad">disputed</span>' in page
    assert page.count("not counted") == 4
    assert "does not count until it is settled" in page


def test_sum_check_of_raw_scores_includes_sticks_on_the_table() -> None:
    session = make_session(make_league(parameters={"leftover": "void"}))
    play(session, (31700, 31300, 25500, 10500), sticks_left=1)
    play(session)
    play(session).seats.filter(seat=0).update(raw_score=31800)
    rows = sheet_of(session, "ranking").rows
    explained = rows[0].check
    assert (explained.total, explained.verdict, explained.sticks) == (-1000, SumVerdict.EXPLAINED, 1)
    assert [(row.raw_check.total, row.raw_check.verdict, row.raw_check.sticks) for row in rows] == [
        (99000, SumVerdict.EXPLAINED, 1),
        (100000, SumVerdict.BALANCED, 0),
        (100100, SumVerdict.WRONG, 0),
    ]


def test_notes_name_unconfirmed_results_last_entry_and_corrections(client: Client) -> None:
    league = make_league(confirmed_by="all")
    session = make_session(league)
    play(session)
    hanchan = play(session)
    user = make_user("ishida", league=league, role="scorer")
    correct(hanchan, (31700, 31300, 25600, 11400), by=Actor(user, "web"))
    seats = list(hanchan.seats.order_by("seat"))
    hanchan.confirmations.create(version=1, verdict="agrees", player=seats[0].player)
    hanchan.confirmations.create(version=2, verdict="agrees", player=seats[1].player, by=user)
    notes = notes_of((sheet := sheet_of(session, "ranking")).standing, sheet.voided)
    assert [(game.round, agreed, of) for game, agreed, of in notes["waiting"]] == [(1, 0, 4), (2, 1, 4)]
    assert (notes["corrections"], notes["corrected"]) == (1, (hanchan,))
    assert (notes["disputed"], notes["confirmed"]) == ((), 0)
    assert notes["entered"] is not None
    assert notes["entered"]["by_name"] == user.username
    assert user.username not in client.get(f"/en{page_of(session)}").content.decode()
    client.force_login(user)
    text = client.get(f"/en{page_of(session)}").content.decode()
    assert f"Last entry {user.username}" in text
    assert "(1/4)" in text
    assert "1 correction " in text


def test_withdrawn_session_is_hidden_everywhere_but_on_its_page(organiser: Client, league: League) -> None:
    make_session(league, date(2025, 11, 21), venue="集会所")
    session = make_session(league, date(2024, 3, 1), venue="誤り", tables=9)
    void_hanchan(hanchan=play(session), by=SYSTEM, reason="wrong file")
    set_session_state(session=session, state=Session.State.WITHDRAWN, by=SYSTEM)
    assert list(league.sessions.kept()) != list(league.sessions.all())
    listed = organiser.get(url("sessions", league))
    assert listed.context["years"] == [2025]
    assert [*listed.context["cancelled"]] == [session]
    assert "cancelled" not in Client().get(url("sessions", league)).context
    assert session not in AdjustmentForm(league=league).fields["session"].queryset  # type: ignore[attr-defined]
    proposed = organiser.get(url("session_new", league)).context["form"].initial
    assert (proposed["venue"], proposed["tables"]) == ("集会所", 1)
    text = organiser.get(f"/en{page_of(session)}").content.decode()
    assert text.count("cancelled") == 2, "in its tag and in the box, which offers to reopen it"
    assert 'value="open"' in text.partition('class="notice warning"')[2]
    assert ">closed<" not in text
    links = organiser.get(f"/en{url('table_links', league, session.pk)}").content.decode()
    assert "This session was cancelled" in links
    assert "This session is closed" not in links
    assert "No table has a working link." in links
    issue_links(session=session, by=SYSTEM)
    assert "The links open, but" in organiser.get(f"/en{url('table_links', league, session.pk)}").content.decode()
    organiser.post(url("enter", league))
    opened = league.sessions.kept().order_by("-number")[0]
    assert (opened.venue, opened.tables) == ("集会所", 1)


TODAY = date(2025, 11, 21)


NOON = datetime(2025, 11, 21, 3, 0, tzinfo=UTC)
"""Twelve o'clock in Tokyo."""


WEEK = timedelta(days=7)


PHASE = re.compile(r'<span class="tag [a-z]*" data-phase="([a-z]+)">([^<]+)</span>')


@pytest.fixture
def league_at_noon(league: League) -> Iterator[League]:
    with time_machine.travel(NOON, tick=False):
        yield league


def phases(client: Client, path: str) -> list[tuple[str, str]]:
    return PHASE.findall(client.get(path).content.decode())


def postponed(session: Session, day: date, start_time: time | None = None) -> Session:
    facts = SessionFacts(day, start_time=start_time)
    return open_session(league=session.league, facts=facts, by=SYSTEM, postponed_from=session)


def test_session_of_next_week_is_planned(client: Client, league_at_noon: League) -> None:
    session = make_session(league_at_noon, TODAY + WEEK, start_time=time(19, 0))
    for path in (
        url("league_home", league_at_noon),
        url("sessions", league_at_noon),
        url("session", league_at_noon, session.pk),
    ):
        page = client.get(path).content.decode()
        assert PHASE.findall(page) == [("planned", "予定")], path
        assert "2025/11/28(金) 19:00" in page
        assert "開催中" not in page


def test_cached_page_changes_when_the_session_starts(client: Client, league_at_noon: League) -> None:
    path = url("session", league_at_noon, make_session(league_at_noon, TODAY, start_time=time(19, 0)).pk)
    tag = client.get(path)["ETag"]
    with time_machine.travel(NOON + timedelta(hours=6), tick=False):
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 304
    with time_machine.travel(NOON + timedelta(hours=7), tick=False):
        answer = client.get(path, headers={"If-None-Match": tag})
        assert answer.status_code == 200
        tag = answer["ETag"]
    with time_machine.travel(NOON + timedelta(days=1), tick=False):
        assert client.get(path, headers={"If-None-Match": tag}).status_code == 200


def test_results_start_a_session_and_closing_ends_it(client: Client, league_at_noon: League) -> None:
    session = make_session(league_at_noon, TODAY)
    path = url("session", league_at_noon, session.pk)
    assert phases(client, path) == [("tonight", "本日")]
    play(session)
    assert phases(client, path) == [("running", "進行中")]
    set_session_state(session=session, state=Session.State.CLOSED, by=SYSTEM)
    assert phases(client, path) == [("over", "終了")]


def test_postponed_table_and_its_session_link_to_each_other(client: Client, league_at_noon: League) -> None:
    players = tuple(make_players(league_at_noon, 8))
    first = make_session(league_at_noon, TODAY, title="第1節", tables=2)
    plan_tables(session=first, plans=[TablePlan(1, players[:4], 1)], by=SYSTEM)
    moved = postponed(first, TODAY + WEEK, start_time=time(18, 30))
    plan_tables(session=moved, plans=[TablePlan(2, players[4:], 1)], by=SYSTEM)
    page = client.get(url("session", league_at_noon, moved.pk)).content.decode()
    assert PHASE.findall(page) == [("postponed", "延期")]
    assert "第1節(2025/11/21(金))から延期した卓です。" in page
    assert f'href="{url("session", league_at_noon, first.pk)}"' in page
    page = client.get(url("session", league_at_noon, first.pk)).content.decode()
    assert PHASE.findall(page) == [("tonight", "本日")]
    assert "2卓は2025/11/28(金) 18:30に行います。" in page
    assert f'href="{url("session", league_at_noon, moved.pk)}"' in page
    page = client.get(url("sessions", league_at_noon)).content.decode()
    assert PHASE.findall(page) == [("postponed", "延期"), ("tonight", "本日")]
    assert "(2025/11/21(金)から延期)" in page


def test_list_of_sessions_starts_with_the_current_year(client: Client, league_at_noon: League) -> None:
    make_session(league_at_noon, TODAY)
    make_session(league_at_noon, date(2026, 1, 9))
    page = client.get(url("sessions", league_at_noon))
    assert (page.context["year"].year, page.context["newer"]) == (2025, 2026)


def test_fully_postponed_session_is_not_the_next_one(client: Client, league_at_noon: League) -> None:
    first = make_session(league_at_noon, TODAY)
    postponed(first, TODAY + WEEK)
    page = client.get(url("session", league_at_noon, first.pk)).content.decode()
    assert PHASE.findall(page) == [("postponed", "延期")]
    assert "卓は2025/11/28(金)に行います。" in page
    assert phases(client, url("league_home", league_at_noon)) == [("postponed", "延期")]
    assert "2025/11/28" in client.get(url("league_home", league_at_noon)).content.decode()


def test_evening_can_start_after_a_tournament_of_the_same_day(
    scorer: Client, league_at_noon: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make_session(league_at_noon, TODAY)
    monkeypatch.setattr("league.views.entry.session_phases", lambda *_: {session.pk: SessionPhase.OVER})
    assert "今日の節を始める" in scorer.get(url("enter", league_at_noon)).content.decode()


def test_entry_offers_sessions_of_today_first(scorer: Client, league_at_noon: League) -> None:
    late = make_session(league_at_noon, TODAY, title="夜の部", start_time=time(19, 0))
    early = make_session(league_at_noon, TODAY, title="昼の部", start_time=time(11, 0))
    for week in range(1, 21):
        make_session(league_at_noon, TODAY + week * WEEK, title=f"{week}週後")
    make_session(league_at_noon, TODAY - WEEK, title="先週")
    page = scorer.get(url("enter", league_at_noon)).content.decode()
    assert re.findall(r"<b>(\S+) <span", page)[:5] == ["昼の部", "夜の部", "先週", "1週後", "2週後"]
    assert [phase for phase, _ in PHASE.findall(page)][:4] == ["running", "tonight", "awaited", "planned"]
    set_session_state(session=early, state=Session.State.CLOSED, by=SYSTEM)
    assert scorer.get(url("enter", league_at_noon))["Location"] == url("enter_session", league_at_noon, late.pk)


def test_message_after_creating_a_session_names_its_date(organiser: Client, league_at_noon: League) -> None:
    answers = {"date": "2025-11-28", "start_time": "19:00", "tables": "1"}
    answers |= {"ruleset_version": str(league_at_noon.current_version_id)}
    page = organiser.post(url("session_new", league_at_noon), answers, follow=True).content.decode()
    assert "第1節を予定に入れました(2025/11/28(金) 19:00)。" in page
    session = Session.objects.get()
    organiser.post(url("session_state", league_at_noon, session.pk), {"state": "closed"})
    answer = organiser.post(url("session_state", league_at_noon, session.pk), {"state": "open"}, follow=True)
    assert "第1節を再開しました。" in answer.content.decode()
    earlier = organiser.post(url("session_new", league_at_noon), answers | {"date": "2025-11-24"}, follow=True)
    assert "後の節の番号は日付順に変わりました。" in earlier.content.decode()
