"""Everything there is to test, in parts that can be run one at a time: `make test-long`, or make test-long PARTS="league sqlite".

Each part leaves its outcome in var/test-long.json. A run ends with a table of all parts, those of earlier runs included, and
fails if one of its own parts failed.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "var" / "test-long.json"

PYTEST = ("-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-p", "no:cacheprovider")

FOLDERS = {
    "cores": ("scoring", "scripts", "project", "bench"),
    "league": ("league",),
    "tournaments": ("tournaments",),
    "people": ("stats", "accounts", "door", "permissions"),
    "browser": ("browser", "journeys"),
    "production": ("production", "keeping", "fuzz"),
}
"""Folders of tests by the part that runs them; together they are all there are."""

MODULES = {
    "bench": ("-m", "bench", "--size", "smallest", "--counts"),
    "torture": ("-m", "tests.torture", "--long"),
}
"""Parts that are programs of their own."""

PARTS = (*FOLDERS, "sqlite", *MODULES)


@dataclass(frozen=True)
class Outcome:
    """How a part ended. `seconds` by the clock, `cpu` of the whole process tree; `tests` as pytest counts them."""

    commit: str
    status: int
    seconds: float
    cpu: float
    tests: str


def arguments(part: str) -> tuple[list[str], dict[str, str]]:
    """Return what Python is started with for a part, and what it finds in the environment beside the present one."""
    if part in FOLDERS:
        return [*PYTEST, *(f"tests/{folder}" for folder in FOLDERS[part])], {"BUDGET": "full"}
    if part == "sqlite":
        # Random searches look for mistakes of ours, on PostgreSQL and in full; here the engine is tried.
        return [*PYTEST, "-m", "both_databases", "tests"], {"BUDGET": "desk", **embedded()}
    return [*MODULES[part]], {}


def embedded() -> dict[str, str]:
    """Return the environment in which tests run on SQLite and without Redis, as `make run` does."""
    return {"DATABASE_URL": "sqlite:///tenbo-tests.sqlite3", "REDIS_URL": ""}


def run(part: str) -> Outcome:
    """Run a part to its end. What it prints is shown as it comes."""
    words, environment = arguments(part)
    print(f"--- {part}: python {' '.join(words)}", flush=True)
    begun, before = time.monotonic(), _cpu()
    lines = []
    process = subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line.rstrip())
    status = process.wait()
    # Programs print tables of their own, whose last line says little.
    summary = "" if part in MODULES else said(lines)
    return Outcome(_commit(), status, time.monotonic() - begun, _cpu() - before, summary)


def said(lines: list[str]) -> str:
    """Return the last line of pytest's output, without decoration."""
    spoken = [line.strip("= ") for line in lines if line.strip("= ")]
    return spoken[-1] if spoken else ""


def _cpu() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _commit() -> str:
    """Return the present commit; with a plus where files differ from it."""
    commit = subprocess.run(
        ["git", "describe", "--always", "--dirty=+"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return commit.stdout.strip()


# --- Keeping and telling ---------------------------------------------------------------------------------------------


def read() -> dict[str, Outcome]:
    """Return how parts ended so far."""
    if not KEPT.exists():
        return {}
    return {part: Outcome(**row) for part, row in json.loads(KEPT.read_text("utf-8")).items()}


def keep(part: str, outcome: Outcome) -> None:
    """Keep how a part ended."""
    KEPT.parent.mkdir(exist_ok=True)
    rows = {name: asdict(each) for name, each in (read() | {part: outcome}).items()}
    KEPT.write_text(json.dumps(rows, indent=1), "utf-8")


def table(outcomes: Mapping[str, Outcome], commit: str) -> Iterator[str]:
    """Yield the lines of the closing table."""
    yield f"{'part':<12} {'':<6} {'minutes':>7} {'CPU s':>7}  commit"
    for part in PARTS:
        if each := outcomes.get(part):
            ended = "passed" if not each.status else "FAILED"
            other = "" if each.commit == commit else f" (not {commit})"
            yield f"{part:<12} {ended} {each.seconds / 60:>7.1f} {each.cpu:>7,.0f}  {each.commit}{other}: {each.tests}"
        else:
            yield f"{part:<12} not run"
    done = [each for each in outcomes.values() if each.commit == commit and not each.status]
    total, cpu = sum(each.seconds for each in done) / 60, sum(each.cpu for each in done)
    yield f"{len(done)} of {len(PARTS)} parts passed on {commit}, in {total:.0f} minutes and {cpu:,.0f} s of CPU."


def main() -> int:
    """Run the parts that are named, or all."""
    reads = argparse.ArgumentParser(prog="python -m tests.long", description=__doc__)
    reads.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"some of: {' '.join(PARTS)}")
    parts = reads.parse_args().parts or PARTS
    for part in parts:
        keep(part, run(part))
    outcomes, commit = read(), _commit()
    print("\n".join(table(outcomes, commit)))
    return int(any(outcomes[part].status for part in parts))


if __name__ == "__main__":
    sys.exit(main())
