"""Both ways to run Tenbo, started from their own commands: compose.yaml's services, and `make run`."""

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fcntl import LOCK_EX, flock
from functools import partial
from pathlib import Path

from redis import Redis

from tests.conftest import ROOT
from tests.deadlines import wait_until
from tests.processes import free_port, listens, tied
from tests.production.browsing import Visitor
from tests.production.compose import HOST, SERVICES, command, environment
from tests.production.databases import new_database
from tests.tools import find_nginx

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

AT_REST = """
from stats.services.following import follow
for league in League.objects.order_by("pk"):
    follow(league.pk)
"""
"""Pages say of what follows results how far it has got: so both sites are looked at when nothing is left to be done."""


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
                site.manage("shell", "--verbosity", "0", "--command", AN_HOUR_AGO + AT_REST)
            yield sites
        finally:
            _end(running)
            # Messages that nobody took are none of other tests' business.
            with Redis.from_url(os.environ["REDIS_URL"]) as redis:
                redis.flushdb()


@contextmanager
def started_alone(folder: Path, database: str, redis: str, **more: str) -> Iterator[Site]:
    """Give the web processes and the proxy of a production site on servers of its own, whose database is migrated.

    `more`: variables that are otherwise than in compose.yaml.
    """
    running: Running = []
    named = environment(folder, database, redis) | more
    site = Site("production", free_port(), BEHIND_PROXY, folder / "production", named)
    try:
        _collect(site)
        _web(site, running)
        assert wait_until(partial(_is_up, site.visitor()), 180), site.log("web")
        yield site
    finally:
        _end(running)


@contextmanager
def started_proxy(folder: Path) -> Iterator[Site]:
    """Give the proxy of a site whose web processes are gone."""
    running: Running = []
    site = Site("production", free_port(), BEHIND_PROXY, folder / "production", {})
    try:
        _proxy(site, free_port(), running)
        assert wait_until(lambda: listens(site.port)), site.log("proxy")
        yield site
    finally:
        _end(running)


def _collect(site: Site) -> None:
    """Collect the files as the image does when it is built: once in a run, although several sites are started by it."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID", str(os.getpid()))
    (ROOT / "var").mkdir(exist_ok=True)
    with (ROOT / "var" / "collected").open("a+", encoding="utf-8") as kept:
        flock(kept, LOCK_EX)
        kept.seek(0)
        if kept.read() == run:
            return
        site.manage("collectstatic", "--noinput", "--verbosity", "0")
        kept.truncate(0)
        kept.write(run)


def _both(folder: Path, database: str, running: Running) -> tuple[Site, Site]:
    embedded = _embedded(folder, running)
    return _production(folder, database, running), embedded


def _is_up(visitor: Visitor) -> bool:
    return visitor.get("/healthz").status == 200


def _embedded(folder: Path, running: Running) -> Site:
    port = free_port()
    named = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    named |= {"VAR_DIR": str(folder / "var"), "HOST": "127.0.0.1", "PORT": str(port)}
    site = Site("embedded", port, {"Host": HOST}, folder / "embedded", named)
    # The virtual environment is there already, and none of the tests' business.
    _start(site, "web", ["make", "--assume-old=.venv/ready", "run"], running)
    return site


def _production(folder: Path, database: str, running: Running) -> Site:
    port = free_port()
    serving = environment(folder, database.replace("//tenbo@", "//tenbo_pages@")) | INVENTED
    site = Site("production", port, BEHIND_PROXY, folder / "production", serving)
    _collect(site)
    owner = replace(site, environment={**site.environment, "DATABASE_URL": database})
    assert _start(owner, "migrate", command("migrate"), running).wait(180) == 0, site.log("migrate")
    site.manage("load_demo")
    _web(site, running)
    for service, line in services_of(port, folder).items():
        if service != "web":
            _start(site, service, line, running)
    return site


INVENTED = {"DEMO": "on", "EMBEDDED": "off"}
"""What lets the invented people of a site on servers of its own log in."""


def services_of(port: int, folder: Path) -> dict[str, list[str]]:
    """Return the commands of Tenbo's services that run for ever, without the proxy; `web` listens on this port.

    `folder` is for what they write.
    """
    schedule = {"/tmp/celerybeat-schedule": str(folder / "celerybeat-schedule")}
    return {
        "web": command("web", **{"0.0.0.0:8000": f"127.0.0.1:{port}"}),
        "worker": command("worker"),
        "jobs": command("jobs"),
        "beat": command("beat", **schedule),
    }


def _web(site: Site, running: Running) -> None:
    """Start the web processes, and the proxy before them where the visitors of the site come."""
    inside = free_port()
    _start(site, "web", services_of(inside, site.folder)["web"], running)
    _proxy(site, inside, running)


def _proxy(site: Site, inside: int, running: Running) -> None:
    """Start the proxy before web processes that listen on a port."""
    # Its processes are somebody else's, who may look into no folder of this one's.
    folder = Path(tempfile.mkdtemp(prefix="tenbo-proxy-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    folder.chmod(0o755)
    (said,) = (volume.split(":")[:2] for volume in SERVICES["proxy"]["volumes"])
    given = {"listen 8000": f"listen 127.0.0.1:{site.port}", "web:8000": f"127.0.0.1:{inside}", " /tmp/": f" {folder}/"}
    text = (ROOT / said[0]).read_text("utf-8")
    for word, instead in given.items():
        assert word in text
        text = text.replace(word, instead)
    (folder / "nginx.conf").write_text(text, "utf-8")
    program = find_nginx()
    assert program, "No nginx; run: python -m tests.tools"
    _start(site, "proxy", command("proxy", **{"nginx": program, said[1]: str(folder / "nginx.conf")}), running)


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
