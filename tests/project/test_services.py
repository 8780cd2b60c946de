"""The tests' servers start on demand and leave nothing behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from tests import postgresql
from tests.conftest import ROOT
from tests.deadlines import wait_until
from tests.processes import listens

OUTSIDE = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
OUTSIDE = {name: value for name, value in OUTSIDE.items() if not name.startswith(("PYTEST_", "COV_"))}
"""Environment of a developer's shell."""

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
        pytest.param(
            "tests/project/test_services.py::test_test_database_is_created_from_the_template",
            [True, True],
            id="pages do",
        ),
    ],
)
def test_servers_start_only_for_tests_that_need_them(test: str, answering: list[bool]) -> None:
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
def test_wheels_replace_missing_servers() -> None:
    environment = OUTSIDE | {"SERVICES": "wheel"}
    with subprocess.Popen([sys.executable, "-c", BRING_UP], cwd=ROOT, env=environment, stdout=subprocess.PIPE) as run:
        assert run.stdout
        version, *ports = json.loads(run.stdout.readline())
        assert version.startswith("17.")
        assert all(listens(port) for port in ports)
        run.kill()
    assert wait_until(lambda: not any(listens(port) for port in ports))


def test_template_name_depends_on_server_migrations_and_requirements(
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
def test_test_database_is_created_from_the_template() -> None:
    if "TEST_TEMPLATE" not in os.environ:
        pytest.skip("the server was here before")
    assert connection.settings_dict["TEST"]["TEMPLATE"] == postgresql.TEMPLATE
    with connection.cursor() as cursor:
        cursor.execute("SELECT datname FROM pg_database")
        assert postgresql.TEMPLATE in {name for (name,) in cursor.fetchall()}
