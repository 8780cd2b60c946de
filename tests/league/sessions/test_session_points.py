from collections.abc import Iterable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from league.core.periods import parse_period
from league.models import League, Player, Revision, Session, SessionPoints, Standing
from league.selectors.boards import trends
from league.selectors.sessions import session_summaries
from league.selectors.sheets import sheet_of
from league.selectors.what_if import ranks_around
from league.services.boards import rebuild_boards
from league.services.calendar import adjust
from league.services.history import SYSTEM
from league.services.people import PeopleError, merge_players
from league.services.planning import TablePlan, plan_tables
from league.services.session_points import (
    PublishedSum,
    SessionPointsError,
    correct_session_points,
    enter_session_points,
    withdraw_points,
)
from stats.selectors.profiles import ProfileScope, player_profile
from tests.league.entry_contexts import url
from tests.league.factories import DAY, make_league, make_players, make_session, play, settle, sums

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SUMS = (107_400, -4_500, -34_300, -68_600)


def test_corrected_session_points_change_history_and_standings(league: League) -> None:
    (player,) = make_players(league, 1)
    lines = {player: PublishedSum(1_000, 4)}
    (stored,) = enter_session_points(session=make_session(league), lines=lines, note="one", by=SYSTEM)
    settle()
    right = PublishedSum(-1_000, 5, (1, 1, 1, 2))
    assert correct_session_points(points=stored, published=right, reason="misread", by=SYSTEM)
    assert not correct_session_points(points=stored, published=right, reason="again", by=SYSTEM)
    settle()
    (line,) = Standing.objects.filter(period="all")
    assert (line.total, line.all_hanchan, line.placed) == (-1_000, 5, 5)
    (told,) = Revision.objects.filter(subject="sessionpoints", action="changed")
    assert told.before is not None
    assert told.after is not None
    assert (told.before["points"], told.after["points"], told.after["fourth"]) == (1_000, -1_000, 2)
    assert told.reason == "misread"
    withdraw_points(points=stored, reason="twice", by=SYSTEM)
    with pytest.raises(SessionPointsError) as refused:
        correct_session_points(points=stored, published=right, reason="late", by=SYSTEM)
    assert refused.value.code == "withdrawn"


def test_withdrawn_session_points_leave_the_standings_and_can_be_entered_again(league: League) -> None:
    players = make_players(league)
    lines = sums(dict(zip(players, SUMS, strict=True)), 4)
    stored = enter_session_points(session=make_session(league), lines=lines, by=SYSTEM)
    settle()
    assert Standing.objects.filter(period="all").count() == 4
    for each in stored:
        withdraw_points(points=each, reason="wrong season", by=SYSTEM)
    settle()
    assert not Standing.objects.exists()
    enter_session_points(session=stored[0].session, lines=sums({players[0]: 0}, 1), by=SYSTEM)
    assert SessionPoints.objects.filter(withdrawn=False).count() == 1
    assert Revision.objects.filter(subject="sessionpoints", action="withdrawn").count() == 4


@pytest.mark.parametrize(
    ("who", "hanchan", "code"),
    [
        pytest.param((), 4, "no_lines", id="nobody"),
        pytest.param((0,), 0, "hanchan", id="no hanchan"),
        pytest.param((0,), 101, "hanchan", id="too many hanchan"),
        pytest.param((1,), 4, "entered", id="entered already"),
        pytest.param((2,), 4, "not_in_league", id="another league"),
        pytest.param((3,), 4, "not_in_league", id="merged"),
    ],
)
def test_invalid_session_points_are_refused(
    who: tuple[int, ...], hanchan: int, code: str, league: League, session: Session
) -> None:
    players = [*make_players(league, 2), *make_players(make_league("other"), 1), *make_players(league, 2)]
    enter_session_points(session=session, lines=sums({players[1]: 0}, 4), by=SYSTEM)
    merge_players(source=players[3], target=players[4], by=SYSTEM, reason="one person")
    with pytest.raises(SessionPointsError) as refused:
        enter_session_points(session=session, lines=sums({players[each]: 0 for each in who}, hanchan), by=SYSTEM)
    assert refused.value.code == code
    assert SessionPoints.objects.count() == 1


