"""The whole site as it is served, with its servers, every part of it to be killed; what is lost with it is in a folder.

PostgreSQL keeps what it has acknowledged, as it does anywhere: none of the tests' shortcuts. Its folder is a small disk
of its own where this machine lets one be mounted, so that it can be filled.
"""

import ctypes
import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psycopg
from redis import Redis

from tests.conftest import ROOT
from tests.postgresql import KEPT, TEMPLATE, address, is_copied, reachable_binaries, start_postgresql, template_name
from tests.processes import free_port, server_account, spawn, tied
from tests.production.compose import command, environment
from tests.production.stack import BEHIND_PROXY, services_of
from tests.services import redis_binary
from tests.torture.parts import Keeper, Part, Running, wait_until
from tests.torture.wire import Door

SETTINGS = "tests.torture.settings"

CONNECTIONS = 40
DISK = "300m"

ANSWERS_WITHIN = 120


class Stack:
    """A site that runs: its parts by name, its door, its flags, and how to ask its database."""

    def __init__(self, folder: Path, door: Door, environment: Mapping[str, str], parts: Mapping[str, Part]) -> None:
        self.folder, self.door, self.parts = folder, door, parts
        self.flags = folder / "flags"
        self.flags.mkdir()
        self.environment = {
            **environment,
            "DJANGO_SETTINGS_MODULE": SETTINGS,
            "TORTURE_FLAGS": str(self.flags),
            "PYTHONPATH": str(ROOT),
        }
        self.keeper = Keeper(parts.values())

    @property
    def on_postgresql(self) -> bool:
        return "database" in self.parts

    def begin(self) -> None:
        """Start whatever does not run, and wait until somebody who comes is answered."""
        for part in self.parts.values():
            part.start()
        self.keeper.start()
        if not wait_until(self.answers, ANSWERS_WITHIN):
            sys.exit(f"The site did not start: {(self.folder / 'web.log').read_text('utf-8', 'replace')[-3000:]}")

    def answers(self) -> bool:
        """Return whether the site is there, with its database."""
        answer = self.door.get("/healthz")
        return answer is not None and answer.status == 200

    def end(self) -> None:
        """End every part, those that stand on others first."""
        if self.keeper.is_alive():
            self.keeper.retire()
        for part in reversed(list(self.parts.values())):
            part.stop(signal.SIGINT if part.name == "database" else signal.SIGTERM)
        disk = self.folder / "database"
        if disk.is_mount():
            subprocess.run(["umount", str(disk)], check=True)

    def flag(self, name: str, text: str = "") -> Path:
        """Set a flag, whole or not at all, and return where it lies."""
        path = self.flags / name
        path.with_suffix(".new").write_text(text, "utf-8")
        return path.with_suffix(".new").rename(path)

    # --- Programs beside it ------------------------------------------------------------------------------------------

    def ask(self, module: str, **orders: Any) -> Any:
        """Return what a program of the torture prints that runs in the environment of the site."""
        line = [sys.executable, "-m", module]
        done = subprocess.run(
            line, cwd=ROOT, env=self.environment, input=json.dumps(orders), capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"{module} failed: {done.stderr[-3000:]}")
        return json.loads(done.stdout)

    def send_out(self, module: str, orders: Mapping[str, Any]) -> Running:
        """Start a program that comes to the site from outside."""
        with (self.folder / f"{module}.log").open("ab") as log:
            process = subprocess.Popen(
                tied([sys.executable, "-m", module]), cwd=ROOT, stdin=subprocess.PIPE, stdout=log, stderr=log
            )
        assert process.stdin is not None
        process.stdin.write(json.dumps(orders).encode())
        process.stdin.close()
        return process

    # --- Its database ------------------------------------------------------------------------------------------------

    def number(self, question: str) -> int:
        """Return the number that the database answers; it is asked again until it does."""
        answer: list[int] = []

        def is_answered() -> bool:
            try:
                answer.append(self._asked(question))
            except (psycopg.Error, OSError):
                return False
            return True

        if not wait_until(is_answered, ANSWERS_WITHIN):
            sys.exit("The database does not answer any more.")
        return answer[0]

    def _asked(self, question: str) -> int:
        if self.on_postgresql:
            with psycopg.connect(self.environment["DATABASE_URL"], connect_timeout=5) as connection:
                row = connection.execute(question.encode()).fetchone()
        else:
            import sqlite3

            with sqlite3.connect(self.folder / "var" / "tenbo.sqlite3", timeout=30) as connection:
                row = connection.execute(question).fetchone()
        return int(row[0]) if row else 0

    def redis(self) -> Redis:
        """Return a line to the broker."""
        return Redis.from_url(self.environment["REDIS_URL"], socket_timeout=5)


