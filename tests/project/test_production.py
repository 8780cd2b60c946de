"""The parts of compose.yaml, started by hand from its own commands and variables: they find each other and serve."""

import json
import os
import platform
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
from tests.conftest import ROOT, database_url, wait_until
from tests.league.factories import make_league, make_players, make_session, play
from tests.processes import free_port, tied

SERVICES: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]

DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
PROGRAMS = Path(sys.executable).parent
BEHIND_PROXY = {"Host": "tenbo.example", "X-Forwarded-Proto": "https"}

Start = Callable[..., subprocess.Popen[bytes]]


def production_environment(tmp_path: Path) -> dict[str, str]:
    """Return the environment that compose.yaml gives the web service, with this machine's servers in it."""
    given = {"SECRET_KEY": "0123456789abcdef" * 4, "ALLOWED_HOSTS": "tenbo.example"}
    environment = {name: filled(str(value), given) for name, value in SERVICES["web"]["environment"].items()}
    environment |= {"DATABASE_URL": database_url(), "REDIS_URL": os.environ["REDIS_URL"], "HOME": str(tmp_path)}
    return environment | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}", "HOSTNAME": platform.node()}


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
        with (tmp_path / f"{service}.log").open("wb") as log:
            process = subprocess.Popen(
                tied(command), cwd=ROOT, env=production_environment(tmp_path), stdout=log, stderr=log
            )
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


def fetch(address: str, headers: dict[str, str] = BEHIND_PROXY) -> tuple[int, bytes, dict[str, str]]:
    """Return status, body and headers of a page; (0, …) while nobody answers."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=5) as answer:
            return answer.status, answer.read(), dict(answer.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read(), dict(error.headers)
    except OSError:
        return 0, b"", {}


def is_healthy(check: list[str], tmp_path: Path) -> bool:
    """Return what a health check says, run as a container runs it."""
    command = ["sh", "-c", check[1].replace("$$", "$")] if check[0] == "CMD-SHELL" else check[1:]
    checked = subprocess.run(command, cwd=ROOT, env=production_environment(tmp_path), check=False, capture_output=True)
    return checked.returncode == 0


def test_production_parts_work_together(start: Start, tmp_path: Path) -> None:
    collect = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(collect, cwd=ROOT, env=production_environment(tmp_path), check=True)
    assert start("migrate").wait(120) == 0
    address = f"http://127.0.0.1:{(port := free_port())}"
    start("web", **{"0.0.0.0:8000": f"127.0.0.1:{port}"})
    start("worker")
    start("beat", **{"/tmp/celerybeat-schedule": str(tmp_path / "celerybeat-schedule")})

    assert wait_until(lambda: fetch(f"{address}/healthz")[0] == 200, 60), log(tmp_path, "web")
    assert json.loads(fetch(f"{address}/healthz")[1]) == {"database": True, "broker": True}
    pages_are_served(address)

    league = make_league()
    play(make_session(league), raw=(31700, 31300, 25500, 11500), players=make_players(league, 4))
    assert wait_until(lambda: Standing.objects.filter(league=league, period="all").count() == 4, 30), log(
        tmp_path, "worker"
    )
    assert wait_until(lambda: not StalePeriod.objects.filter(league=league).exists(), 30), log(tmp_path, "worker")

    web = json.loads(
        re.sub(r"\\\n\s*", "", DOCKERFILE).partition("HEALTHCHECK")[2].partition("CMD ")[2].partition("\n")[0]
    )
    assert is_healthy(["CMD", *(word.replace(":8000", f":{port}") for word in web)], tmp_path), log(tmp_path, "web")
    assert is_healthy(SERVICES["worker"]["healthcheck"]["test"], tmp_path), log(tmp_path, "worker")
    beat = [word.replace("/tmp", str(tmp_path)) for word in SERVICES["beat"]["healthcheck"]["test"]]
    assert wait_until(lambda: is_healthy(beat, tmp_path)), log(tmp_path, "beat")


def pages_are_served(address: str) -> None:
    """Check that a page comes over HTTPS only, and its style sheet under a name that tells its content."""
    assert fetch(f"{address}/", {"Host": "someone-else.example", "X-Forwarded-Proto": "https"})[0] == 400
    status, page, headers = fetch(f"{address}/")
    assert status == 200
    assert "max-age" in headers["Strict-Transport-Security"]
    sheet = re.search(rb'href="(/static/css/[\w.-]+\.[0-9a-f]{12}\.css)"', page)
    assert sheet, "no stylesheet with a hashed name"
    status, _, headers = fetch(address + sheet[1].decode())
    assert status == 200
    assert "immutable" in headers["Cache-Control"]


def log(tmp_path: Path, service: str) -> str:
    """Return what a service said."""
    return (tmp_path / f"{service}.log").read_text("utf-8", "replace")
