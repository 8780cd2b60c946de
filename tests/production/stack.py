"""Both ways to run Tenbo, started from their own commands: compose.yaml's services, and `make run`."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

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
        done = subprocess.run(line, cwd=ROOT, env={**self.environment, **more}, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()

    def log(self, service: str) -> str:
        """Return what a service said."""
        return (self.folder / f"{service}.log").read_text("utf-8", "replace")


@contextmanager
def started(folder: Path) -> Iterator[tuple[Site, Site]]:
    """Give a production site and an embedded one, both with the invented leagues; they end with the block."""
    with ExitStack() as processes:
        embedded = _embedded(folder, processes)
        production = _production(folder, processes)
        for site in (production, embedded):
            visitor = site.visitor()
            assert wait_until(lambda: visitor.get("/healthz").status == 200, 90), site.log("web")  # noqa: B023
        yield production, embedded


def _embedded(folder: Path, processes: ExitStack) -> Site:
    port = free_port()
    named = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    named |= {"VAR_DIR": str(folder / "var"), "HOST": "127.0.0.1", "PORT": str(port)}
    site = Site("embedded", port, {}, folder / "embedded", named)
    # The virtual environment is there already, and none of the tests' business.
    _start(site, "web", ["make", "--assume-old=.venv/ready", "run"], processes)
    return site


def _production(folder: Path, processes: ExitStack) -> Site:
    port = free_port()
    database = processes.enter_context(new_database("postgresql", folder))
    site = Site("production", port, BEHIND_PROXY, folder / "production", environment(folder, database))
    # As the image is built.
    site.manage("collectstatic", "--noinput", "--verbosity", "0")
    assert _start(site, "migrate", command("migrate"), processes).wait(120) == 0, site.log("migrate")
    site.manage("load_demo", DEMO="on")
    _start(site, "web", command("web", **{"0.0.0.0:8000": f"127.0.0.1:{port}"}), processes)
    _start(site, "worker", command("worker"), processes)
    schedule = {"/tmp/celerybeat-schedule": str(folder / "celerybeat-schedule")}
    _start(site, "beat", command("beat", **schedule), processes)
    return site


def _start(site: Site, service: str, line: list[str], processes: ExitStack) -> subprocess.Popen[bytes]:
    site.folder.mkdir(exist_ok=True)
    with (site.folder / f"{service}.log").open("wb") as log:
        process = subprocess.Popen(
            tied(line), cwd=ROOT, env=site.environment, stdout=log, stderr=log, start_new_session=True
        )
    processes.callback(_end, process)
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process with whatever it started, and wait until it is gone."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