def test_players_with_points_in_one_session_cannot_be_merged(league: League) -> None:
    players = make_players(league, 2)
    lines = {players[0]: 5_000, players[1]: -5_000}
    stored = enter_session_points(session=make_session(league), lines=sums(lines, 4), by=SYSTEM)
    with pytest.raises(PeopleError) as refused:
        merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    assert refused.value.code == "met_points"
    withdraw_points(points=stored[0], reason="twice", by=SYSTEM)
    merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")


def test_standings_trends_profile_and_score_table_agree(league: League) -> None:
    players = make_players(league)
    old = make_session(league, date(2025, 11, 1))
    enter_session_points(session=old, lines=sums(dict(zip(players, SUMS, strict=True)), 4), by=SYSTEM)
    hanchan = play(make_session(league), played_at=datetime(2025, 11, 21, 11, tzinfo=UTC))
    settle()
    month = parse_period("2025-11")
    stored = {line.player_id: line.total for line in Standing.objects.filter(period="2025-11")}
    assert {pk: curve[-1] for pk, curve in trends(league, month, stored).items()} == stored
    assert {player.pk: player_profile(league, player, ProfileScope(month)).total for player in players} == stored
    before, after = ranks_around(league, month, hanchan.pk)
    assert before == {line.player_id: line.rank for line in Standing.objects.filter(period="2025-11")}
    # Without hanchan the sums decide.
    assert after == dict(zip([player.pk for player in players], (1, 2, 3, 4), strict=True))
    columns = sheet_of(hanchan.session, "ranking").columns
    assert {column.player.pk: column.running for column in columns} == stored
    assert {column.player.pk: column.before for column in columns} == dict(
        zip([player.pk for player in players], SUMS, strict=True)
    )
    assert rebuild_boards(league, lambda progress: None) == 0


def test_score_table_separates_session_points_from_adjustments(league: League) -> None:
    players = make_players(league)
    first, second = make_session(league), make_session(league)
    play(second, players=players)
    enter_session_points(session=second, lines=sums({players[0]: 1_000}, 2), note="two lost", by=SYSTEM)
    adjust(player=players[0], day=DAY, points=-500, reason="late", session=second, by=SYSTEM)
    adjust(player=players[0], day=DAY, points=-300, reason="late", by=SYSTEM)
    column = sheet_of(second, "ranking").columns[0]
    assert (column.without_hanchan, column.adjustment, column.before) == (1_000, -500, -300)
    assert column.running == 21_700 + 1_000 - 500 - 300
    lines = {line.session.pk: (line.hanchan, line.points) for line in session_summaries(league, [first, second])}
    assert lines == {first.pk: (0, None), second.pk: (1, 22_700)}


def typed(players: Iterable[Player], points: Iterable[str], **others: str) -> dict[str, str]:
    sent = {"hanchan": "4", "note": "", "lines": "4", **others}
    for line, (player, text) in enumerate(zip(players, points, strict=True)):
        sent |= {f"player_{line}": str(player.pk), f"points_{line}": text}
    return sent


def test_page_reads_points_in_printed_notation(organiser: Client, league: League, session: Session) -> None:
    answer = organiser.post(page_of(session), typed(make_players(league), ["+107,4", "▲4.5", "-34,3", "▲68.6"]))
    assert answer["Location"] == "/en" + url("session", league, session.pk)
    assert [each.points for each in SessionPoints.objects.order_by("pk")] == list(SUMS)
    page = organiser.get(answer["Location"]).content.decode()
    assert "<h2>Points without hanchan</h2>" in page
    assert page.count("4 hanchan") == 4
    assert "not 0" not in page


