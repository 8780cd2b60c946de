"""What happens to a league that is moved when its mover is killed, hangs or meets another one."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.conftest import ROOT, needs_postgresql
from tests.deadlines import wait_until
from tests.processes import tied
from tests.production.several import Several, several
from tests.production.standbys import OWNER, PASSWORD, Web, serving

pytestmark = [pytest.mark.long, needs_postgresql]

HANCHAN = 6

MOVES = """
import os, time
import django
django.setup()
from pathlib import Path
from league.services.moving import moving
{change}
from django.core.management import call_command
call_command("move_league", "camarade", to="{target}", settle=1)
"""

DIES_BEFORE_IT_ARRIVES = """
keep_still = moving._keep_still
def dies(*given):
    keep_still(*given)
    os._exit(9)
moving._keep_still = dies
"""

DIES_BEFORE_IT_IS_TOLD = "moving._switch = lambda *given: os._exit(9)"

FAILS_BEFORE_IT_ARRIVES = """
keep_still = moving._keep_still
def fails(*given):
    keep_still(*given)
    raise ZeroDivisionError
moving._keep_still = fails
"""

WAITS_WHILE_IT_COPIES = """
copy = moving._copy
def waits(*given):
    found = copy(*given)
    Path("{told}").touch()
    while Path("{told}").exists():
        time.sleep(0.05)
    return found
