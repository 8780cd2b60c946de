"""A whole site with its own servers, in which every part can be killed; its data is in one folder.

PostgreSQL runs with full durability, unlike in other tests. Its folder is a small disk of its own, if one can be mounted, so
that it can be filled.
"""

import ctypes
import json
import os
import secrets
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from redis import Redis

from tests.conftest import ROOT
from tests.deadlines import wait_until
from tests.postgresql import TEMPLATE, address, launch, prepare
from tests.processes import free_port, server_account, spawn, tied
from tests.production.compose import command, environment
from tests.production.parts import Part, Running
from tests.production.stack import BEHIND_PROXY, MAKE_RUN, Site, add_workers, web_command
from tests.services import redis_binary

PAUSE = 0.3
"""Seconds until a part that ended is restarted, as compose does it."""

ANSWERS_WITHIN = 120

DURABLE = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "max_connections": "40",
    "max_wal_size": "64MB",
    "wal_keep_size": "0",
    "restart_after_crash": "on",
}

DISK = "300m"
NEW_NAMESPACE = 0x00020000


class Stack(Site):
    """A site whose parts are restarted when they end; has flags, and can query the database."""

    def __init__(self, folder: Path, headers: Mapping[str, str], environment: Mapping[str, str]) -> None:
        self.flags = folder / "flags"
        self.flags.mkdir()
        altered = {"DJANGO_SETTINGS_MODULE": "tests.torture.settings", "TORTURE_FLAGS": str(self.flags)}
        super().__init__(free_port(), headers, folder, {**environment, **altered})
        self._is_over = threading.Event()

    @contextmanager
    def running(self) -> Iterator["Stack"]:
        # Lives as long as the site: processes started by a thread end with the thread.
        keeper = threading.Thread(target=self._keep, daemon=True)
        try:
            self.begin()
            keeper.start()
            yield self
        finally:
            self._is_over.set()
            if keeper.is_alive():
                keeper.join()
            self.end()
            if (self.folder / "database").is_mount():
                subprocess.run(["umount", str(self.folder / "database")], check=True)

    def _keep(self) -> None:
        while not self._is_over.wait(PAUSE):
            for part in self.parts.values():
                part.look_after()

    def flag(self, name: str, text: str = "") -> Path:
        path = self.flags / name
        path.with_suffix(".new").write_text(text, "utf-8")
        return path.with_suffix(".new").rename(path)

    def send_out(self, module: str, orders: Mapping[str, Any]) -> Running:
        with (self.folder / f"{module}.log").open("ab") as log:
            line = tied([sys.executable, "-m", module])
            process = subprocess.Popen(line, cwd=ROOT, stdin=subprocess.PIPE, stdout=log, stderr=log)
        assert process.stdin is not None
        process.stdin.write(json.dumps(orders).encode())
        process.stdin.close()
        return process

    def number(self, question: str) -> int:
        """Return the number that a query gives, retrying until the database answers."""
        answer: list[int] = []

        def is_answered() -> bool:
            try:
                with closing(self._connected()) as connection:
                    answer.append(int(connection.execute(question).fetchone()[0]))
            except (psycopg.Error, OSError):
                return False
            return True

        if not wait_until(is_answered, ANSWERS_WITHIN):
            sys.exit("The database does not answer any more.")
        return answer[0]

    def _connected(self) -> Any:
        if "database" in self.parts:
            return psycopg.connect(self.environment["DATABASE_URL"], connect_timeout=5)
        return sqlite3.connect(self.folder / "var" / "tenbo.sqlite3", timeout=30)

    def redis(self) -> Redis:
        return Redis.from_url(self.environment["REDIS_URL"], socket_timeout=5)


def production(folder: Path) -> Stack:
    """Return the site of compose.yaml with its own servers, of which only the database runs yet."""
    database, broker, home = free_port(), free_port(), folder / "database"
    home.mkdir()
    mount_disk(home)
    prepare(home, database)
    given = environment(folder, address(database, TEMPLATE), f"redis://127.0.0.1:{broker}/0")
    stack = Stack(folder, BEHIND_PROXY, given)
    stack.parts["database"] = Part("database", partial(launch, home, database, DURABLE), signal.SIGINT)
    stack.parts["broker"] = Part("broker", partial(_broker, folder, broker))
    stack.parts["database"].start()
    stack.number("SELECT 1")
    stack.add("web", web_command(stack.port))
    add_workers(stack)
    return stack


def _broker(folder: Path, port: int) -> Running:
    line = command("broker", **{"redis-server": redis_binary()})
    return spawn([*line, "--port", port, "--bind", "127.0.0.1", "--dir", folder], folder / "broker.log", signal.SIGTERM)


def mount_disk(folder: Path) -> None:
    """Mount a small disk at a folder, if permitted; only this process and its children see it, until they end."""
    if os.geteuid() != 0 or ctypes.CDLL(None, use_errno=True).unshare(NEW_NAMESPACE):
        return
    subprocess.run(["mount", "--make-rprivate", "/"], check=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)], check=True)
    account = server_account()
    if account:
        os.chown(folder, account.pw_uid, account.pw_gid)
    folder.chmod(0o755)


def embedded(folder: Path) -> Stack:
    """Return the site of `make run` with an empty league database, not started yet."""
    home = folder / "var"
    home.mkdir()
    (home / "secret").write_text(secrets.token_hex(32), "utf-8")
    named = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    stack = Stack(folder, {}, named | {"VAR_DIR": str(home), "HOST": "127.0.0.1", "DEMO": "on", "REDIS_URL": ""})
    stack.environment["PORT"] = str(stack.port)
    stack.add("web", MAKE_RUN)
    stack.manage("migrate", "--verbosity", "0")
    # A site that has a league does not load the demo, which would take time.
    stack.ask("-m", "tests.torture.world", name="before", zones=["tokyo"], tables=1)
    return stack
