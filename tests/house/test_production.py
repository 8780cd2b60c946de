"""The parts of compose.yaml, started by hand from its own commands and variables: they find each other and serve."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from league.models import StalePeriod, Standing
from tests.conftest import database_url, wait_until
from tests.league.factories import make_league, make_players, make_session, play
from tests.services import free_port

ROOT = Path(__file__).resolve().parents[2]
SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]

Start = Callable[..., subprocess.Popen[bytes]]


def production_environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment that compose.yaml gives the web service, with this machine's addresses in it."""
    given = {"SECRET_KEY": "0123456789abcdef" * 4, "ALLOWED_HOSTS": "127.0.0.1", "HTTPS": "off"}
    environment = {name: filled(str(value), given) for name, value in SERVICES["web"]["environment"].items()}
    environment |= {"DATABASE_URL": database_url(), "REDIS_URL": os.environ["REDIS_URL"], "HOME": str(tmp_path)}
    return environment | {"PATH": os.environ["PATH"], "DEBUG": "off"}


def filled(text: str, given: dict[str, str]) -> str:
    """Return a compose value with its variables replaced: given ones, else their defaults."""

    def value(match: re.Match[str]) -> str:
        name, default = match[1], match[2] or ""
        return given.get(name, default.removeprefix(":-") if default.startswith(":-") else "unset")

    return re.sub(r"\$\{(\w+)(:[-?][^}]*)?\}", value, text)


@pytest.fixture
def start(tmp_path: Path, transactional_db: None) -> Iterator[Start]:
    """Return a function that starts a service of compose.yaml with its own command."""
    del transactional_db
    started: list[subprocess.Popen[bytes]] = []

    def run(service: str, **replaced: str) -> subprocess.Popen[bytes]:
        command = [replaced.get(word, word) for word in SERVICES[service]["command"]]
        command = [str(ROOT / ".venv" / "bin" / command[0]) if command[0] != "python" else sys.executable, *command[1:]]
        log = (tmp_path / f"{service}.log").open("wb")
        environment = production_environment(tmp_path)
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        started.append(process)
        return process

    yield run
    for process in started:
        process.send_signal(signal.SIGTERM)
    for process in started:
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()


def fetch(address: str) -> tuple[int, bytes, dict[str, str]]:
    """Return status, body and headers of a page; (0, …) while nobody answers."""
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read(), dict(error.headers)
    except OSError:
        return 0, b"", {}


def test_production_parts_work_together(start: Start, tmp_path: Path) -> None:
    collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(collect, cwd=ROOT, env=production_environment(tmp_path), check=True)
    assert start("migrate").wait(120) == 0
    port = free_port()
    start("web", **{"0.0.0.0:8000": f"127.0.0.1:{port}"})
    start("worker")
    start("beat", **{"/tmp/celerybeat-schedule": str(tmp_path / "celerybeat-schedule")})

    address = f"http://127.0.0.1:{port}"
    assert wait_until(lambda: fetch(f"{address}/healthz")[0] == 200, 60), (tmp_path / "web.log").read_text()
    assert json.loads(fetch(f"{address}/healthz")[1]) == {"database": True, "broker": True}

    status, page, _ = fetch(f"{address}/")
    assert status == 200
    sheet = re.search(rb'href="(/static/css/[\w.-]+\.[0-9a-f]{12}\.css)"', page)
    assert sheet, "no stylesheet with a hashed name"
    status, _, headers = fetch(address + sheet[1].decode())
    assert status == 200
    assert "immutable" in headers["Cache-Control"]

    league = make_league()
    session = make_session(league)
    play(session, raw=(31700, 31300, 25500, 11500), players=make_players(league, 4))
    assert wait_until(lambda: Standing.objects.filter(league=league, period="all").count() == 4, 30), worker_log(tmp_path)
    assert wait_until(lambda: not StalePeriod.objects.filter(league=league).exists(), 30), worker_log(tmp_path)


def worker_log(tmp_path: Path) -> str:
    """Return what the worker said."""
    return (tmp_path / "worker.log").read_text("utf-8", "replace")
