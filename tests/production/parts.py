import os
import signal
import subprocess
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

Running = subprocess.Popen[bytes]


@dataclass
class Part:
    name: str
    begin: Callable[[], Running]
    ends_by: signal.Signals = signal.SIGTERM
    is_wanted: bool = False
    process: Running | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def look_after(self) -> None:
        with self._lock:
            if self.is_wanted and (self.process is None or self.process.poll() is not None):
                self.process = self.begin()

    def start(self) -> None:
        self.is_wanted = True
        self.look_after()

    def processes(self) -> list[int]:
        """Return the process and all its descendants, parents first; empty if it does not run."""
        if self.process is None or self.process.poll() is not None:
            return []
        children, found = children_of(), [self.process.pid]
        for each in found:
            found += children.get(each, [])
        return found

    def workers(self) -> list[int]:
        children = children_of()
        return [pid for pid in self.processes()[1:] if not children.get(pid)]

    def reap(self) -> None:
        if self.process is not None:
            self.process.wait(60)

    @contextmanager
    def gone(self) -> Iterator[None]:
        self.is_wanted = False
        send(signal.SIGKILL, self.processes())
        self.reap()
        try:
            yield
        finally:
            self.start()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Freeze the process for the duration of the block: it accepts connections but never answers."""
        pids = self.processes()
        send(signal.SIGSTOP, pids)
        try:
            yield
        finally:
            send(signal.SIGCONT, pids)

    def stop(self, by: signal.Signals | None = None) -> None:
        self.is_wanted = False
        with self._lock:
            processes = self.processes()
            if processes:
                send(by or self.ends_by, processes[:1])
                with suppress(subprocess.TimeoutExpired):
                    self.process.wait(15)  # type: ignore[union-attr]
                send(signal.SIGKILL, processes)
                self.reap()


def send(what: signal.Signals, pids: Iterable[int]) -> int:
    reached = 0
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, what)
            reached += 1
    return reached


def children_of() -> dict[int, list[int]]:
    found = defaultdict(list)
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = path.read_text("utf-8", "replace").rpartition(")")[2].split()[:2]
            if state != "Z":
                found[int(parent)].append(int(path.parent.name))
    return found
