import os
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Work = Callable[[], object]

LONG_ENOUGH = 6.0
"""Total seconds after which slow work is not repeated any more."""

ROWS_TOUCHED = """
    SELECT SUM(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_inserted(oid)
               + pg_stat_get_xact_tuples_updated(oid) + pg_stat_get_xact_tuples_deleted(oid))
    FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace
"""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: a ratio of times, or a count.

    `pin`: current value of a count that misses its goal; it must not get worse. `why`: details of a failure.
    """

    name: str
    ours: str
    other: str
    ratio: float
    goal: float
    is_timing: bool = True
    why: tuple[str, ...] = ()
    pin: float | None = None

    @property
    def ok(self) -> bool:
        return self.ratio <= self.goal

    @property
    def fails(self) -> bool:
        """Whether a count is worse than both its goal and its pin. Times never fail."""
        return not (self.is_timing or self.ok or (self.pin is not None and self.ratio <= self.pin))

    @property
    def verdict(self) -> str:
        if self.pin is None:
            return "ok" if self.ok else "MISSED"
        return f"ok, unpin {self.pin:,.0f}" if self.ok else "WORSE" if self.fails else "missed, pinned"


def race(name: str, ours: Work, other: Work, *, goal: float, rounds: int = 7, times: int = 1) -> Row:
    """Run both in turns; the result is the median over the rounds of the ratio of CPU times.

    Other load on the machine slows both alike within a round, so ratios are compared instead of times. `times`:
    repetitions per measurement, for work that takes less than a millisecond.
    """
    first = spent(ours, times) + spent(other, times)
    repeated = max(1, min(rounds, int(LONG_ENOUGH / max(first, 1e-6))))
    pairs = [(spent(ours, times), spent(other, times)) for _ in range(repeated)]
    return of_pairs(name, pairs, goal=goal)


def of_pairs(name: str, pairs: list[tuple[float, float]], *, goal: float) -> Row:
    ratio = statistics.median(mine / max(least, 1e-9) for mine, least in pairs)
    mine, least = (statistics.median(each) for each in zip(*pairs, strict=True))
    return Row(name, readable(mine), readable(least), ratio, goal)


def count(name: str, value: float, *, goal: float, ours: str = "", why: Iterable[str] = ()) -> Row:
    return Row(name, ours or f"{value:,.0f}", "", float(value), goal, is_timing=False, why=tuple(why))


def spent(work: Work, times: int = 1) -> float:
    begun = cpu()
    for _ in range(times):
        work()
    return (cpu() - begun) / times


def cpu() -> float:
    database = backend()
    return time.process_time() + (seconds_of(database) if database else 0)


def backend() -> int | None:
    if not os.environ.get("DATABASE_URL", "").startswith("postgres"):
        return None
    from django.db import connection  # noqa: PLC0415

    connection.ensure_connection()
    connection.close_at = None
    return int(connection.connection.info.backend_pid)


def seconds_of(pid: int) -> float:
    try:
        tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
        return sum(int(task.read_text("utf-8").split()[0]) for task in tasks) / 1e9
    except OSError:
        return 0.0


def statements(work: Work) -> list[str]:
    from django.db import connection  # noqa: PLC0415
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    with CaptureQueriesContext(connection) as captured:
        work()
    return [alike(query["sql"]) for query in captured.captured_queries]


def rows_touched(work: Work) -> Counter[str]:
    """Return the exact number of rows and index entries that PostgreSQL reads or writes, by statement.

    Sequential scans are disabled meanwhile, so that the plan with the fewest rows is used.
    """
    from django.db import connection, transaction  # noqa: PLC0415

    touched: Counter[str] = Counter()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL random_page_cost = 0; SET LOCAL seq_page_cost = 0")

        def now() -> int:
            # Bypass Django's cursor, whose queries are being captured.
            return int(cursor.connection.execute(ROWS_TOUCHED).fetchone()[0])

        begun = now()

        def watch(execute: Callable[..., object], sql: str, params: object, many: object, context: object) -> object:
            before = now()
            try:
                return execute(sql, params, many, context)
            finally:
                touched[alike(sql)] += now() - before

        with connection.execute_wrapper(watch):
            work()
        touched["streams and COPY"] += now() - begun - touched.total()
    return touched


@cache
def alike(sql: str) -> str:
    """Return a statement in one line, with lists of any length shortened to the same form."""
    return re.sub(r"\(%s(?:, %s)+\)", "(%s, ...)", " ".join(sql.split()))


def readable(seconds: float) -> str:
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.2f} ms" if seconds >= 0.001 else f"{seconds * 1e6:.1f} us"


def render(rows: Iterable[Row]) -> str:
    lines = [("what", "ours", "other", "ratio", "goal", "")]
    for row in rows:
        goal = f"<= {row.goal:,.4g}" if row.is_timing else f"<= {row.goal:,.0f}"
        ratio = f"{row.ratio:.2f}" if row.is_timing else f"{row.ratio:,.0f}"
        lines.append((row.name, row.ours, row.other, ratio, goal, row.verdict))
    widths = [max(len(line[column]) for line in lines) for column in range(6)]
    return "\n".join(
        "  ".join(f"{cell:{'>' if at else '<'}{widths[at]}}" for at, cell in enumerate(line)).rstrip() for line in lines
    )
