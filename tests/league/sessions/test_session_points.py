"""Points of sessions of which only the sums are known: they count like adjustments and are never hanchan played."""

from collections.abc import Iterable
from datetime import UTC, date, datetime

import pytest
from django.test import Client
from django.urls import reverse

from league.core.periods import ALL_TIME, parse_period
from league.models import League, Player, Revision, Seat, SessionPoints, StalePeriod, Standing
from league.selectors.boards import live_lines
from league.selectors.session_summaries import session_summaries
from league.selectors.sheets import sheet_of
from league.selectors.trends import trends
from league.selectors.what_if import ranks_around
from league.services.boards import rebuild_boards
from league.services.calendar import SessionFacts, adjust, change_session
from league.services.history import SYSTEM
from league.services.people import PeopleError, merge_players, separate_players
from league.services.planning import TablePlan, plan_tables
from league.services.session_points import SessionPointsError, enter_session_points, withdraw_session_points
from stats.selectors.profiles import ProfileScope, player_profile
from tests.league.factories import DAY, make_league, make_players, make_session, make_user, play, settle

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

SUMS = (107_400, -4_500, -34_300, -68_600)


def totals(league: League, period: str = "all") -> dict[str, tuple[int, int]]:
    lines = Standing.objects.filter(league=league, period=period).select_related("player")
    return {line.player.name: (line.total, line.hanchan) for line in lines}


def test_points_count_in_the_period_of_the_session_and_are_no_hanchan() -> None:
    league = make_league()
    players = make_players(league)
    old = make_session(league, date(2024, 3, 1))
    enter_session_points(session=old, lines=dict(zip(players, SUMS, strict=True)), hanchan=4, by=SYSTEM)
    play(make_session(league))
    settle()
    expected = {"青木": 107_400, "石田": -4_500, "上野": -34_300, "江口": -68_600}
    assert totals(league, "2024-03") == {name: (points, 0) for name, points in expected.items()}
    assert totals(league)["青木"] == (107_400 + 21_700, 1)
    live = {line.player.name: (line.total, line.hanchan, line.rank) for line in live_lines(league, ALL_TIME)}
    assert {name: line[:2] for name, line in live.items()} == totals(league)
    assert live["青木"][2] == 1


def test_points_only_are_ranked_nowhere_until_something_is_played() -> None:
    league = make_league()
    players = make_players(league)
    enter_session_points(
        session=make_session(league), lines=dict(zip(players, SUMS, strict=True)), hanchan=4, by=SYSTEM
    )
    settle()
    assert set(Standing.objects.values_list("rank", flat=True)) == {None}


def test_withdrawn_points_count_nowhere_and_leave_the_board() -> None:
    league = make_league()
    players = make_players(league)
    stored = enter_session_points(
        session=make_session(league), lines=dict(zip(players, SUMS, strict=True)), hanchan=4, by=SYSTEM
    )
    settle()
    for each in stored:
        withdraw_session_points(points=each, reason="wrong season", by=SYSTEM)
    settle()
    assert totals(league) == {}
    # What was withdrawn may be entered anew.
    enter_session_points(session=stored[0].session, lines={players[0]: 0}, hanchan=1, by=SYSTEM)
    assert SessionPoints.objects.filter(withdrawn=False).count() == 1
    assert Revision.objects.filter(subject="sessionpoints", action="withdrawn").count() == 4


def test_sum_that_is_not_zero_needs_a_note() -> None:
    league = make_league()
    players = make_players(league, 2)
    session = make_session(league)
    lines = {players[0]: 20_000, players[1]: -18_700}
    with pytest.raises(SessionPointsError) as refused:
        enter_session_points(session=session, lines=lines, hanchan=4, by=SYSTEM)
    assert (refused.value.code, refused.value.values) == ("unbalanced", {"total": 1_300})
    enter_session_points(session=session, lines=lines, hanchan=4, note="as printed", by=SYSTEM)
    assert set(SessionPoints.objects.values_list("note", "hanchan")) == {("as printed", 4)}


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
def test_points_that_cannot_be_are_refused(who: tuple[int, ...], hanchan: int, code: str) -> None:
    league = make_league()
    players = [*make_players(league, 2), *make_players(make_league("other"), 1), *make_players(league, 2)]
    session = make_session(league)
    enter_session_points(session=session, lines={players[1]: 0}, hanchan=4, by=SYSTEM)
    merge_players(source=players[3], target=players[4], by=SYSTEM, reason="one person")
    with pytest.raises(SessionPointsError) as refused:
        enter_session_points(session=session, lines={players[each]: 0 for each in who}, hanchan=hanchan, by=SYSTEM)
    assert refused.value.code == code
    assert SessionPoints.objects.count() == 1


