import io
import json
from typing import Any

import pytest
from django.core.management import call_command

from league.management.arguments import progress_line
from league.models import Board, League, StalePeriod, Standing
from league.services.boards import Progress, rebuild_boards
from tests.league.factories import make_league, make_session, play, run, settle

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    session = make_session(make_league())
    play(session)
    play(session, (20000, 26000, 24000, 30000))
    return session.league


def test_rebuild_repairs_every_board(league: League) -> None:
    settle()
    Standing.objects.filter(period="2025-11").update(total=0, score=0, rank=9, shared_rank=9)
    Standing.objects.filter(period="2025").delete()
    told = run("rebuild_standings", league.slug)
    assert told == "camarade: 3 leaderboards rebuilt, 2 changed.\n"
    assert [line.rank for line in Standing.objects.filter(period="2025-11").order_by("rank")] == [1, 2, 3, 4]
    assert Standing.objects.filter(period="2025").count() == 4
    assert json.loads(run("rebuild_standings", "--json")) == {"camarade": {"boards": 3, "changed": 0}}
    assert run("rebuild_standings", "--quiet") == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_on_a_terminal_and_plain_lines_in_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr("league.management.arguments.time.monotonic", lambda: float(next(clock)))
    terminal, plain = Terminal(), io.StringIO()
    for stream in (terminal, plain):
        report = progress_line("camarade", stream)
        for number in range(1, 6):
            report(Progress(number, 5, f"2025-{number}"))
    assert terminal.getvalue().count("\n") == 1
    pictures = terminal.getvalue().split("\r")[1:]
    assert pictures[0] == "camarade 1/5  20% 1/s, 0:04 left, 2025-1\033[K"
    assert pictures[-1] == "camarade 5/5 100% 1/s, 0:00 left, 2025-5\033[K\n"
    assert [line.split(" ")[1] for line in plain.getvalue().splitlines()] == ["2/5", "4/5", "5/5"]


def test_interrupted_rebuild_says_so_and_leaves_complete_boards(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(league: League, report: Any) -> int:
        def once(progress: Progress) -> None:
            report(progress)
            raise KeyboardInterrupt

        return rebuild_boards(league, once)

    monkeypatch.setattr("league.management.commands.rebuild_standings.rebuild_boards", interrupted)
    complaint = io.StringIO()
    with pytest.raises(SystemExit) as stopped:
        call_command("rebuild_standings", league.slug, stdout=io.StringIO(), stderr=complaint)
    assert stopped.value.code == 130
    assert "Stopped: 1 of 3 leaderboards of camarade were rebuilt and are right" in complaint.getvalue()
    assert list(Board.objects.exclude(computed_at=None).values_list("period", flat=True)) == ["2025-11"]
    assert StalePeriod.objects.filter(period="all").exists()
