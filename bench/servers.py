"""A database with Tenbo's tables, a Redis, and Tenbo served from processes of its own; all gone afterwards."""

import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from redis import Redis

from tests import services
from tests.processes import free_port, tied
from tests.production.databases import new_database

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def database() -> Iterator[None]:
    """Have PostgreSQL and Redis, and Django set up on them as `make run` sets it up: nothing is traced for developers."""
    services.name_servers()
    os.environ.pop("DEBUG", None)
    settings = {"DEMO": "on", "SECRET_KEY": secrets.token_hex(32), "ALLOWED_HOSTS": "*", "LOG_LEVEL": "ERROR"}
    os.environ |= settings | {"DJANGO_SETTINGS_MODULE": "bench.settings"}
    services.start()
    with tempfile.TemporaryDirectory(prefix="bench") as folder, new_database("postgresql", Path(folder)) as address:
        os.environ["DATABASE_URL"] = address
        import django  # noqa: PLC0415
        from django.db import connections  # noqa: PLC0415

        django.setup()
        try:
            yield
        finally:
            connections.close_all()


@contextmanager
def web() -> Iterator[tuple[int, int]]:
    """Serve Tenbo by gunicorn as compose.yaml does, and give its port and process id."""
    port = free_port()
    options = ["--bind", f"127.0.0.1:{port}", "--workers", "3", "--threads", "4", "--log-level", "error"]
    with _running([Path(sys.executable).parent / "gunicorn", "config.wsgi", *options]) as process:
        deadline = time.monotonic() + 60
        while not _answers(port):
            if time.monotonic() > deadline or process.poll() is not None:
                message = "gunicorn did not start"
                raise RuntimeError(message)
            time.sleep(0.1)
        yield port, process.pid


@contextmanager
def worker() -> Iterator[None]:
    """Run a Celery worker that knows the echo beside the product's tasks, with nothing to do yet."""
    with Redis.from_url(os.environ["REDIS_URL"]) as broker:
        broker.flushdb()
    options = ["worker", "--concurrency", "1", "--pool", "solo", "--loglevel", "ERROR", "--without-mingle"]
    with _running([sys.executable, "-m", "celery", "-A", "bench.echo", *options, "--without-gossip"]):
        yield


@contextmanager
def _running(command: list[object]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(tied(command), cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def _answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/bench/empty", timeout=10) as answer:
            return bool(answer.status == 200)
    except (URLError, OSError):
        return False