def test_points_follow_their_session_to_another_day() -> None:
    league = make_league()
    (player,) = make_players(league, 1)
    session = make_session(league, date(2024, 3, 1))
    enter_session_points(session=session, lines={player: 1_000}, hanchan=4, note="bonus", by=SYSTEM)
    settle()
    change_session(session=session, facts=SessionFacts(date(2024, 5, 1)), by=SYSTEM)
    assert set(StalePeriod.objects.values_list("period", flat=True)) == {"2024-03", "2024-05", "2024", "all"}
    settle()
    assert (totals(league, "2024-03"), totals(league, "2024-05")) == ({}, {"青木": (1_000, 0)})


def test_merge_moves_points_and_separation_brings_them_back() -> None:
    league = make_league()
    players = make_players(league, 2)
    session, later = make_session(league), make_session(league)
    enter_session_points(session=session, lines={players[0]: 5_000}, hanchan=4, note="half", by=SYSTEM)
    enter_session_points(session=later, lines={players[1]: 700}, hanchan=4, note="half", by=SYSTEM)
    merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    settle()
    assert totals(league) == {"石田": (5_700, 0)}
    separate_players(source=players[0], by=SYSTEM, reason="two after all")
    settle()
    assert totals(league) == {"青木": (5_000, 0), "石田": (700, 0)}


def test_players_with_points_of_one_session_are_two_people() -> None:
    league = make_league()
    players = make_players(league, 2)
    lines = {players[0]: 5_000, players[1]: -5_000}
    stored = enter_session_points(session=make_session(league), lines=lines, hanchan=4, by=SYSTEM)
    with pytest.raises(PeopleError) as refused:
        merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")
    assert refused.value.code == "met_points"
    withdraw_session_points(points=stored[0], reason="twice", by=SYSTEM)
    merge_players(source=players[0], target=players[1], by=SYSTEM, reason="one person")


def test_every_view_of_the_totals_agrees() -> None:
    league = make_league()
    players = make_players(league)
    old = make_session(league, date(2025, 11, 1))
    enter_session_points(session=old, lines=dict(zip(players, SUMS, strict=True)), hanchan=4, by=SYSTEM)
    hanchan = play(make_session(league), played_at=datetime(2025, 11, 21, 11, tzinfo=UTC))
    settle()
    month = parse_period("2025-11")
    stored = {line.player_id: line.total for line in Standing.objects.filter(period="2025-11")}
    assert {pk: curve[-1] for pk, curve in trends(league, month, stored).curves.items()} == stored
    assert {player.pk: player_profile(league, player, ProfileScope(month)).total for player in players} == stored
    before, after = ranks_around(league, month, hanchan.pk)
    assert before == {line.player_id: line.rank for line in Standing.objects.filter(period="2025-11")}
    assert after == {}
    columns = sheet_of(hanchan.session, "ranking").columns
    assert {column.player.pk: column.running for column in columns} == stored
    assert {column.player.pk: column.before for column in columns} == dict(
        zip([player.pk for player in players], SUMS, strict=True)
    )
    assert rebuild_boards(league, lambda progress: None) == 0


def test_sheet_tells_points_without_hanchan_from_adjustments_of_the_session() -> None:
    league = make_league()
    players = make_players(league)
    first, second = make_session(league), make_session(league)
    play(second, players=players)
    enter_session_points(session=second, lines={players[0]: 1_000}, hanchan=2, note="two lost", by=SYSTEM)
    adjust(player=players[0], day=DAY, points=-500, reason="late", session=second, by=SYSTEM)
    adjust(player=players[0], day=DAY, points=-300, reason="late", by=SYSTEM)
    column = sheet_of(second, "ranking").columns[0]
    assert (column.without_hanchan, column.adjustment, column.before) == (1_000, -500, -300)
    assert column.running == 21_700 + 1_000 - 500 - 300
    lines = {line.session.pk: (line.hanchan, line.points) for line in session_summaries(league, [first, second])}
    assert lines == {first.pk: (0, None), second.pk: (1, 22_700)}


def test_rows_keep_who_entered_them() -> None:
    league = make_league()
    (player,) = make_players(league, 1)
    session = make_session(league)
    from_page = SYSTEM.__class__(make_user(), "page")
    (stored,) = enter_session_points(session=session, lines={player: 0}, hanchan=4, by=from_page)
    assert (stored.created_by, stored.day, Seat.objects.count()) == (from_page.user, DAY, 0)


# --- Pages ---------------------------------------------------------------------------------------------------------


def organiser(client: Client, league: League) -> Client:
    client.force_login(make_user("ishida", league=league, role="organiser"))
    return client


