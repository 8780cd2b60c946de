"""Where the work goes that misses its goal, measured in the same run: what a row has to say for itself."""

import os
import re
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from django.db import connection

from bench.race import Row, Work, readable
from bench.visiting import alike, backend, one_process, seconds_of

SHOWN = 3
"""So many statements are named."""

WIDTH = 110
"""Letters of a statement that are shown; those that begin alike count as one."""

VALUES = re.compile(r"'[^']*'|\b\d+\b")
LISTS = re.compile(r"\?(?:, \?)+")

BESIDES = "streams, COPY and commits"
"""What the database does that is not sent as a statement through a cursor."""


@dataclass(slots=True)
class Seen:
    """CPU seconds of a piece of work: Python's, the database's, and what each statement cost the database."""

    python: float = 0.0
    database: float = 0.0
    times: Counter[str] = field(default_factory=Counter)
    each: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))

    @property
    def whole(self) -> float:
        """Both together."""
        return self.python + self.database or 1e-9

    @property
    def head(self) -> str:
        """Who did it."""
        python, database = self.python / self.whole, self.database / self.whole
        statements = f"{self.times.total():,} statements"
        return f"{python:.0%} Python, {database:.0%} database in {statements}, of {readable(self.whole)} of CPU"

    def line(self, statement: str) -> str:
        """Return what a statement cost."""
        times = f" {self.times[statement]:,} x" if statement in self.times else ""
        return f"{self.each[statement] / self.whole:.0%}{times} {statement}"


def _named(sql: str) -> str:
    """Return how a statement begins, whatever values were put into it."""
    return LISTS.sub("?, ...", VALUES.sub("?", alike(sql)))[:WIDTH]


def seen(work: Work) -> Seen:
    """Return what a piece of work costs. It is run once; whoever warms up does so before."""
    found = Seen()
    with one_process():
        process = backend()

        def watch(execute: Callable[..., object], sql: str, params: object, many: object, context: object) -> object:
            before = seconds_of(process)
            try:
                return execute(sql, params, many, context)
            finally:
                found.times[_named(sql)] += 1
                found.each[_named(sql)] += seconds_of(process) - before

        begun, python = seconds_of(process), time.process_time()
        with connection.execute_wrapper(watch):
            work()
        found.python, found.database = time.process_time() - python, seconds_of(process) - begun
    found.each[BESIDES] = found.database - sum(found.each.values())
    return found


def shares(work: Work) -> tuple[str, ...]:
    """Return how a piece of work is shared out among Python, the database and its dearest statements."""
    found = seen(work)
    dearest = sorted(found.each, key=lambda statement: -found.each[statement])[:SHOWN]
    return (found.head, *map(found.line, dearest))


def shared_out(row: Row, work: Work) -> Row:
    """Return the row; where its goal is missed, with the shares of the work."""
    return row if row.ok else replace(row, why=shares(work))


def grown(row: Row, works: Mapping[int, Work]) -> Row:
    """Return the row; where its goal is missed, with the shares in the youngest and oldest league and what grew most."""
    if row.ok:
        return row
    young, old = (seen(works[age]) for age in (min(works), max(works)))
    heads = (f"{age:,} hanchan: {each.head}" for age, each in ((min(works), young), (max(works), old)))
    most = sorted({**old.each, **young.each}, key=lambda sql: -(old.each[sql] - young.each[sql]))[:SHOWN]
    costs = (f"{readable(young.each[sql])} to {readable(old.each[sql])}: {sql}" for sql in most)
    python = f"{readable(young.python)} to {readable(old.python)}: Python"
    return replace(row, why=(*heads, python, *costs))


# --- Processes that work for somebody else ---------------------------------------------------------------------------


def family(pid: int) -> float:
    """Return the CPU seconds of a process, of its children, and of those it has outlived."""
    return sum(
        _ticks(pid, reaped=True) if pid == each else _ticks(each, reaped=False) for each in (pid, *_children(pid))
    )


def database_server() -> int:
    """Return the process whose children answer all connections of the database."""
    return int(_fields(int(backend().name))[1])


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("utf-8").split()]
    except OSError:
        return []


def _ticks(pid: int, *, reaped: bool) -> float:
    try:
        own = _fields(pid)[11 : 15 if reaped else 13]
    except OSError:
        return 0.0
    return sum(map(int, own)) / os.sysconf("SC_CLK_TCK")


def _fields(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()


# --- Memory ----------------------------------------------------------------------------------------------------------


def most_memory(work: Work) -> int:
    """Return how many kB more than before this process holds at most while it does a piece of work."""
    # 5 has the kernel forget the most that there ever was: from then on it is what there is now.
    Path("/proc/self/clear_refs").write_text("5", "utf-8")
    before = _status("VmRSS")
    work()
    return max(0, _status("VmHWM") - before)


def _status(name: str) -> int:
    lines = Path("/proc/self/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