moving._copy = waits
"""

FREE = "from league.services.moving.moving import free_interrupted; free_interrupted()"


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Several]:
    with several(tmp_path_factory.mktemp("moving")) as found:
        yield found


@pytest.fixture(scope="module")
def web(databases: Several, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    """A site on three databases, with a league that begins at home."""
    with serving(tmp_path_factory.mktemp("web"), databases.home, HANCHAN, **databases.named) as web:
        run(web, "manage.py", "prepare_databases")
        yield web


def run(web: Web, *words: str) -> subprocess.CompletedProcess[str]:
    """Have a Python of the site do something, and return how that ended."""
    line = [sys.executable, *words]
    return subprocess.run(
        line, cwd=ROOT, env=dict(web.environment), capture_output=True, text=True, check=False, timeout=120
    )


def move(web: Web, target: str, change: str = "") -> subprocess.CompletedProcess[str]:
    """Move the league, with something in the mover changed."""
    return run(web, "-c", MOVES.format(change=change, target=target))


@contextmanager
def copying(web: Web, target: str, told: Path) -> Iterator[subprocess.Popen[str]]:
    """Have a mover wait, in the middle of everything, until the block is left, and then go on."""
    line = [sys.executable, "-c", MOVES.format(change=WAITS_WHILE_IT_COPIES.format(told=told), target=target)]
    process = subprocess.Popen(tied(line), cwd=ROOT, env=dict(web.environment), stderr=subprocess.PIPE, text=True)
    try:
        assert wait_until(told.exists, 60)
        yield process
    finally:
        told.unlink(missing_ok=True)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said


def lives(databases: Several) -> str:
    """Return in which database the register says that the league lives."""
    found = databases.ask("home", "SELECT max(database) FROM league_leagueaddress")
    return str(found[0][0] or "home")


def hanchan(databases: Several, database: str) -> int:
    return int(str(databases.ask(database, "SELECT count(*) FROM league_hanchan")[0][0]))


def elsewhere(databases: Several) -> str:
    return "west" if lives(databases) != "west" else "east"


@pytest.mark.parametrize(
    ("change", "arrives"), [(DIES_BEFORE_IT_ARRIVES, False), (DIES_BEFORE_IT_IS_TOLD, True)], ids=["before", "after"]
)
def test_whose_mover_was_killed_the_sweep_finds_out(web: Web, databases: Several, change: str, arrives: bool) -> None:
    here, target = lives(databases), elsewhere(databases)
    before = hanchan(databases, here)
    assert move(web, target, change).returncode == 9
    visitor, result = web.visitor(), web.result()
    # The phone keeps it and sends it again, unless the league is there already: a table is found wherever it is.
    assert visitor.send(web.table, result).status == (200 if arrives else 503)
    assert run(web, "manage.py", "shell", "-c", FREE).returncode == 0
    assert wait_until(lambda: visitor.send(web.table, result).status == 200, 10)
    assert lives(databases) == (target if arrives else here)
    assert hanchan(databases, lives(databases)) == before + 1
    assert move(web, target).returncode == 0
    assert hanchan(databases, here) == 0
    assert hanchan(databases, target) == before + 1


def test_a_mover_that_fails_at_the_last_moment_frees_the_league_by_itself(web: Web, databases: Several) -> None:
    here = lives(databases)
    failed = move(web, elsewhere(databases), FAILS_BEFORE_IT_ARRIVES)
    assert "ZeroDivisionError" in failed.stderr
    assert lives(databases) == here
    assert databases.ask("home", "SELECT count(*) FROM league_leaguemove WHERE state <> 'done'") == [(0,)]
    assert web.visitor().send(web.table, web.result()).status == 200


@pytest.mark.timing
def test_nobody_waits_while_a_league_is_copied_and_no_second_mover_begins(
    web: Web, databases: Several, tmp_path: Path
) -> None:
    target = elsewhere(databases)
    with copying(web, target, tmp_path / "copies"):
        begun = time.monotonic()
        owner = web.visitor()
        owner.log_in(OWNER, PASSWORD)
        assert owner.send(web.table, web.result()).status == 200
        player = {"name": "佐倉 みお", "visibility": "public"}
        assert owner.fill_in("/l/camarade/manage/players/new/", player).status == 302
        note = {"first_name": "Mio", "last_name": "Sakura"}
        assert run(web, "manage.py", "shell", "-c", RENAMES.format(**note)).returncode == 0
        assert time.monotonic() - begun < 15
        second = run(web, "manage.py", "move_league", "camarade", "--to", target)
        assert second.returncode == 1
        assert "Somebody else is moving a league" in second.stderr
        # Neither does the sweep take it for dead.
        assert run(web, "manage.py", "shell", "-c", FREE).returncode == 0
    assert lives(databases) == target
    assert databases.ask(target, f"SELECT first_name FROM auth_user WHERE username = '{OWNER}'") == [("Mio",)]
    assert run(web, "manage.py", "verify", "--quiet", "camarade").returncode == 0


RENAMES = (
    "from django.contrib.auth.models import User\n"
    f"User.objects.filter(username='{OWNER}').update(first_name='{{first_name}}', last_name='{{last_name}}')"
)


def test_keys_rise_wherever_a_league_goes(web: Web, databases: Several) -> None:
    """Much is told by which of two rows has the larger key: what is stored later, here or there, has it."""
    largest = 0
    for target in ("west", "east", "home", "west", "home", "east"):
        assert run(web, "manage.py", "move_league", "camarade", "--to", target, "--settle", "0").returncode == 0
        result = web.result()
        assert web.visitor().send(web.table, result).status == 200
        keys = databases.ask(target, f"SELECT id FROM league_hanchan WHERE client_key = '{result['client_key']}'")
        assert int(str(keys[0][0])) > largest
        largest = int(str(databases.ask(target, "SELECT max(id) FROM league_hanchan")[0][0]))
        revisions = databases.ask(target, "SELECT id FROM league_revision ORDER BY at")
        assert revisions == sorted(revisions)


def test_nothing_of_a_league_is_taken_away_that_lives_there(web: Web, databases: Several) -> None:
    """Somebody brought it back by hand while the mover waited."""
    here, target = lives(databases), elsewhere(databases)
    before = hanchan(databases, here)
    line = [sys.executable, "manage.py", "move_league", "camarade", "--to", target, "--settle", "4"]
    process = subprocess.Popen(tied(line), cwd=ROOT, env=dict(web.environment), stderr=subprocess.PIPE, text=True)
    assert wait_until(lambda: lives(databases) == target, 60)
    process.send_signal(signal.SIGSTOP)
    databases.ask(here, "DELETE FROM league_awayleague RETURNING id")
    process.send_signal(signal.SIGCONT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "lives here again" in said
    assert hanchan(databases, here) == hanchan(databases, target) == before
