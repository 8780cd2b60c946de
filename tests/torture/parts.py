"""The parts of a site that run: each is started again when it ends, as compose does it, and can be killed or frozen."""

import os
import signal
import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

Running = subprocess.Popen[bytes]

PAUSE = 0.3
"""Seconds after which a part that ended is started again."""


@dataclass
class Part:
    """A process and what it has started; `begin` starts it."""

    name: str
    begin: Callable[[], Running]
    is_wanted: bool = False
    _process: Running | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def pid(self) -> int:
        """The number of the process that was started."""
        assert self._process is not None
        return self._process.pid

    def look_after(self) -> None:
        """Start it if it is wanted and does not run."""
        with self._lock:
            if self.is_wanted and (self._process is None or self._process.poll() is not None):
                self._process = self.begin()

    def start(self) -> None:
        """Start it, and have it started again whenever it ends."""
        self.is_wanted = True
        self.look_after()

    def processes(self) -> list[int]:
        """Return the process and everything below it, the top first; empty while it does not run."""
        if self._process is None or self._process.poll() is not None:
            return []
        return [self.pid, *descendants(self.pid)]

    def workers(self) -> list[int]:
        """Return the processes at the bottom, which do the work."""
        children = children_of()
        return [pid for pid in self.processes()[1:] if not children.get(pid)]

    def kill(self) -> None:
        """Kill it with everything below, as a container ends."""
        send(signal.SIGKILL, self.processes())
        self.reap()

    def reap(self) -> None:
        """Wait until the process that was started is gone."""
        if self._process is not None:
            self._process.wait(60)

    @contextmanager
    def gone(self) -> Iterator[None]:
        """Have it killed and away for the length of the block."""
        self.is_wanted = False
        self.kill()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Have it hang for the length of the block: it is there, takes connections and says nothing."""
        pids = self.processes()
        send(signal.SIGSTOP, pids)
        try:
            yield
        finally:
            send(signal.SIGCONT, pids)

    def stop(self, by: signal.Signals = signal.SIGTERM) -> None:
        """End it for good."""
        self.is_wanted = False
        with self._lock:
            processes = self.processes()
            if processes:
                send(by, processes[:1])
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(15)  # type: ignore[union-attr]
                send(signal.SIGKILL, processes)
                self.reap()


class Keeper(threading.Thread):
    """Starts again whatever ended. It lives as long as the site: what it starts ends with the thread that started it."""

    def __init__(self, parts: Iterable[Part]) -> None:
        super().__init__(daemon=True)
        self.parts = tuple(parts)
        self._ends = threading.Event()

    def run(self) -> None:
        while not self._ends.wait(PAUSE):
            for part in self.parts:
                part.look_after()

    def retire(self) -> None:
        """Look after nothing any more."""
        self._ends.set()
        self.join()


# --- Processes -------------------------------------------------------------------------------------------------------


def send(what: signal.Signals, pids: Iterable[int]) -> int:
    """Send a signal to processes; return how many of them were there."""
    reached = 0
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, what)
            reached += 1
    return reached


def children_of() -> dict[int, list[int]]:
    """Return the processes that each process has started and that still run."""
    found = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = path.read_text("utf-8", "replace").rpartition(")")[2].split()[:2]
            if state != "Z":
                found[int(parent)].append(int(path.parent.name))
    return found


def descendants(pid: int) -> list[int]:
    """Return everything below a process, parents before their children."""
    children, found = children_of(), [pid]
    for each in found:
        found += children.get(each, [])
    return found[1:]


def wait_until(is_so: Callable[[], bool], seconds: float) -> bool:
    """Return whether something became so within a time."""
    deadline = time.monotonic() + seconds
    while not (so := is_so()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return so
