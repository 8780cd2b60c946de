"""The commands of a league: export, import, standings, rebuild."""

import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from league.core.periods import parse_period
from league.management.arguments import progress_line
from league.models import Board, League, StalePeriod, Standing
from league.services.boards import Progress, rebuild_boards
from league.services.calendar import adjust
from league.services.history import SYSTEM
from tests.league.factories import DAY, make_league, make_players, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db


def run(*args: str, **options: Any) -> str:
    output = io.StringIO()
    call_command(*args, stdout=output, stderr=io.StringIO(), **options)
    return output.getvalue()


@pytest.fixture
def league() -> League:
    session = make_session(make_league())
    play(session)
    play(session, (20000, 26000, 24000, 30000))
    return session.league


def standings_of(*args: str) -> list[dict[str, Any]]:
    ranking: list[dict[str, Any]] = json.loads(run("standings", *args))["ranking"]
    return ranking


def test_standings_prints_a_month(league: League) -> None:
    make_players(league, 1)
    late = league.players.get(key="p5")
    adjust(player=late, day=DAY, points=-5_500, reason="late", by=SYSTEM)
    found = json.loads(run("standings", league.slug, "--month", "2025-11"))
    assert (found["league"], found["period"]) == ("camarade", "2025-11")
    assert [(line["rank"], line["player"], line["points"], line["games"]) for line in found["ranking"]] == [
        (1, "p1", "11.7", 2),
        (2, "p4", "1.5", 2),
        (3, "p2", "-2.7", 2),
        (4, "p3", "-10.5", 2),
        (None, "p5", "-5.5", 0),
    ]
    assert found["ranking"][0]["name"] == "青木"


@pytest.mark.parametrize(
    ("arguments", "games"),
    [
        pytest.param(["--year", "2025"], 2, id="year"),
        pytest.param(["--all"], 2, id="all time"),
        pytest.param(["--from", "2025-11-21", "--to", "2025-11-21"], 2, id="one day"),
        pytest.param(["--month", "2025-10"], None, id="month without play"),
        pytest.param(["--from", "2025-11-22", "--to", "2026-01-01"], None, id="range without play"),
    ],
)
def test_standings_prints_other_periods(league: League, arguments: list[str], games: int | None) -> None:
    found = standings_of(league.slug, *arguments)
    assert [line["games"] for line in found] == ([games] * 4 if games else [])


def test_standings_tells_what_decided_a_tie() -> None:
    session = make_session(make_league())
    play(session, (30000, 20000, 26000, 24000))
    play(session, (20000, 30000, 26000, 24000))
    first, second = standings_of("camarade", "--all")[:2]
    assert (first["player"], second["player"], first["points"]) == ("p2", "p1", second["points"])
    assert first["decided_by"] == "hanchan 2: 20.0 > -10.0"
    assert second["decided_by"] is None


def test_standings_reads_the_facts_when_the_board_is_behind(league: League) -> None:
    settle()
    play(league.sessions.get(), (50000, 20000, 20000, 10000))
    assert StalePeriod.objects.exists()
    assert standings_of(league.slug, "--month", "2025-11")[0]["games"] == 3
    assert Standing.objects.filter(period="2025-11").first().hanchan == 2  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(["nowhere", "--all"], "There is no league 'nowhere'. Known leagues: camarade.", id="league"),
        pytest.param(["camarade"], "Say which ranking", id="no period"),
        pytest.param(["camarade", "--month", "2025-13"], "2025-13 is no period", id="month"),
        pytest.param(["camarade", "--month", "2025"], "2025 does not fit", id="year for month"),
        pytest.param(["camarade", "--year", "2025-11"], "2025-11 does not fit", id="month for year"),
        pytest.param(["camarade", "--from", "2025-11-01"], "A range needs both", id="half a range"),
        pytest.param(["camarade", "--from", "2025-11-02", "--to", "2025-11-01"], "is no period", id="backwards"),
        pytest.param(["camarade", "--all", "--year", "2025"], "not allowed with", id="two"),
    ],
)
def test_standings_says_what_it_does_not_understand(league: League, arguments: list[str], complaint: str) -> None:
    assert league.slug == "camarade"
    with pytest.raises(CommandError, match=complaint.replace("(", r"\(")):
        run("standings", *arguments)


def test_a_league_goes_out_and_comes_in_by_commands(league: League, tmp_path: Path) -> None:
    file = tmp_path / "league.json"
    file.write_text(run("export_league", league.slug))
    told = run("import_league", str(file), slug="copy", by=make_user("ueno").username)
    assert told == "Imported copy: 4 players, 1 sessions, 2 hanchan.\n"
    copied = json.loads(run("export_league", "copy"))
    original = json.loads(file.read_text())
    assert copied["league"].pop("slug") == "copy"
    del original["league"]["slug"]
    assert copied == original
    assert standings_of("copy", "--all") == standings_of(league.slug, "--all")
    assert not StalePeriod.objects.filter(league__slug="copy").exists()
    assert Standing.objects.filter(league__slug="copy", period="2025").count() == 4


def test_import_reads_standard_input(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    content = run("export_league", league.slug).encode()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert run("import_league", "-", slug="piped").startswith("Imported piped")


def test_import_says_what_is_wrong(league: League, tmp_path: Path) -> None:
    document = json.loads(run("export_league", league.slug))
    document["sessions"][0]["hanchan"][1]["seats"][2]["raw"] += 1000
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(document))
    with pytest.raises(CommandError, match=r"Nothing was imported\.\n\$\.sessions\[0\]\.hanchan\[1\]: .* 1000 off"):
        run("import_league", str(file), slug="copy")
    with pytest.raises(CommandError, match="--slug must consist of"):
        run("import_league", str(file), slug="a/b")
    with pytest.raises(CommandError, match=r"no-such-file cannot be read: No such file"):
        run("import_league", "no-such-file")
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        run("import_league", str(file), by="nobody")
    assert League.objects.count() == 1


# --- Rebuild -------------------------------------------------------------------------------------------------------


def test_rebuild_mends_every_board(league: League) -> None:
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
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_on_a_terminal_and_plain_lines_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
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


def test_an_interrupted_rebuild_says_so_and_leaves_whole_boards(
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
    assert list(Board.objects.exclude(computed_at=None).values_list("period", flat=True)) == ["2025"]
    assert StalePeriod.objects.filter(period="all").exists()


@pytest.mark.django_db(transaction=True)
def test_ctrl_c_ends_a_real_rebuild_cleanly(tmp_path: Path) -> None:
    from tests.conftest import ROOT, database_url

    league = make_league()
    for month in range(1, 13):
        play(make_session(league, DAY.replace(month=month)))
    environment = os.environ | {"DATABASE_URL": database_url(), "PYTHONUNBUFFERED": "1"}
    script = (
        "import os, signal, sys, runpy\n"
        "from league.services import boards\n"
        "real = boards.refresh_board\n"
        "def refresh(league, period):\n"
        "    changed = real(league, period)\n"
        "    if period.key == '2025-03': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return changed\n"
        "boards.refresh_board = refresh\n"
        "from django.core.management import call_command\n"
        "call_command('rebuild_standings')\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{script}"],
        cwd=ROOT,
        env=environment | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 130, ended.stderr
    assert "are right, the others are as they were" in ended.stderr
    settled = set(Standing.objects.values_list("period", flat=True))
    assert "2025-03" in settled
    assert "2025-12" not in settled
    assert signal.SIGINT
    assert Standing.objects.filter(period="2025-03").count() == 4
    settle()
    assert {line.hanchan for line in Standing.objects.filter(period=parse_period("2025").key)} == {12}
