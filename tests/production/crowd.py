"""Many readers at once, each of whom asks again and again: how many answers come in a second.

`python -m tests.production.crowd PORT HOST ADDRESS [REQUESTS [CONNECTIONS]]` asks whatever listens here.
"""

import asyncio
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field


@dataclass
class Crowd:
    """What came of a crowd's questions: answers by status and by X-Cache, and the seconds until the last."""

    asked: int
    request: bytes
    left: int = 0
    seconds: float = 0.0
    statuses: Counter[str] = field(default_factory=Counter)
    kept: Counter[str] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """Answers in a second."""
        return self.asked / self.seconds


class _Reader(asyncio.Protocol):
    """One connection: asks, reads the whole answer, asks again."""

    def __init__(self, crowd: Crowd, gone: asyncio.Future[None]) -> None:
        self.crowd, self.gone = crowd, gone
        self.heard = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._ask()

    def _ask(self) -> None:
        if not self.crowd.left:
            self.transport.close()
            return
        self.crowd.left -= 1
        self.transport.write(self.crowd.request)

    def data_received(self, data: bytes) -> None:
        self.heard += data
        head, found, body = self.heard.partition(b"\r\n\r\n")
        if not found:
            return
        if b"\r\nContent-Length: " in head and len(body) < int(_header(head, b"Content-Length")):
            return
        self.crowd.statuses[head[9:12].decode()] += 1
        self.crowd.kept[_header(head, b"X-Cache").decode()] += 1
        self.heard = b""
        self._ask()

    def connection_lost(self, exc: Exception | None) -> None:
        self.gone.set_result(None)


def _header(head: bytes, name: bytes) -> bytes:
    return head.partition(b"\r\n" + name + b": ")[2].partition(b"\r\n")[0]


def crowd(port: int, address: str, headers: dict[str, str], requests: int, connections: int) -> Crowd:
    """Return what came of so many questions over so many connections, each waiting for its answer before it asks again.

    Answers must have a length or no body.
    """
    lines = [f"GET {address} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    asking = Crowd(requests, "\r\n".join(lines).encode(), left=requests)
    # In a thread, since whoever calls may be in a loop of events already.
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, _asked(asking, port, connections)).result()
    return asking


async def _asked(asking: Crowd, port: int, connections: int) -> None:
    loop = asyncio.get_running_loop()
    ends: list[asyncio.Future[None]] = [loop.create_future() for _ in range(connections)]

    def reader(gone: asyncio.Future[None]) -> _Reader:
        return _Reader(asking, gone)

    begun = time.monotonic()
    for gone in ends:
        await loop.create_connection(lambda gone=gone: reader(gone), "127.0.0.1", port)  # type: ignore[misc]
    await asyncio.gather(*ends)
    asking.seconds = time.monotonic() - begun


def main(port: str, host: str, address: str, requests: str = "20000", connections: str = "200") -> None:
    """Ask, and print what came of it."""
    came = crowd(int(port), address, {"Host": host, "Accept-Encoding": "gzip"}, int(requests), int(connections))
    print(f"{came.rate:.0f}/s", dict(came.statuses), dict(came.kept))  # noqa: T201


if __name__ == "__main__":
    main(*sys.argv[1:])
