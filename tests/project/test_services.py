"""The servers of the tests are real, start when a test asks for them, and leave nothing behind."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.db import connection
from redis import Redis

from tests import postgresql
from tests.conftest import ROOT
from tests.deadlines import wait_until
from tests.processes import listens, server_account


@pytest.mark.django_db
def test_database_is_a_real_postgresql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT version()")
        assert cursor.fetchone()[0].startswith("PostgreSQL")


@pytest.mark.usefixtures("servers")
def test_broker_is_a_real_redis() -> None:
    with Redis.from_url(os.environ["REDIS_URL"]) as broker:
        broker.set("a key of the tests", "点棒", ex=60)
        assert broker.get("a key of the tests") == "点棒".encode()


# --- When they start -------------------------------------------------------------------------------------------------

OUTSIDE = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
OUTSIDE = {name: value for name, value in OUTSIDE.items() if not name.startswith(("PYTEST_", "COV_"))}
"""The environment of somebody who starts the tests at a desk."""

WATCHED = """
from urllib.parse import urlsplit
import os
import pytest
from tests.processes import listens

class Watch:
    def pytest_sessionfinish(self):
        print("answering:", [listens(urlsplit(os.environ[name]).port) for name in ("DATABASE_URL", "REDIS_URL")])

pytest.main(["-q", "-s", "-p", "no:cacheprovider", {test!r}], plugins=[Watch()])
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("test", "answering"),
    [
        pytest.param("tests/scoring/test_rounding.py", [False, False], id="cores need none"),
        pytest.param("tests/project/test_services.py::test_database_is_a_real_postgresql", [True, True], id="pages do"),
    ],
)
def test_servers_start_when_a_test_asks_for_them(test: str, answering: list[bool]) -> None:
    run = [sys.executable, "-c", WATCHED.format(test=test)]
    ended = subprocess.run(run, cwd=ROOT, env=OUTSIDE, capture_output=True, text=True, check=False)
    assert "passed" in ended.stdout, ended.stdout + ended.stderr
    assert f"answering: {answering}" in ended.stdout


BRING_UP = """
import json, os, sys, time
from urllib.parse import urlsplit
import psycopg
from tests import services
services.name_servers()
services.start()
with psycopg.connect(os.environ["DATABASE_URL"]) as database:
    version = database.execute("SHOW server_version").fetchone()[0]
print(json.dumps([version, *(urlsplit(os.environ[name]).port for name in ("DATABASE_URL", "REDIS_URL"))]), flush=True)
time.sleep(60)
"""


@pytest.mark.long
def test_wheels_stand_in_for_missing_servers_and_a_killed_run_leaves_none() -> None:
    environment = OUTSIDE | {"SERVICES": "wheel"}
    with subprocess.Popen([sys.executable, "-c", BRING_UP], cwd=ROOT, env=environment, stdout=subprocess.PIPE) as run:
        assert run.stdout
        version, *ports = json.loads(run.stdout.readline())
        assert version.startswith("17.")
        assert all(listens(port) for port in ports)
        run.kill()
    assert wait_until(lambda: not any(listens(port) for port in ports))


# --- The template ----------------------------------------------------------------------------------------------------


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    """The folder of a server that was stopped, as far as copying is concerned."""
    data = tmp_path / "data"
    (data / "base").mkdir(parents=True)
    (data / "base" / "1").write_text("rows")
    return data


def test_a_template_is_kept_and_copied(cluster: Path, tmp_path: Path) -> None:
    template = tmp_path / "var" / "postgresql-1"
    postgresql.keep(cluster, template)
    assert postgresql.is_copied(template, tmp_path / "run" / "data")
    copied = tmp_path / "run" / "data"
    assert (copied / "base" / "1").read_text() == "rows"
    assert copied.stat().st_mode & 0o777 == 0o700
    account = server_account()
    assert copied.stat().st_uid == (account.pw_uid if account else os.getuid())
    assert [path.name for path in template.parent.iterdir()] == ["postgresql-1"]


def test_whoever_comes_second_keeps_the_template_of_the_first(cluster: Path, tmp_path: Path) -> None:
    template = tmp_path / "var" / "postgresql-1"
    postgresql.keep(cluster, template)
    (cluster / "base" / "1").write_text("other rows")
    postgresql.keep(cluster, template)
    assert (template / "base" / "1").read_text() == "rows"
    assert [path.name for path in template.parent.iterdir()] == ["postgresql-1"]


def test_a_tree_that_cannot_be_written_keeps_nothing_and_hurts_nobody(cluster: Path, tmp_path: Path) -> None:
    in_the_way = tmp_path / "var"
    in_the_way.write_text("no folder")
    postgresql.keep(cluster, in_the_way / "tests" / "postgresql-1")
    assert in_the_way.read_text() == "no folder"
    assert not postgresql.is_copied(in_the_way / "tests" / "postgresql-1", tmp_path / "run" / "data")
    assert not (tmp_path / "run" / "data").exists()


def test_templates_that_nobody_uses_go_after_a_week(cluster: Path, tmp_path: Path) -> None:
    kept = tmp_path / "var"
    for name in ("postgresql-1", "postgresql-2"):
        postgresql.keep(cluster, kept / name)
    shutil.copytree(cluster, kept / ".postgresql-3-77")  # of a run that was killed
    long_ago = time.time() - 8 * 24 * 3600
    for name in ("postgresql-1", ".postgresql-3-77"):
        os.utime(kept / name, (long_ago, long_ago))
    postgresql.forget_old(kept)
    assert [path.name for path in kept.iterdir()] == ["postgresql-2"]


def test_a_migration_that_says_something_else_is_another_template(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migration = tmp_path / "league" / "migrations" / "0001_initial.py"
    migration.parent.mkdir(parents=True)
    migration.write_text("first")
    (tmp_path / "requirements.txt").write_text("django==5.2")
    monkeypatch.setattr(postgresql, "ROOT", tmp_path)
    names = {postgresql.template_name(b"postgres (PostgreSQL) 17.1")}
    assert postgresql.template_name(b"postgres (PostgreSQL) 17.1") in names
    names.add(postgresql.template_name(b"postgres (PostgreSQL) 17.2"))
    migration.write_text("second")
    names.add(postgresql.template_name(b"postgres (PostgreSQL) 17.2"))
    migration.rename(migration.with_name("0002_more.py"))
    names.add(postgresql.template_name(b"postgres (PostgreSQL) 17.2"))
    (tmp_path / "requirements.txt").write_text("django==5.3")
    names.add(postgresql.template_name(b"postgres (PostgreSQL) 17.2"))
    assert len(names) == 5


@pytest.mark.django_db
def test_the_database_of_the_tests_comes_from_the_template() -> None:
    if "TEST_TEMPLATE" not in os.environ:
        pytest.skip("the server was here before")
    assert connection.settings_dict["TEST"]["TEMPLATE"] == postgresql.TEMPLATE
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database")
        assert postgresql.TEMPLATE in {name for (name,) in cursor.fetchall()}
