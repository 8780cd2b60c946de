"""How soon the boards of one league are fresh, alone and while another one with a million hanchan is scored again.

`python -m bench.beside [HANCHAN [MINUTES]]`: with the workers and the beat that compose.yaml starts. Half an hour for a million
to its end; ten minutes of it by default.
"""

import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.servers import database

LARGE, SMALL = 1_000_000, 2_000
ALONE = 30
"""So many results are entered while nothing else is done."""

PAUSE = 2.0

PATIENCE = 180.0
"""Seconds for a board; the sweep of each minute finds what a message did not bring."""

MINUTES = 10.0


def main(arguments: list[str]) -> None:
    """Load both leagues, measure the small one alone and beside the large one, and print both."""
    size = int(arguments[0]) if arguments else LARGE
    minutes = float(arguments[1]) if len(arguments) > 1 else MINUTES
    with database(), TemporaryDirectory() as folder:
        from bench.boards_bench import Table  # noqa: PLC0415 - needs Django
        from bench.loading import load  # noqa: PLC0415
        from bench.product import bring_up_to_date, how_far, score_again  # noqa: PLC0415
        from bench.seasons import steady  # noqa: PLC0415

        day = date.today()  # noqa: DTZ011 - of this machine
        large, small = load([steady(count, day, players=80, in_last_month=200) for count in (size, SMALL)])
        table = Table(small, day)
        table.enter()
        bring_up_to_date(small)
        with _workers(Path(folder)):
            fresh = _fresh(table)
            next(fresh)
            alone = [next(fresh) for _ in range(ALONE)]
            job = score_again(large)
            beside, ends = [], time.monotonic() + 60 * minutes
            while time.monotonic() < ends and not how_far(job)[2]:
                beside.append(next(fresh))
            done, whole, _ = how_far(job)
    print(f"{size:,} hanchan are scored again: {done:,} of {whole:,} steps after {minutes:g} minutes at most")
    for name, seconds in (("alone", alone), ("beside", beside)):
        marks = sorted(seconds) or [0.0]
        print(
            f"{name}: {len(seconds)} results, fresh after {statistics.median(marks):.2f} s (median), "
            f"{marks[len(marks) * 95 // 100]:.2f} s (95 of 100), {marks[-1]:.2f} s (the last)"
        )


def _fresh(table: object) -> Iterator[float]:
    """Yield the seconds after which the boards of a table's league have one more result."""
    from bench.boards_bench import Table  # noqa: PLC0415
    from bench.product import is_fresh  # noqa: PLC0415

    assert isinstance(table, Table)
    while True:
        begun = time.monotonic()
        table.enter()
        while not is_fresh(table.league):
            assert time.monotonic() - begun < PATIENCE, "The boards stay stale."
            time.sleep(0.005)
        yield time.monotonic() - begun
        time.sleep(PAUSE)


@contextmanager
def _workers(folder: Path) -> Iterator[None]:
    """Run both kinds of worker and the beat, as compose.yaml says."""
    from tests.processes import end, tied  # noqa: PLC0415
    from tests.production.compose import command  # noqa: PLC0415

    schedule = {"/tmp/celerybeat-schedule": str(folder / "beat")}  # noqa: S108 - what compose.yaml says
    lines = [command("worker"), command("jobs"), command("beat", **schedule)]
    with ExitStack() as stack:
        for line in lines:
            program = Path(sys.executable).parent / line[0]
            process = subprocess.Popen(tied([program, *line[1:]]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(end, process, signal.SIGTERM)
        yield


if __name__ == "__main__":
    main(sys.argv[1:])
