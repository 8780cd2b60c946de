"""Run all tests in parts: `make test-long`, or `make test-long PARTS="league sqlite"`.

A run ends with a table of its parts, and fails if one of them failed.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PYTEST = ("-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-p", "no:cacheprovider")

FOLDERS = {
    "cores": ("scoring", "scripts", "project", "bench"),
    "league": ("league",),
    "tournaments": ("tournaments",),
    "people": ("stats", "accounts", "door", "permissions"),
    "browser": ("browser", "journeys"),
    "production": ("production", "keeping", "fuzz"),
}
"""Test folders by part; together they cover all folders."""

MODULES = {
    "bench": ("-m", "bench", "--size", "smallest", "--counts"),
    "torture": ("-m", "tests.torture"),
}
"""Parts that are separate programs."""

PARTS = (*FOLDERS, "sqlite", *MODULES)


@dataclass(frozen=True)
class Outcome:
    """Result of a part. `tests`: pytest's counts."""

    status: int
    seconds: float
    tests: str


def arguments(part: str) -> tuple[list[str], dict[str, str]]:
    if part in FOLDERS:
        return [*PYTEST, *(f"tests/{folder}" for folder in FOLDERS[part])], {"BUDGET": "full"}
    if part == "sqlite":
        # Random searches look for bugs in the code, in full on PostgreSQL; this part is about the engine.
        return [*PYTEST, "-m", "both_databases", "tests"], {"BUDGET": "desk", **embedded()}
    return [*MODULES[part]], {}


def embedded() -> dict[str, str]:
    """Return the environment for tests on SQLite without Redis, as `make run` uses."""
    return {"DATABASE_URL": "sqlite:///tenbo-tests.sqlite3", "REDIS_URL": ""}


def run(part: str) -> Outcome:
    words, environment = arguments(part)
    print(f"--- {part}: python {' '.join(words)}", flush=True)
    begun = time.monotonic()
    lines = []
    process = subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    for line in process.stdout:
        print(line, end="", flush=True)
        lines.append(line.rstrip())
    status = process.wait()
    summary = "" if part in MODULES else said(lines)
    return Outcome(status, time.monotonic() - begun, summary)


def said(lines: list[str]) -> str:
    """Return the last line of pytest's output, without decoration."""
    spoken = [line.strip("= ") for line in lines if line.strip("= ")]
    return spoken[-1] if spoken else ""


def table(outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    yield f"{'part':<12} {'':<6} {'minutes':>7}"
    for part, each in outcomes.items():
        ended = "FAILED" if each.status else "passed"
        yield f"{part:<12} {ended} {each.seconds / 60:>7.1f}  {each.tests}"
    passed = sum(not each.status for each in outcomes.values())
    yield f"{passed} of {len(PARTS)} parts passed."


def main() -> int:
    reads = argparse.ArgumentParser(prog="python -m tests.long", description=__doc__)
    reads.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help=f"some of: {' '.join(PARTS)}")
    outcomes = {part: run(part) for part in reads.parse_args().parts or PARTS}
    print("\n".join(table(outcomes)))
    return int(any(each.status for each in outcomes.values()))


if __name__ == "__main__":
    sys.exit(main())
