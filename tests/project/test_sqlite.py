import http.client
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import ConnectionHandler
from pytest_django import DjangoDbBlocker

from config.databases import configured
from tests.deadlines import wait_until
from tests.processes import free_port, program

SERVED = """
import threading
from django.db.backends.signals import connection_created

def tell(**_):
    print("opened by", threading.current_thread().name, flush=True)

connection_created.connect(tell, weak=False)
from config.embedded import main
main()
"""


@dataclass
class Served:
    """An embedded site with a single request thread and a database without leagues."""

    file: Path
    port: int
    log: Path
    process: subprocess.Popen[bytes]

    def status(self) -> int:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)) as visitor:
            visitor.request("GET", "/healthz")
            return visitor.getresponse().status

    def is_up(self) -> bool:
        try:
            return self.status() == 200
        except OSError:
            return False


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    port, log, file = free_port(), tmp_path / "log", tmp_path / "tenbo.sqlite3"
    write(file, "PRAGMA journal_mode = WAL", "CREATE TABLE notes (text)")
    command = [sys.executable, "-c", SERVED, "--listen", f"127.0.0.1:{port}", "--threads", "1"]
    settings = {"VAR_DIR": str(tmp_path), "DATABASE_URL": "", "REDIS_URL": "", "DEMO": "on", "SECRET_KEY": "x" * 40}
    process = program(command, os.environ | settings, log)
    site = Served(file, port, log, process)
    try:
        assert wait_until(site.is_up, 60), log.read_text("utf-8")
        yield site
    finally:
        process.kill()
        process.wait()


@pytest.mark.merge
def test_requests_share_one_open_connection(served: Served) -> None:
    assert [served.status(), served.status()] == [200, 200]
    assert served.log.read_text("utf-8").count("opened by waitress-0\n") == 1


@pytest.mark.merge
def test_database_file_is_complete_after_shutdown(served: Served) -> None:
    journal = served.file.with_name("tenbo.sqlite3-wal")
    # This connection stays open until the server ends, as that of the background thread does.
    with closing(sqlite3.connect(served.file)) as left:
        left.execute("SELECT * FROM notes").fetchall()
        write(served.file, "INSERT INTO notes VALUES ('saved')")
        assert journal.stat().st_size > 0
        served.process.send_signal(signal.SIGTERM)
        assert served.process.wait(30) == 0
        assert journal.stat().st_size == 0
        copied = served.file.with_name("copied.sqlite3")
        copied.write_bytes(served.file.read_bytes())
    with closing(sqlite3.connect(copied)) as other:
        assert other.execute("SELECT * FROM notes").fetchall() == [("saved",)]


def write(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        for statement in statements:
            other.execute(statement)


@pytest.fixture
def own(tmp_path: Path, django_db_blocker: DjangoDbBlocker) -> Iterator[BaseDatabaseWrapper]:
    write(tmp_path / "tenbo.sqlite3", "CREATE TABLE notes (text)", "INSERT INTO notes VALUES ('before')")
    connection = ConnectionHandler({"default": configured("", tmp_path, is_pooled=False)["default"]})["default"]
    with django_db_blocker.unblock():
        yield connection
        connection.close()


def notes(own: BaseDatabaseWrapper) -> list[tuple[object, ...]]:
    with own.cursor() as cursor:
        cursor.execute("SELECT * FROM notes")
        return list(cursor.fetchall())


def test_connection_is_kept_for_the_next_request(own: BaseDatabaseWrapper) -> None:
    notes(own)
    kept = own.connection
    own.close_if_unusable_or_obsolete()
    notes(own)
    assert own.connection is kept


def test_kept_connection_reads_tables_changed_by_another_process(own: BaseDatabaseWrapper, tmp_path: Path) -> None:
    assert notes(own) == [("before",)]
    write(
        tmp_path / "tenbo.sqlite3",
        "DROP TABLE notes",
        "CREATE TABLE notes (number, text)",
        "INSERT INTO notes VALUES (1, 'restored')",
    )
    own.close_if_unusable_or_obsolete()
    assert notes(own) == [(1, "restored")]


def test_commits_are_synchronous(own: BaseDatabaseWrapper) -> None:
    with own.cursor() as cursor:
        (synchronous,) = cursor.execute("PRAGMA synchronous").fetchone()
    assert synchronous == 2
