"""How many pages an edge with nchan can tell that there is something new, how soon, and what each costs it.

`python -m bench.push [LISTENERS]` on a machine with nginx and nchan. Listeners are plain sockets of this process, on several
addresses of the loopback, since one address has no more than 28,000 ports.
"""

import resource
import selectors
import socket
import statistics
import sys
import time
from http.client import HTTPConnection
from pathlib import Path

from tests.processes import free_port
from tests.production.pushing import Edge, edge_before
from tests.production.servers import children_of

CHANNEL = "0123456789" * 4
RUNS = 5
PER_ADDRESS = 10_000
SPARE = 500
"""Files that this process and the edge have open beside the listeners."""

KILOBYTE = 1024


def main(arguments: list[str]) -> None:
    """Open the listeners, tell them something several times, and print what was measured."""
    count = int(arguments[0]) if arguments else 15_000
    files = count + SPARE
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < files:
        sys.exit(f"{count} listeners need {files} open files and {most} are allowed; see: ulimit -Hn")
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    with edge_before(free_port(), processes=2, files=files) as edge:
        before = _memory(edge)
        with selectors.DefaultSelector() as selector:
            begun = time.monotonic()
            listeners = _listeners(edge, count, selector)
            opened = time.monotonic() - begun
            per_listener = (_memory(edge) - before) / count
            runs = [_told(edge, selector, f"{number}.{number}", count) for number in range(1, RUNS + 1)]
            grown = (_memory(edge) - before) / count
            for listener in listeners:
                listener.close()
    last = [run[1] for run in runs]
    print(f"{count} listeners, opened in {opened:.1f} s")
    print(f"memory of nginx for each: {per_listener / KILOBYTE:.1f} kB, after {RUNS} words {grown / KILOBYTE:.1f} kB")
    print(f"publisher answered after: {statistics.median(run[0] for run in runs):.3f} s (median of {RUNS})")
    print(f"last one told after: {statistics.median(last):.2f} s (median), {min(last):.2f} to {max(last):.2f} s")


def _listeners(edge: Edge, count: int, selector: selectors.BaseSelector) -> list[socket.socket]:
    """Return open connections that listen, each told so by the edge."""
    asked = f"GET /push/{CHANNEL} HTTP/1.1\r\nHost: edge\r\nAccept: text/event-stream\r\n\r\n".encode()
    listeners = []
    for number in range(count):
        address = f"127.0.0.{2 + number // PER_ADDRESS}"
        listener = socket.create_connection(("127.0.0.1", edge.port), 30, (address, 0))
        listener.sendall(asked)
        listeners.append(listener)
    for listener in listeners:
        said = b""
        while not said.endswith(b": hi\n\n"):
            more = listener.recv(4096)
            assert more, said
            said += more
        listener.settimeout(0)
        selector.register(listener, selectors.EVENT_READ)
    return listeners


def _told(edge: Edge, selector: selectors.BaseSelector, version: str, count: int) -> tuple[float, float]:
    """Tell a version; return after how many seconds the publisher answered, and the last listener was told."""
    body = f'{{"version": "{version}"}}'
    begun = time.monotonic()
    publisher = HTTPConnection("127.0.0.1", edge.publisher, timeout=30)
    publisher.request("POST", f"/publish/{CHANNEL}", body)
    assert publisher.getresponse().status == 201
    answered = time.monotonic() - begun
    publisher.close()
    told = 0
    while told < count:
        ready = selector.select(30)
        assert ready, f"{count - told} were told nothing"
        for key, _ in ready:
            listener = key.fileobj
            assert isinstance(listener, socket.socket)
            told += listener.recv(4096).count(body.encode())
    return answered, time.monotonic() - begun


def _memory(edge: Edge) -> int:
    """Return the bytes of memory that are the edge's own: of pages that its processes share, each has its part."""
    assert edge.process
    parts = (_share(pid) for pid in (edge.process.pid, *children_of(edge.process.pid)))
    return sum(parts)


def _share(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) * KILOBYTE for line in lines if line.startswith("Pss:"))


if __name__ == "__main__":
    main(sys.argv[1:])
