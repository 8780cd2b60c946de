import io
from typing import Any

import psycopg
import pytest
from django.core.management import call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.management.arguments import progress_line
from league.models import Board, League, Player, StalePeriod, Standing
from league.services import board_refreshing
from league.services.boards import Progress, rebuild_boards, refresh_league
from league.services.calendar import adjust, change_settings
from league.services.history import SYSTEM
from tests.conftest import database_url, needs_postgresql
from tests.deadlines import wait_until
from tests.league.boards.test_worker import in_thread
from tests.league.factories import DAY, make_league, make_players, make_session, play, run, settle
from tests.league.races import somebody_waits_for_a_lock
from tests.raised import edition_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


FIRST, SECOND = (31700, 31300, 25500, 11500), (40000, 30000, 20000, 10000)


def two_tables(league: League) -> tuple[list[Player], list[Player]]:
    players = make_players(league, 8)
    session = make_session(league)
    play(session, FIRST, players[4:])
    play(session, SECOND, players[:4])
    settle()
    return players[:4], players[4:]


def totals(league: League, period: str) -> dict[int, int]:
    return dict(Standing.objects.filter(league=league, period=period).values_list("player", "total"))


@pytest.mark.parametrize("key", ["2025-11", "2025", "all"])
def test_refresh_recalculates_only_players_with_new_results(key: str, league: League) -> None:
    players, others = two_tables(league)
    # A wrong line reveals whether the refresh reads it.
    Standing.objects.filter(period=key, player=others[0]).update(total=1, points=1)
    Standing.objects.filter(period=key, player=players[0]).update(total=1, points=1)
    play(make_session(league), FIRST, players)
    settle()
    assert totals(league, key)[others[0].pk] == 1
    assert totals(league, key)[players[0].pk] == 30_000 + 21_700
    rebuild_boards(league, lambda progress: None)
    assert totals(league, key)[others[0].pk] == 21_700


def test_missing_board_is_refreshed_completely(league: League) -> None:
    first, second = make_players(league, 2)
    adjust(player=first, day=DAY, points=500, reason="a prize", by=SYSTEM)
    settle()
    Board.objects.all().delete()
    Standing.objects.all().delete()
    adjust(player=second, day=DAY, points=300, reason="a prize", by=SYSTEM)
    settle()
    assert [totals(league, key) for key in ("2025-11", "all")] == [{first.pk: 500, second.pk: 300}] * 2


def asked(league: League) -> list[str]:
    with CaptureQueriesContext(connection) as queries:
        refresh_league(league.pk)
    assert not StalePeriod.objects.exists()
    return [query["sql"] for query in queries]


def test_second_refresh_of_the_same_boards_costs_one_query_and_changes_nothing(league: League) -> None:
    two_tables(league)
    stored = list(Board.objects.order_by("pk").values())
    # Both results took one refresh of each board.
    assert {board["version"] for board in stored} == {1}
    before = edition_of(league)
    assert len(asked(league)) == 1
    assert board_refreshing.refresh(league.pk, ["2025-11", "2025", "all"]) == {
        "2025-11": False,
        "2025": False,
        "all": False,
    }
    assert list(Board.objects.order_by("pk").values()) == stored
    assert edition_of(league) == before


def test_result_saved_while_the_first_month_changes_counts_in_the_new_year(league: League) -> None:
    session = make_session(league, DAY.replace(month=2))
    play(session)
    settle()
    change_settings(league=League.objects.get(pk=league.pk), settings={"first_month": 4}, by=SYSTEM)
    settle()
    assert session.league.first_month == 1, "whoever stores it has read the league before"
    play(session, SECOND)
    assert set(StalePeriod.objects.values_list("period", flat=True)) == {"2025-02", "2025", "all"}
    settle()
    assert dict(Board.objects.values_list("period", "hanchan")) == {"2025-02": 2, "2025": 0, "2024": 2, "all": 2}
    assert list(Standing.objects.filter(period="all").values_list("hanchan", flat=True)) == [2] * 4


def test_tied_players_are_compared_only_if_their_hanchan_can_decide(league: League) -> None:
    players = make_players(league, 8)
    play(make_session(league), FIRST, players[:4])
    play(make_session(league), FIRST, players[4:])
    # Four pairs are tied: one query finds the last day, one sums seats, and one per board compares hanchan.
    assert sum("league_seat" in statement for statement in asked(league)) == 2 + 3
    league.tiebreak = ["shared"]
    league.save()
    play(make_session(league), SECOND, players[:4])
    play(make_session(league), SECOND, players[4:])
    assert sum("league_seat" in statement for statement in asked(league)) == 2


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_waiting_refresh_uses_the_latest_settings(league: League) -> None:
    play(make_session(league))
    settle()
    play(make_session(league), SECOND)
    with psycopg.connect(database_url()) as holder:
        holder.execute("SELECT id FROM league_board FOR UPDATE")
        refresh = in_thread(lambda: refresh_league(league.pk))
        assert wait_until(somebody_waits_for_a_lock)
        change_settings(league=league, settings={"metric": "average_points"}, by=SYSTEM)
    refresh.join()
    settle()
    assert not StalePeriod.objects.exists()
    assert rebuild_boards(League.objects.get(pk=league.pk), lambda progress: None) == 0


@pytest.fixture
def played() -> League:
    session = make_session(make_league())
    play(session)
    play(session, (20000, 26000, 24000, 30000))
    return session.league


def test_rebuild_repairs_every_board(played: League) -> None:
    settle()
    Standing.objects.filter(period="2025-11").update(total=0, score=0, rank=9, shared_rank=9)
    Standing.objects.filter(period="2025").delete()
    assert run("rebuild_standings", played.slug) == "camarade: standings rebuilt, 2 changed.\n"
    assert [line.rank for line in Standing.objects.filter(period="2025-11").order_by("rank")] == [1, 2, 3, 4]
    assert Standing.objects.filter(period="2025").count() == 4
    assert run("rebuild_standings") == "camarade: standings rebuilt, 0 changed.\n"
    assert run("rebuild_standings", "--quiet") == ""


def test_progress_is_a_line_every_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr("league.management.arguments.time.monotonic", lambda: float(next(clock)))
    stream = io.StringIO()
    report = progress_line("camarade", stream)
    for number in range(1, 6):
        report(Progress(number, 5, f"2025-{number}"))
    assert stream.getvalue() == "camarade 2/5 2025-2\ncamarade 4/5 2025-4\ncamarade 5/5 2025-5\n"


def test_interrupted_rebuild_says_so_and_leaves_whole_boards(played: League, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(league: League, report: Any) -> int:
        def once(progress: Progress) -> None:
            report(progress)
            raise KeyboardInterrupt

        return rebuild_boards(league, once)

    monkeypatch.setattr("league.management.commands.rebuild_standings.rebuild_boards", interrupted)
    complaint = io.StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("rebuild_standings", played.slug, stdout=io.StringIO(), stderr=complaint)
    assert stopped.value.code == 130
    assert "Stopped in camarade: finished standings are right" in complaint.getvalue()
    assert list(Board.objects.exclude(computed_at=None).values_list("period", flat=True)) == ["2025-11"]
    assert StalePeriod.objects.filter(period="all").exists()