def test_points_that_do_not_add_up_need_a_note(organiser: Client, league: League, session: Session) -> None:
    players = make_players(league)
    points = ["30", "20", "-20", "-28.7"]
    assert "+1.3" in organiser.post(page_of(session), typed(players, points)).context["form"].errors["note"][0]
    assert not SessionPoints.objects.exists()
    organiser.post(page_of(session), typed(players, points, note="as printed"))
    assert set(SessionPoints.objects.values_list("note", "hanchan")) == {("as printed", 4)}
    shown = organiser.get("/en" + url("session", league, session.pk)).content.decode()
    assert "not 0" in shown
    assert "as printed" in shown


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"player_0": ""}, "player_0"),
        ({"points_0": ""}, "points_0"),
        ({"points_0": "many"}, "points_0"),
        ({"player_0": "0"}, "player_0"),
        ({"hanchan": "0"}, "hanchan_0"),
        ({"hanchan": "many"}, "hanchan"),
        ({"hanchan_1": "101"}, "hanchan_1"),
        pytest.param({"hanchan_1": "4", "first_1": "3"}, "hanchan_1", id="fewer placements than hanchan"),
        ({"first_1": "-1"}, "first_1"),
        pytest.param({"same": "1"}, "player_1", id="the same player twice"),
    ],
    ids=str,
)
def test_page_reports_errors_at_their_line(
    organiser: Client, league: League, session: Session, sent: dict[str, str], field: str
) -> None:
    players = make_players(league, 2)
    seated = [players[0], players[0]] if "same" in sent else players
    assert field in organiser.post(page_of(session), typed(seated, ["1", "-1"]) | sent).context["form"].errors
    assert not SessionPoints.objects.exists()


def test_page_proposes_planned_players_and_adds_lines(organiser: Client, league: League, session: Session) -> None:
    players = make_players(league, 8)
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:4])), TablePlan(2, tuple(players[4:]))], by=SYSTEM)
    form = organiser.get(page_of(session)).context["form"]
    assert [line[0].initial for line in form.rows()] == [player.pk for player in players]
    page = organiser.post(page_of(session), typed(players[:4], ["1", "2", "3", "x"], more="1"))
    assert (page.context["form"].lines, page.context["form"].errors) == (8, {})
    assert 'value="x"' in page.content.decode()


def test_withdrawing_session_points_needs_a_reason(organiser: Client, league: League, session: Session) -> None:
    players = make_players(league, 2)
    lines = {players[0]: 5_000, players[1]: -5_000}
    (stored, _) = enter_session_points(session=session, lines=sums(lines, 4), by=SYSTEM)
    address = url("points_withdraw", league, stored.pk)
    assert organiser.post(address, {"reason": ""}).context["form"].errors
    organiser.post(address, {"reason": "another session"})
    stored.refresh_from_db()
    assert stored.withdrawn
    assert organiser.get(address).status_code == 302
    assert organiser.get(url("session", league, session.pk)).context["session_points"].total == -5_000
    assert organiser.get(url("history", league)).status_code == 200


@pytest.mark.long
def test_pasted_season_is_ranked_and_corrected(organiser: Client, league: League, session: Session) -> None:
    make_players(league)
    assert page_of(session) in organiser.get("/en" + url("session", league, session.pk)).content.decode()
    table = (
        "順位\t選手\tポイント\t半荘\t1着\t2着\t3着\t4着\n"
        "1\t青木\t+107.4\t40\t12\t11\t9\t8\n2\t石田\t▲4.5\t40\t10\t10\t10\t10\n3\t上野さん\t▲34.3\t38\n4\t名無し\t▲68.6\n"
    )
    taken = paste(organiser, session, table)
    assert "line 4: 名無し" in taken.context["problems"][0]
    assert not SessionPoints.objects.exists()
    filled = sent_by(taken)
    assert (filled["points_3"], filled["player_3"], filled["first_0"]) == ("▲68.6", "", "12")
    eguchi = Player.objects.get(name="江口")
    answer = organiser.post(page_of(session), filled | {"player_3": str(eguchi.pk)})
    assert answer.status_code == 302, answer.context["form"].errors
    settle()
    board = organiser.get("/en" + url("standings", league, "2025-11") + "?columns=all")
    text = " ".join(board.content.decode().split())
    for shown in ("40 totals only", "12-11-9-8", "“Totals only”"):
        assert shown in text
    csv = organiser.get("/en" + url("standings_csv", league, "2025-11")).getvalue().decode()
    aoki, *_, last = (line.split(",") for line in csv.splitlines()[1:])
    assert (aoki[0], aoki[4:10], aoki[-1]) == ("1", ["40", "2.3250", "12", "11", "9", "8"], "40")
    assert (last[0], last[4:10], last[-1]) == ("4", ["", "", "", "", "", ""], "0")
    profile = "/en" + reverse("stats:player", args=[league.slug, Player.objects.get(name="青木").pk])
    text = " ".join(organiser.get(profile).content.decode().split())
    for shown in ("40 totals only", "2.33 <span"):
        assert shown in text
    correction = "/en" + url("points_correct", league, SessionPoints.objects.get(player=eguchi).pk)
    assert correction in organiser.get("/en" + url("session", league, session.pk)).content.decode()
    wrong = sent_by(organiser.get(correction)) | {"hanchan": "40", "first": "41", "reason": "page 2"}
    assert "41 placements but 40 hanchan" in organiser.post(correction, wrong).context["form"].errors["hanchan"][0]
    right = wrong | {"first": "7", "second": "9", "third": "11", "fourth": "13"}
    assert organiser.post(correction, right).status_code == 302
    settle()
    line = Standing.objects.get(period="2025-11", player=eguchi)
    assert (line.rank, line.all_hanchan, line.fourth) == (4, 40, 12 * 13)
    assert "page 2" in organiser.get("/en" + url("history", league)).content.decode()


