"""Races between our code and a floor, and the table they make."""

import cProfile
import pstats
import statistics
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple, cast

Work = Callable[[], object]

DEAREST = 5
"""So many functions are named where a goal is missed."""


class Spent(NamedTuple):
    """Seconds on the clock, and seconds of processor time of this process."""

    wall: float
    cpu: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: a ratio of times, or a count, against its goal. `goal` None: only printed.

    `pin` is the present value of a count that misses its goal: it may not become worse.
    `seconds` and `cpu` are the medians of our side, for keeping; `why` tells what a missed goal was missed by.
    """

    name: str
    ours: str
    floor: str
    ratio: float
    goal: float | None
    is_timing: bool = True
    seconds: float = 0.0
    cpu: float = 0.0
    why: tuple[str, ...] = ()
    pin: float | None = None

    @property
    def ok(self) -> bool:
        """Whether the goal is reached, if there is one."""
        return self.goal is None or self.ratio <= self.goal

    @property
    def fails(self) -> bool:
        """Whether a count is worse than its goal, or than what it is pinned at. Times never fail."""
        return not (self.is_timing or self.ok or (self.pin is not None and self.ratio <= self.pin))

    def as_json(self) -> dict[str, object]:
        """Return the row for keeping."""
        return asdict(self) | {"ok": self.ok}


def race(name: str, ours: Work, floor: Work, *, goal: float | None, rounds: int = 7, by: str = "wall") -> Row:
    """Run both in turn, round after round; the result is the median of the ratios within each round.

    A machine with neighbours slows both alike within a round, which is why ratios are compared and never bare times.
    `by`: "wall", or "cpu" where nobody but this process works.
    """
    ours(), floor()
    mine: list[Spent] = []
    least: list[Spent] = []
    for number in range(rounds):
        for work, times in ((ours, mine), (floor, least)) if number % 2 == 0 else ((floor, least), (ours, mine)):
            times.append(spent(work))
    return explained(row_of(name, mine, least, goal=goal, by=by), ours, by=by)


CLOCKS = {"wall": time.perf_counter, "cpu": time.process_time}


def explained(row: Row, work: Work, *, by: str = "wall") -> Row:
    """Return the row; where its goal is missed, with the functions in which the work spends most of its own time.

    By the wall, that of the database is spent in functions which wait for it.
    """
    if row.ok:
        return row
    profile = cProfile.Profile(CLOCKS[by])
    profile.runcall(work)
    stats = cast("dict[tuple[str, int, str], tuple[int, int, float, float, object]]", pstats.Stats(profile).stats)  # type: ignore[attr-defined]
    whole = sum(each[2] for each in stats.values()) or 1
    dearest = sorted(stats.items(), key=lambda item: -item[1][2])[:DEAREST]
    return replace(row, why=tuple(f"{each[2] / whole:.0%} {_where(at)}" for at, each in dearest))


def _where(at: tuple[str, int, str]) -> str:
    path, line, function = at
    return f"{function} ({'/'.join(Path(path).parts[-2:])}:{line})" if line else function


def row_of(name: str, ours: list[Spent], floor: list[Spent], *, goal: float | None, by: str = "wall") -> Row:
    """Return the row of times that were taken in turn."""
    ratios = [getattr(mine, by) / max(getattr(least, by), 1e-9) for mine, least in zip(ours, floor, strict=True)]
    seconds = statistics.median(getattr(each, by) for each in ours)
    return Row(
        name,
        readable(seconds),
        readable(statistics.median(getattr(each, by) for each in floor)),
        statistics.median(ratios),
        goal,
        seconds=statistics.median(each.wall for each in ours),
        cpu=statistics.median(each.cpu for each in ours),
    )


def growth(
    name: str,
    works: Mapping[int, Work],
    *,
    goal: float,
    rounds: int = 7,
    clock: Callable[[], float] = time.perf_counter,
) -> Row:
    """Run the same work on leagues of several ages in turn; the ratio is the dearest age to the cheapest.

    Which they are is told by their medians; the ratio is the median of those within each round. `clock`: what is
    compared, by its seconds.
    """
    times: dict[int, list[float]] = {size: [] for size in works}
    first = sum(spent(work).wall for work in works.values())
    for number in range(enough(rounds, first)):
        for size in sorted(works, reverse=bool(number % 2)):
            begun = clock()
            works[size]()
            times[size].append(clock() - begun)
    medians = {size: statistics.median(each) for size, each in times.items()}
    low, high = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
    ratio = statistics.median(dear / max(cheap, 1e-9) for dear, cheap in zip(times[high], times[low], strict=True))
    told = " / ".join(readable(medians[size]) for size in sorted(medians))
    return Row(name, told, "", max(ratio, 1.0), goal, seconds=medians[high])


def count(name: str, value: int, *, goal: int | None, ours: str = "") -> Row:
    """Return the row of something that is counted, not timed."""
    return Row(name, ours or f"{value:,}", "", float(value), None if goal is None else float(goal), is_timing=False)


LONG_ENOUGH = 8.0
"""Seconds after which a slow piece of work has been repeated enough."""


def enough(rounds: int, seconds: float) -> int:
    """Return how often work of this length is repeated: not for minutes."""
    return max(1, min(rounds, int(LONG_ENOUGH / max(seconds, 1e-6))))


def spent(work: Work) -> Spent:
    """Return what a piece of work takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return Spent(time.perf_counter() - wall, time.process_time() - cpu)


def render(rows: Iterable[Row]) -> str:
    """Return the rows as a table for a terminal."""
    return aligned([("what", "ours", "floor", "ratio", "goal", ""), *(_cells(row) for row in rows)])


def aligned(lines: list[tuple[str, ...]]) -> str:
    """Return lines of cells as text: the first column to the left, the others to the right."""
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    ratio = f"{row.ratio:.2f}x" if row.is_timing else f"{row.ratio:,.0f}"
    if row.goal is None:
        return row.name, row.ours, row.floor, ratio, "", ""
    goal = f"{row.goal:g}x" if row.is_timing else f"{row.goal:,.0f}"
    return row.name, row.ours, row.floor, ratio, f"<= {goal}", _verdict(row)


def _verdict(row: Row) -> str:
    if row.pin is None:
        return "ok" if row.ok else "MISSED"
    pinned = f"pinned at {row.pin:,.0f}"
    return f"ok, no longer to be {pinned}" if row.ok else f"WORSE than {pinned}" if row.fails else f"missed, {pinned}"


def readable(seconds: float) -> str:
    """Return a time in the unit that suits it."""
    if seconds >= 1:
        return f"{seconds:.2f} s"
    return f"{seconds * 1000:.2f} ms" if seconds >= 0.001 else f"{seconds * 1e6:.0f} us"
