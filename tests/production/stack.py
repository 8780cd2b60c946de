"""Both ways to run Tenbo, started from their own commands: compose.yaml's services, and `make run`."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from redis import Redis

from tests.conftest import ROOT, wait_until
from tests.processes import free_port, tied
from tests.production.browsing import Visitor
from tests.production.compose import HOST, command, environment
from tests.production.databases import new_database

BEHIND_PROXY = {"Host": HOST, "X-Forwarded-Proto": "https"}


@dataclass(frozen=True)
class Site:
    """A site that runs: where it listens, how its visitors come, and what its processes say."""

    name: str
    port: int
    headers: Mapping[str, str]
    folder: Path
    environment: Mapping[str, str]

    def visitor(self, name: str = "", password: str = "") -> Visitor:
        """Return somebody who comes to the site, logged in if there is a name."""
        visitor = Visitor(self.port, self.headers)
        if name:
            visitor.log_in(name, password)
        return visitor

    def manage(self, *words: str, **more: str) -> None:
        """Run a command of manage.py as the site would."""
        line = [sys.executable, "manage.py", *words]
        given = {**self.environment, **more}
        done = subprocess.run(line, cwd=ROOT, env=given, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()

    def log(self, service: str) -> str:
        """Return what a service said."""
        return (self.folder / f"{service}.log").read_text("utf-8", "replace")


AN_HOUR_AGO = """
from datetime import timedelta
from django.db.models import F
Hanchan.objects.update(recorded_at=F("recorded_at") - timedelta(hours=1))
"""
"""What was saved a moment ago is told for a while, and the leagues are not loaded in the same second."""


Running = list[subprocess.Popen[bytes]]


@contextmanager
def started(folder: Path) -> Iterator[tuple[Site, Site]]:
    """Give a production site and an embedded one, both with the invented leagues; they end with the block."""
    running: Running = []
    with new_database("postgresql", folder) as database:
        try:
            sites = _both(folder, database, running)
            for site in sites:
                assert wait_until(partial(_is_up, site.visitor()), 180), site.log("web")
                site.manage("shell", "--verbosity", "0", "--command", AN_HOUR_AGO)
            yield sites
        finally:
            _end(running)
            # Messages that nobody took are none of other tests' business.
            with Redis.from_url(os.environ["REDIS_URL"]) as redis:
                redis.flushdb()


def _both(folder: Path, database: str, running: Running) -> tuple[Site, Site]:
    embedded = _embedded(folder, running)
    return _production(folder, database, running), embedded


def _is_up(visitor: Visitor) -> bool:
    return visitor.get("/healthz").status == 200


def _embedded(folder: Path, running: Running) -> Site:
    port = free_port()
    named = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    named |= {"VAR_DIR": str(folder / "var"), "HOST": "127.0.0.1", "PORT": str(port)}
    site = Site("embedded", port, {}, folder / "embedded", named)
    # The virtual environment is there already, and none of the tests' business.
    _start(site, "web", ["make", "--assume-old=.venv/ready", "run"], running)
    return site


def _production(folder: Path, database: str, running: Running) -> Site:
    port = free_port()
    site = Site("production", port, BEHIND_PROXY, folder / "production", environment(folder, database))
    # As the image is built.
    site.manage("collectstatic", "--noinput", "--verbosity", "0")
    assert _start(site, "migrate", command("migrate"), running).wait(180) == 0, site.log("migrate")
    site.manage("load_demo", DEMO="on")
    for service, line in services_of(port, folder).items():
        _start(site, service, line, running)
    return site


def services_of(port: int, folder: Path) -> dict[str, list[str]]:
    """Return the commands of the services that run for ever, listening on this port, with what they write in a folder."""
    schedule = {"/tmp/celerybeat-schedule": str(folder / "celerybeat-schedule")}
    return {
        "web": command("web", **{"0.0.0.0:8000": f"127.0.0.1:{port}"}),
        "worker": command("worker"),
        "jobs": command("jobs"),
        "beat": command("beat", **schedule),
    }


def _start(site: Site, service: str, line: list[str], running: Running) -> subprocess.Popen[bytes]:
    site.folder.mkdir(exist_ok=True)
    with (site.folder / f"{service}.log").open("wb") as log:
        running.append(
            subprocess.Popen(tied(line), cwd=ROOT, env=site.environment, stdout=log, stderr=log, start_new_session=True)
        )
    return running[-1]


def _end(running: Running) -> None:
    """End the processes with whatever they started, and wait until they are gone."""
    alive = [process for process in running if process.poll() is None]
    for process in alive:
        os.killpg(process.pid, signal.SIGTERM)
    for process in alive:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
