"""A PostgreSQL and a Redis of a site's own, that may be stopped in the middle of a word, ended, and started again."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.postgresql import TEMPLATE, address, start_again, start_postgresql
from tests.processes import end, free_port
from tests.services import start_redis


class Relay:
    """Stands between a site and its database, and can keep to itself what the database answers to a word."""

    def __init__(self, port: int) -> None:
        self._there = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self.swallows_after = b""
        self.swallowed = threading.Event()
        threading.Thread(target=self._welcome, daemon=True).start()

    def _welcome(self) -> None:
        with suppress(OSError):
            while True:
                here, _ = self._door.accept()
                try:
                    there = socket.create_connection(("127.0.0.1", self._there), 5)
                except OSError:
                    here.close()
                    continue
                there.settimeout(None)
                is_deaf = threading.Event()
                for ends, listens in (((here, there), True), ((there, here), False)):
                    threading.Thread(target=self._carry, args=(*ends, is_deaf, listens), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket, is_deaf: threading.Event, listens: bool) -> None:
        """Carry bytes from one end to the other until one of them is closed."""
        with suppress(OSError):
            while said := one.recv(65_536):
                if listens and self.swallows_after and self.swallows_after in said:
                    is_deaf.set()
                if listens or not is_deaf.is_set():
                    other.sendall(said)
                else:
                    self.swallowed.set()
        for each in (one, other):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def close(self) -> None:
        """Take nobody in any more."""
        self._door.close()


@dataclass
class Servers:
    """The servers of a site; the database is reached through the relay."""

    folder: Path
    postgresql: subprocess.Popen[bytes]
    redis: subprocess.Popen[bytes]
    relay: Relay
    ports: tuple[int, int]
    stopped: list[int] = field(default_factory=list)

    @property
    def database_url(self) -> str:
        """The address of a database with all migrations."""
        return address(self.relay.port, TEMPLATE)

    @property
    def redis_url(self) -> str:
        """The address of Redis."""
        return f"redis://127.0.0.1:{self.ports[1]}/0"

    def hang(self, server: subprocess.Popen[bytes]) -> None:
        """Stop a server and all its processes where they are: connections stay open, and nobody answers."""
        for pid in (server.pid, *children_of(server.pid)):
            os.kill(pid, signal.SIGSTOP)
            self.stopped.append(pid)

    def be_well(self) -> None:
        """Let everything that was stopped go on, begin what has ended, and carry everything; Redis has forgotten all."""
        self.relay.swallows_after = b""
        self.relay.swallowed.clear()
        while self.stopped:
            with suppress(ProcessLookupError):
                os.kill(self.stopped.pop(), signal.SIGCONT)
        if self.postgresql.poll() is not None:
            self.postgresql = start_again(self.folder / "postgresql", self.ports[0])
        if self.redis.poll() is not None:
            self.redis = start_redis(self.folder / "redis", self.ports[1])


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    with suppress(FileNotFoundError):
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]
    return []


@contextmanager
def own_servers() -> Iterator[Servers]:
    """Give servers that nobody else uses; they end with the block, and everything that they kept is gone."""
    ports = free_port(), free_port()
    folder = Path(tempfile.mkdtemp(prefix="tenbo-servers-"))
    # PostgreSQL may run under an account of its own.
    folder.chmod(0o755)
    postgresql = start_postgresql(folder / "postgresql", ports[0])
    redis = start_redis(folder / "redis", ports[1])
    servers = Servers(folder, postgresql, redis, Relay(ports[0]), ports)
    try:
        yield servers
    finally:
        servers.be_well()
        servers.relay.close()
        end(servers.redis, signal.SIGTERM)
        end(servers.postgresql, signal.SIGINT)
        shutil.rmtree(folder, ignore_errors=True)
