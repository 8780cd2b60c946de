import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress

HEADS = {
    "half a head": "GET / HTTP/1.1\r\n",
    "half a body": "POST /accounts/login/ HTTP/1.1\r\nContent-Length: 100000\r\n",
    "an unread answer": "GET {file} HTTP/1.1\r\nConnection: close\r\n",
}
"""First bytes that each kind of client sends; only the last two are complete requests."""

COUNTS = {"half a head": 200, "half a body": 200, "an unread answer": 30}
"""Number of clients: several times the threads. Unread data is buffered on disk."""

FEW = 4_096
"""Bytes accepted by a client that does not read."""


@contextmanager
def slow_visitors(port: int, headers: Mapping[str, str], way: str, file: str) -> Iterator[None]:
    held = [_connected(port, _said(headers, way, file)) for _ in range(COUNTS[way])]
    try:
        yield
    finally:
        for each in held:
            each.close()


def _said(headers: Mapping[str, str], way: str, file: str) -> bytes:
    lines = "".join(f"{name}: {value}\r\n" for name, value in {"Host": "127.0.0.1", **headers}.items())
    end = "" if way == "half a head" else "\r\n"
    return f"{HEADS[way].format(file=file)}{lines}{end}".encode()


def _connected(port: int, said: bytes) -> socket.socket:
    visitor = socket.socket()
    visitor.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, FEW)
    visitor.settimeout(10)
    visitor.connect(("127.0.0.1", port))
    visitor.sendall(said)
    return visitor


class Dripper:
    """Send an endless request head, a byte at a time, until the site closes the connection."""

    def __init__(self, port: int) -> None:
        self._visitor = _connected(port, b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        self._visitor.settimeout(1)
        self.is_hung_up_on = threading.Event()
        threading.Thread(target=self._drip, daemon=True).start()

    def _drip(self) -> None:
        with suppress(ConnectionError):
            while True:
                self._visitor.sendall(b".")
                with suppress(TimeoutError):
                    # Earlier output, such as a timeout, does not matter.
                    if not self._visitor.recv(FEW):
                        break
        self._visitor.close()
        self.is_hung_up_on.set()
