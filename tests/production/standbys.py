"""A primary and its standby, either of which may be killed, and web processes on a database."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

import psycopg

from tests.conftest import ROOT
from tests.deadlines import wait_until
from tests.postgresql import TEMPLATE, address, reachable_binaries, start_again, start_postgresql
from tests.processes import end, free_port, run, server_account, tied
from tests.production.browsing import Visitor
from tests.production.compose import SECRET
from tests.production.servers import children_of

SLOT = "standby"

OWNER, PASSWORD = "ueno", "only for tests of poolers"

MADE = f"""
import json
import django
django.setup()
from datetime import UTC, datetime
from django.contrib.auth.models import User
from league.services.links import code_of
from tests.league.entry_contexts import link_of, typed
from tests.league.factories import make_league, make_players, make_session, play
league = make_league()
make_players(league, 4)
session = make_session(league, league.day_of(datetime.now(UTC)), tables=12)
codes = [code_of(link_of(session, table)) for table in range(1, 13)]
User.objects.create_superuser({OWNER!r}, "", {PASSWORD!r})
for _ in range(HANCHAN):
    play(session)
print(json.dumps({{"codes": codes, "fields": typed(league), "session": session.pk}}))
"""


@dataclass
class Pair:
    """Two PostgreSQL servers: the second one follows the first."""

    folder: Path
    ports: tuple[int, int]
    primary: subprocess.Popen[bytes]
    standby: subprocess.Popen[bytes]

    @property
    def both(self) -> str:
        """The address of the database, wherever it can be written."""
        return f"postgresql://tenbo@127.0.0.1:{self.ports[0]},127.0.0.1:{self.ports[1]}/{TEMPLATE}"

    def ask(self, which: int, question: str) -> object:
        """Return the one value that the first server (0) or the second one answers."""
        with psycopg.connect(address(self.ports[which], TEMPLATE), autocommit=True) as database:
            answer = database.execute(question.encode())
            row = answer.fetchone() if answer.description else None
        return row[0] if row else None

    def kill(self, server: subprocess.Popen[bytes]) -> None:
        """End a server in the middle of whatever it does, with all its processes."""
        kill_all(server)


def kill_all(server: subprocess.Popen[bytes]) -> None:
    """Kill a process with those that it started."""
    children = children_of(server.pid)
    for pid in (server.pid, *children):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    server.wait()
    # The shared memory is free when the last of them is gone.
    wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in children))


@contextmanager
def own_pair() -> Iterator[Pair]:
    """Give a primary with all migrations that waits for its standby, and that standby."""
    folder = Path(tempfile.mkdtemp(prefix="tenbo-standby-"))
    folder.chmod(0o755)
    ports = free_port(), free_port()
    primary = start_postgresql(folder / "primary", ports[0])
    # Says more than what the tests start their servers with.
    with psycopg.connect(address(ports[0], TEMPLATE), autocommit=True) as database:
        database.execute(f"ALTER DATABASE {TEMPLATE} SET synchronous_commit = on")
    copied = folder / "standby"
    copied.mkdir()
    if account := server_account():
        os.chown(copied, account.pw_uid, account.pw_gid)
    program = reachable_binaries(folder / "primary") / "pg_basebackup"
    run(
        [program, "-d", address(ports[0]), "-D", copied / "data", "-R", "-X", "stream", "-c", "fast", "-C", "-S", SLOT],
        account=account,
    )
    pair = Pair(folder, ports, primary, start_again(copied, ports[1]))
    try:
        yield pair
    finally:
        for server in (pair.primary, pair.standby):
            end(server, signal.SIGINT)
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class Web:
    """Web processes on a pair, and tables of a league."""

    port: int
    log: Path
    environment: Mapping[str, str]
    process: subprocess.Popen[bytes]
    tables: Iterator[str]
    page: str
    fields: dict[str, str]

    @property
    def table(self) -> str:
        """The address of a table, each time that of the next one: so no link is used too often."""
        return next(self.tables)

    def visitor(self) -> Visitor:
        """Return somebody who comes to the site."""
        return Visitor(self.port, {"Host": "localhost"})

    def result(self) -> dict[str, str]:
        """Return a result that is like no other, and has a key of its own."""
        return {**self.fields, "client_key": str(uuid.uuid4()), "do": "another"}

    def lines(self, words: str) -> list[str]:
        """Return the lines in the log that hold these words."""
        return [line for line in self.log.read_text("utf-8", "replace").splitlines() if words in line]


@contextmanager
def serving(folder: Path, database: str, hanchan: int = 0, **more: str) -> Iterator[Web]:
    """Give a web process with eight threads on a database with all migrations, and tables of a league with so many hanchan."""
    port = free_port()
    given = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    given |= {"DATABASE_URL": database, "SECRET_KEY": SECRET, "VAR_DIR": str(folder / "var")}
    given |= {
        "DEBUG": "off",
        "DEMO": "on",
        "PYTHONPATH": str(ROOT),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        **more,
    }
    made = subprocess.run(
        [sys.executable, "-c", f"HANCHAN = {hanchan}{MADE}"], cwd=ROOT, env=given, capture_output=True, check=False
    )
    assert made.returncode == 0, made.stderr.decode()
    told = json.loads(made.stdout)
    line = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "8"]
    log = folder / f"web-{port}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(tied(line), cwd=ROOT, env=given, stdout=output, stderr=output)
    league = "/l/camarade/"
    page = f"{league}sessions/{told['session']}/"
    web = Web(port, log, given, process, cycle([f"/e/{code}/" for code in told["codes"]]), page, told["fields"])
    try:
        assert wait_until(lambda: web.visitor().get("/healthz").status == 200, 60), log.read_text("utf-8", "replace")
        yield web
    finally:
        end(process, signal.SIGTERM)
