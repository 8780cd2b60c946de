"""Both ways to run Tenbo, started by their own commands: compose.yaml's services, and `make run`."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from fcntl import LOCK_EX, flock
from pathlib import Path
from typing import Any

from redis import Redis

from tests.conftest import ROOT
from tests.deadlines import wait_until
from tests.processes import free_port, listens, program
from tests.production.browsing import Visitor
from tests.production.compose import HOST, SERVICES, command, environment, replaced
from tests.production.databases import new_database
from tests.production.edges import nginx_with_folder
from tests.production.parts import Part

BEHIND_PROXY = {"Host": HOST, "X-Forwarded-Proto": "https"}
MAKE_RUN = ["make", "--assume-old=.venv/ready", "run"]
"""Skips the set-up of the virtual environment, which exists already."""


@dataclass
class Site:
    """A running site: its address, request headers, processes by name, and logs."""

    port: int
    headers: Mapping[str, str]
    folder: Path
    environment: dict[str, str]
    parts: dict[str, Part] = field(default_factory=dict)

    def visitor(self, name: str = "", password: str = "") -> Visitor:
        visitor = Visitor(self.port, self.headers)
        if name:
            visitor.log_in(name, password)
        return visitor

    def __post_init__(self) -> None:
        self.environment = {"DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONPATH": str(ROOT), **self.environment}

    def manage(self, *words: str, **more: str) -> None:
        self._run("", more, "manage.py", *words)

    def ask(self, *line: str, **orders: Any) -> Any:
        """Run a test program next to the site with this JSON as input; return the last line that it prints."""
        return json.loads(self._run(json.dumps(orders), {}, *line).splitlines()[-1])

    def _run(self, said: str, more: Mapping[str, str], *line: str) -> str:
        given = {**self.environment, **more}
        done = subprocess.run(
            [sys.executable, *line], cwd=ROOT, env=given, input=said, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    def is_up(self) -> bool:
        return self.visitor().get("/healthz").status == 200

    def log(self, service: str) -> str:
        return (self.folder / f"{service}.log").read_text("utf-8", "replace")

    def add(self, service: str, line: list[str]) -> Part:
        begin = lambda: program(line, self.environment, self.folder / f"{service}.log")  # noqa: E731
        self.parts[service] = Part(service, begin)
        return self.parts[service]

    def begin(self) -> None:
        for part in self.parts.values():
            part.start()
        assert wait_until(self.is_up, 180), self.log("web")[-3000:]

    def end(self) -> None:
        for part in reversed(list(self.parts.values())):
            part.stop()


AN_HOUR_AGO = """
from datetime import timedelta
from django.db.models import F
Hanchan.objects.update(recorded_at=F("recorded_at") - timedelta(hours=1))
"""
"""Recent results are announced for a while, so backdate them."""

AT_REST = """
from stats.services.following import follow
for league in League.objects.order_by("pk"):
    follow(league.pk)
"""
"""Progress marks appear until work is done, so wait for that."""


@contextmanager
def started(folder: Path) -> Iterator[tuple[Site, Site]]:
    with new_database("postgresql", folder) as database:
        both = _production(folder, database), embedded_site(folder)
        try:
            for part in both[1].parts.values():
                part.start()
            for site in both:
                site.begin()
                site.manage("shell", "--verbosity", "0", "--command", AN_HOUR_AGO + AT_REST)
            yield both
        finally:
            for site in both:
                site.end()
            # Unread messages must not reach other tests.
            with Redis.from_url(os.environ["REDIS_URL"]) as redis:
                redis.flushdb()


@contextmanager
def started_alone(folder: Path, database: str, redis: str, **more: str) -> Iterator[Site]:
    """Start the web processes and proxy of a production site, with its own servers and a migrated database.

    `more`: environment variables that differ from compose.yaml.
    """
    site = Site(free_port(), BEHIND_PROXY, folder / "production", environment(folder, database, redis) | more)
    _collect(site)
    _add_web(site)
    try:
        site.begin()
        yield site
    finally:
        site.end()


@contextmanager
def started_proxy(folder: Path) -> Iterator[Site]:
    site = Site(free_port(), BEHIND_PROXY, folder / "production", {})
    _add_proxy(site, free_port())
    try:
        site.parts["proxy"].start()
        assert wait_until(lambda: listens(site.port)), site.log("proxy")
        yield site
    finally:
        site.end()


def embedded_site(folder: Path) -> Site:
    port = free_port()
    named = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    named |= {"VAR_DIR": str(folder / "var"), "HOST": "127.0.0.1", "PORT": str(port)}
    site = Site(port, {"Host": HOST}, folder / "embedded", named)
    site.add("web", MAKE_RUN)
    return site


def _collect(site: Site) -> None:
    """Run collectstatic as the image build does, once for all sites of a run."""
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


def _production(folder: Path, database: str) -> Site:
    # The demo accounts of a production site may log in.
    serving = environment(folder, database.replace("//tenbo@", "//tenbo_pages@")) | {"DEMO": "on", "EMBEDDED": "off"}
    site = Site(free_port(), BEHIND_PROXY, folder / "production", serving)
    _collect(site)
    owner = {**site.environment, "DATABASE_URL": database}
    subprocess.run(command("migrate"), cwd=ROOT, env=owner, check=True, capture_output=True)
    site.manage("load_demo")
    add_workers(site)
    _add_web(site)
    return site


def add_workers(site: Site) -> None:
    schedule = {"/tmp/celerybeat-schedule": str(site.folder.parent / "celerybeat-schedule")}
    for service in ("worker", "jobs", "beat"):
        site.add(service, command(service, **schedule))


def web_command(port: int) -> list[str]:
    return command("web", **{"0.0.0.0:8000": f"127.0.0.1:{port}"})


def _add_web(site: Site) -> None:
    inside = free_port()
    site.add("web", web_command(inside))
    _add_proxy(site, inside)


def _add_proxy(site: Site, inside: int) -> None:
    nginx, folder = nginx_with_folder(0o755)
    (said,) = (volume.split(":")[:2] for volume in SERVICES["proxy"]["volumes"])
    given = {"listen 8000": f"listen 127.0.0.1:{site.port}", "web:8000": f"127.0.0.1:{inside}", " /tmp/": f" {folder}/"}
    (folder / "nginx.conf").write_text(replaced((ROOT / said[0]).read_text("utf-8"), given), "utf-8")
    site.add("proxy", command("proxy", **{"nginx": nginx, said[1]: str(folder / "nginx.conf")}))
