"""PostgreSQL and Redis of a single site, which can be frozen, stopped and restarted."""

import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.postgresql import TEMPLATE, address, prepare, serve
from tests.processes import free_port
from tests.production.parts import Part
from tests.services import start_redis


class Relay:
    """Relay a site's database connection, and hold back responses on request."""

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
        self._door.close()


@dataclass
class Servers:
    postgresql: Part
    redis: Part
    relay: Relay
    database_url: str
    redis_url: str
    hung: ExitStack = field(default_factory=ExitStack)

    def hang(self, server: Part) -> None:
        """Freeze a server's processes: connections stay open without responses."""
        self.hung.enter_context(server.frozen())

    def be_well(self) -> None:
        """Continue frozen servers and restart stopped ones; Redis starts empty."""
        self.relay.swallows_after = b""
        self.relay.swallowed.clear()
        self.hung.close()
        self.postgresql.start()
        self.redis.start()


@contextmanager
def own_servers() -> Iterator[Servers]:
    there, redis_port = free_port(), free_port()
    with open_folder("tenbo-servers-") as folder:
        prepare(folder / "postgresql", there)
        relay = Relay(there)
        servers = Servers(
            Part("database", lambda: serve(folder / "postgresql", there), signal.SIGINT),
            Part("broker", lambda: start_redis(folder / "redis", redis_port)),
            relay,
            address(relay.port, TEMPLATE),
            f"redis://127.0.0.1:{redis_port}/0",
        )
        servers.be_well()
        try:
            yield servers
        finally:
            servers.be_well()
            relay.close()
            servers.redis.stop()
            servers.postgresql.stop()


@contextmanager
def open_folder(prefix: str) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