# --- PostgreSQL, Redis, Celery ---------------------------------------------------------------------------------------


def production(folder: Path) -> Stack:
    """Return the site of compose.yaml with servers of its own, not started yet but for its database."""
    ports = {name: free_port() for name in ("database", "broker", "web")}
    os.environ["REDIS_URL"] = f"redis://127.0.0.1:{ports['broker']}/0"
    database, url = _database(folder, ports["database"])
    given = environment(folder, url)
    parts = {"database": database, "broker": Part("broker", lambda: _broker(folder, ports["broker"]))}
    door = Door(ports["web"], BEHIND_PROXY)
    stack = Stack(folder, door, given, parts)
    lines = services_of(ports["web"], folder)
    stack.parts = parts | {name: _service(stack, name, line) for name, line in lines.items()}
    stack.keeper = Keeper(stack.parts.values())
    database.start()
    stack.number("SELECT 1")
    return stack


def _service(stack: Stack, name: str, line: list[str]) -> Part:
    def begin() -> Running:
        with (stack.folder / f"{name}.log").open("ab") as log:
            return subprocess.Popen(
                tied(line), cwd=ROOT, env=stack.environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    return Part(name, begin)


def _broker(folder: Path, port: int) -> Running:
    line = command("broker", **{"redis-server": redis_binary()})
    return spawn([*line, "--port", port, "--bind", "127.0.0.1", "--dir", folder], folder / "broker.log", signal.SIGTERM)


def _database(folder: Path, port: int) -> tuple[Part, str]:
    """Return a server on a disk of its own, with a database that has all migrations."""
    home = folder / "database"
    home.mkdir()
    mount_disk(home)
    binaries = reachable_binaries(home)
    version = subprocess.run([binaries / "postgres", "--version"], capture_output=True, check=True).stdout
    template = KEPT / template_name(version)
    if not template.exists():
        _make_template(folder)
    if not is_copied(template, home / "data"):
        sys.exit("The template of the test database cannot be copied.")
    settings = {
        "listen_addresses": "127.0.0.1",
        "unix_socket_directories": "",
        "max_connections": str(CONNECTIONS),
        "max_wal_size": "64MB",
        "wal_keep_size": "0",
        "restart_after_crash": "on",
    }
    options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
    line = [binaries / "postgres", "-D", home / "data", "-p", port, *options]
    part = Part("database", lambda: spawn(line, folder / "database.log", signal.SIGINT, server_account()))
    return part, address(port, TEMPLATE)


def _make_template(folder: Path) -> None:
    """Have the tests' own server made once: it leaves the template behind that ours is copied from."""
    start_postgresql(folder / "template", free_port())


NEW_NAMESPACE = 0x00020000


def mount_disk(folder: Path) -> None:
    """Put a small disk under a folder if this account may; it is seen by this process and its children, and goes with them."""
    if os.geteuid() != 0 or ctypes.CDLL(None, use_errno=True).unshare(NEW_NAMESPACE):
        return
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)], check=True)
    account = server_account()
    if account:
        os.chown(folder, account.pw_uid, account.pw_gid)
    folder.chmod(0o755)


# --- SQLite ----------------------------------------------------------------------------------------------------------


def embedded(folder: Path) -> Stack:
    """Return the site of `make run` with an empty league database, not started yet."""
    port, home = free_port(), folder / "var"
    home.mkdir()
    (home / "secret").write_text(secrets.token_hex(32), "utf-8")
    named = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    named |= {"VAR_DIR": str(home), "HOST": "127.0.0.1", "PORT": str(port), "DEMO": "on", "REDIS_URL": ""}
    stack = Stack(folder, Door(port, {}), named, {})
    line = ["make", "--assume-old=.venv/ready", "run"]
    stack.parts = {"web": _service(stack, "web", line)}
    stack.keeper = Keeper(stack.parts.values())
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"], cwd=ROOT, env=stack.environment, check=True
    )
    # A site with a league in it is given no invented ones, which take their time.
    stack.ask("tests.torture.world", name="before", zones=["tokyo"], tables=1, boundaries=False)
    return stack