def typed(players: Iterable[Player], points: Iterable[str], **others: str) -> dict[str, str]:
    sent = {"hanchan": "4", "note": "", "lines": "4", **others}
    for line, (player, text) in enumerate(zip(players, points, strict=True)):
        sent |= {f"player_{line}": str(player.pk), f"points_{line}": text}
    return sent


def test_page_takes_points_as_papers_print_them(client: Client) -> None:
    league = make_league()
    players = make_players(league)
    session = make_session(league)
    address = reverse("league:session_points", args=[league.slug, session.pk])
    shown = reverse("league:session", args=[league.slug, session.pk])
    answer = organiser(client, league).post(address, typed(players, ["+107.4", "▲4.5", "-34.3", "▲68.6"]))
    assert answer["Location"] == shown
    assert {each.player.name: each.points for each in SessionPoints.objects.all()} == {
        "青木": 107_400,
        "石田": -4_500,
        "上野": -34_300,
        "江口": -68_600,
    }
    page = client.get("/en" + shown).content.decode()
    assert "<h2>Points without hanchan</h2>" in page
    assert page.count("4 hanchan") == 4
    assert "not 0" not in page


def test_page_names_the_difference_and_takes_it_with_a_note(client: Client) -> None:
    league = make_league()
    players = make_players(league)
    session = make_session(league)
    address = reverse("league:session_points", args=[league.slug, session.pk])
    points = ["30", "20", "-20", "-28.7"]
    page = organiser(client, league).post("/en" + address, typed(players, points))
    assert "+1.3" in page.context["form"].errors["note"][0]
    assert not SessionPoints.objects.exists()
    client.post(address, typed(players, points, note="as printed"))
    assert SessionPoints.objects.count() == 4
    shown = client.get("/en" + reverse("league:session", args=[league.slug, session.pk])).content.decode()
    assert "not 0" in shown
    assert "as printed" in shown


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        pytest.param({"player_0": ""}, "player_0", id="nobody's points"),
        pytest.param({"points_0": ""}, "points_0", id="no points"),
        pytest.param({"points_0": "many"}, "points_0", id="no number"),
        pytest.param({"player_0": "0"}, "player_0", id="unknown player"),
        pytest.param({"hanchan": "0"}, "hanchan", id="no hanchan"),
        pytest.param({"same": "1"}, "player_1", id="the same player twice"),
    ],
)
def test_page_says_which_line_is_wrong(client: Client, sent: dict[str, str], field: str) -> None:
    league = make_league()
    players = make_players(league, 2)
    session = make_session(league)
    seated = [players[0], players[0]] if "same" in sent else players
    answer = organiser(client, league).post(
        reverse("league:session_points", args=[league.slug, session.pk]), typed(seated, ["1", "-1"]) | sent
    )
    assert field in answer.context["form"].errors
    assert not SessionPoints.objects.exists()


def test_page_proposes_who_is_planned_and_gives_more_lines(client: Client) -> None:
    league = make_league()
    players = make_players(league, 8)
    session = make_session(league)
    plan_tables(session=session, plans=[TablePlan(1, tuple(players[:4])), TablePlan(2, tuple(players[4:]))], by=SYSTEM)
    address = reverse("league:session_points", args=[league.slug, session.pk])
    form = organiser(client, league).get(address).context["form"]
    assert [player.initial for player, _ in form.rows()] == [player.pk for player in players]
    page = client.post(address, typed(players[:4], ["1", "2", "3", "x"], more="1"))
    assert (page.context["form"].lines, page.context["form"].errors) == (8, {})
    assert 'value="x"' in page.content.decode()


def test_page_withdraws_points_with_a_reason(client: Client) -> None:
    league = make_league()
    players = make_players(league, 2)
    session = make_session(league)
    lines = {players[0]: 5_000, players[1]: -5_000}
    (stored, _) = enter_session_points(session=session, lines=lines, hanchan=4, by=SYSTEM)
    address = reverse("league:points_withdraw", args=[league.slug, stored.pk])
    assert organiser(client, league).post(address, {"reason": ""}).context["form"].errors
    client.post(address, {"reason": "another session"})
    stored.refresh_from_db()
    assert stored.withdrawn
    assert client.get(address).status_code == 302
    page = client.get(reverse("league:session", args=[league.slug, session.pk]))
    assert page.context["session_points"].total == -5_000
    assert client.get(reverse("league:history", args=[league.slug])).status_code == 200


def test_page_hides_names_that_are_for_members(client: Client) -> None:
    league = make_league()
    players = make_players(league, 2)
    session = make_session(league)
    lines = {players[0]: 5_000, players[1]: -5_000}
    enter_session_points(session=session, lines=lines, hanchan=4, by=SYSTEM)
    players[0].visibility = "members"
    players[0].save()
    page = client.get(reverse("league:session", args=[league.slug, session.pk])).content.decode()
    assert "青木" not in page
    assert "石田" in page