def sent_by(answer: Any) -> dict[str, str]:
    form = answer.context["form"]
    fields = {field.html_name: field.value() for field in form}
    lines = {"lines": str(form.lines)} if hasattr(form, "lines") else {}
    return lines | {name: "" if value is None else str(value) for name, value in fields.items()}


def page_of(session: Session) -> str:
    return "/en" + url("session_points", session.league, session.pk)


def paste(organiser: Client, session: Session, table: str) -> Any:
    return organiser.post(page_of(session), {"lines": "4", "paste": table, "take": "1"})


def test_pasted_text_and_too_many_rows_are_reported(organiser: Client, league: League, session: Session) -> None:
    make_players(league)
    assert "No row" in paste(organiser, session, "no table").context["problems"][0]
    asked = paste(organiser, session, "\n".join(f"somebody {number}\t{number}" for number in range(70)))
    assert "10 rows were left out" in asked.context["problems"][0]
    assert asked.context["form"].lines == 60


def test_unknown_headings_are_reported_and_nothing_is_read(organiser: Client, league: League, session: Session) -> None:
    make_players(league)
    asked = paste(organiser, session, "順位\t名前\t半荘\tスコア計\n1\t青木\t40\t107.4\n")
    (problem,) = asked.context["problems"]
    assert "one column for players (選手) and one for points (ポイント)" in problem
    assert problem.endswith("Unknown headings: スコア計.")
    assert not any(value for name, value in sent_by(asked).items() if name != "lines")
    heads = "\t".join(f"{number}年{'春' * 60}" for number in range(12))
    asked = paste(organiser, session, f"選手\t{heads}\n青木\t1\n")
    assert asked.context["problems"][0].endswith("…, 9年" + "春" * 37 + "… ….")
    asked = paste(organiser, session, "順位\t選手\n1\t青木\n")
    assert asked.context["problems"][0].endswith("(ポイント).")


def test_pasted_reading_of_a_name_stays_open(organiser: Client, league: League, session: Session) -> None:
    make_players(league)
    asked = paste(organiser, session, "選手\tポイント\nアオキ\t5\n石田さん\t-5\n")
    assert "line 1: アオキ" in asked.context["problems"][0]
    filled = sent_by(asked)
    assert (filled["player_0"], filled["player_1"]) == ("", str(Player.objects.get(name="石田").pk))


def test_points_changed_meanwhile_are_not_overwritten(organiser: Client, league: League, session: Session) -> None:
    (player,) = make_players(league, 1)
    (stored,) = enter_session_points(session=session, lines={player: PublishedSum(0, 4)}, by=SYSTEM)
    address = url("points_correct", league, stored.pk)
    sent = sent_by(organiser.get(address)) | {"points": "5", "reason": "mine"}
    correct_session_points(points=stored, published=PublishedSum(7_000, 4), reason="theirs", by=SYSTEM)
    assert "points" in organiser.post(address, sent).context["form"].errors
    stored.refresh_from_db()
    assert stored.points == 7_000
