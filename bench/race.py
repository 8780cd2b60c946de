"""Races between our code and a floor, and the table they make."""

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: a ratio of times, or a count, against its goal."""

    name: str
    ours: str
    floor: str
    ratio: float
    goal: float
    is_timing: bool = True

    @property
    def ok(self) -> bool:
        """Whether the goal is reached."""
        return self.ratio <= self.goal

    def as_json(self) -> dict[str, object]:
        """Return the row for keeping."""
        return asdict(self) | {"ok": self.ok}


def race(name: str, ours: Callable[[], object], floor: Callable[[], object], *, goal: float, rounds: int = 7) -> Row:
    """Run both in turn, round after round; the result is the median of the ratios within each round.

    A machine with neighbours slows both alike within a round, which is why ratios are compared and never bare times.
    """
    ours(), floor()
    times = []
    for number in range(rounds):
        pair = (ours, floor) if number % 2 == 0 else (floor, ours)
        first, second = _seconds(pair[0]), _seconds(pair[1])
        times.append((first, second) if number % 2 == 0 else (second, first))
    ratio = statistics.median(mine / least for mine, least in times)
    return Row(
        name,
        _readable(statistics.median(mine for mine, _ in times)),
        _readable(statistics.median(least for _, least in times)),
        ratio,
        goal,
    )


def count(name: str, value: int, *, goal: int) -> Row:
    """Return the row of something that is counted, not timed."""
    return Row(name, str(value), "", float(value), float(goal), is_timing=False)


def render(rows: Iterable[Row]) -> str:
    """Return the rows as a table for a terminal."""
    head = ("what", "ours", "floor", "ratio", "goal", "")
    lines = [head, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    ratio = f"{row.ratio:.2f}x" if row.is_timing else f"{row.ratio:.0f}"
    goal = f"{row.goal:g}x" if row.is_timing else f"{row.goal:g}"
    return row.name, row.ours, row.floor, ratio, f"<= {goal}", "ok" if row.ok else "MISSED"


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _readable(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.2f} ms"
