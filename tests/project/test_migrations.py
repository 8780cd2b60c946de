"""A site with data in it can go back to an older version, and forward again, on both databases."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.budget import varied
from tests.conftest import ROOT, needs_postgresql
from tests.keeping.sites import exports, managed, told
from tests.production.databases import ENGINES, new_database

THERE_AND_BACK = """
import django
from django.core.management import call_command

django.setup()
quiet = {"verbosity": 0}
call_command("migrate", **quiet)
call_command("load_demo", stdout=open("/dev/null", "w"))
call_command("standings", "camarade", "--all")
call_command("migrate", "league", "0001", **quiet)
print(",")
call_command("migrate", **quiet)
call_command("standings", "camarade", "--all")
"""


@needs_postgresql
@varied("engine", ENGINES)
def test_a_league_survives_the_way_back_to_the_first_tables(tmp_path: Path, engine: str) -> None:
    with new_database(engine, tmp_path) as database:
        environment = os.environ | {
            "DATABASE_URL": database,
            "REDIS_URL": "",
            "DJANGO_SETTINGS_MODULE": "config.settings",
        }
        command = [sys.executable, "-c", THERE_AND_BACK]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    before, after = json.loads(f"[{done.stdout}]")
    assert len(before["ranking"]) > 10
    assert after == before


PLAYED = """
from tests.league.factories import make_league, make_players, make_session, play
league = make_league()
make_players(league)
play(make_session(league))
"""

KILLED = """
import runpy
runpy.run_module("tests.project.killed_migrations")
"""


@needs_postgresql
@varied("engine", ENGINES)
def test_a_migration_that_is_killed_goes_on_when_it_is_begun_again(tmp_path: Path, engine: str) -> None:
    with new_database(engine, tmp_path) as database:
        if engine == "sqlite":
            managed(database, "migrate")
        told(database, PLAYED)
        before = exports(database)
        # From here on there are some that are no transaction.
        managed(database, "migrate", "league", "0012")
        kills: dict[str, int] = json.loads(told(database, KILLED))
        assert exports(database) == before
    assert min(kills.values()) == 1
    assert {name.partition(".")[0] for name in kills} == {"accounts", "league", "stats", "tournaments"}
    assert kills["league.0017_slender_indexes"] > 2
