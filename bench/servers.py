import logging
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests import services
from tests.processes import end, free_port, listens, tied, wait_for
from tests.production.databases import new_database

ROOT = Path(__file__).resolve().parent.parent


@contextmanager
def database(engine: str) -> Iterator[None]:
    services.name_servers()
    os.environ.pop("DEBUG", None)
    settings = {"DEMO": "on", "SECRET_KEY": secrets.token_hex(32), "ALLOWED_HOSTS": "*"}
    os.environ |= settings | {"DJANGO_SETTINGS_MODULE": "bench.settings"}
    services.start()
    with tempfile.TemporaryDirectory(prefix="bench") as folder, new_database(engine, Path(folder)) as address:
        os.environ["DATABASE_URL"] = address
        if engine == "sqlite":
            os.environ |= {"REDIS_URL": "", "EMBEDDED": "on"}
        import django  # noqa: PLC0415
        from django.core.management import call_command  # noqa: PLC0415
        from django.db import connections  # noqa: PLC0415

        django.setup()
        logging.disable(logging.WARNING)
        if engine == "sqlite":
            call_command("migrate", verbosity=0)
        try:
            yield
        finally:
            connections.close_all()


@contextmanager
def web() -> Iterator[tuple[int, int]]:
    port = free_port()
    program = [Path(sys.executable).parent / "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}"]
    program += ["--workers", "3", "--threads", "4", "--log-level", "error"]
    if not os.environ["REDIS_URL"]:
        program = [sys.executable, "-m", "config.embedded", "--listen", f"127.0.0.1:{port}"]
    process = subprocess.Popen(tied(program), cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(process, lambda: listens(port), Path("/dev/null"))
        yield port, process.pid
    finally:
        end(process, signal.SIGTERM)
