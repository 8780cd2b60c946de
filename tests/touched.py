"""Run the long tests for a change, the most expensive last, up to a total cost of `MOST`; used by `.ci/run`.

The change is everything since the commit BASE in the environment; by default since origin/main or, on main itself, since the
last commit that is at least half a day older. `python -m tests.touched --torture` reports whether the change touches
background work.
"""

import argparse
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from tests.costs import COSTS, read
from tests.tiers import LONG

ROOT = Path(__file__).resolve().parent.parent

MOST = 300
"""CPU seconds, on an idle machine."""

FOLDERS = {
    "accounts": ("accounts", "door"),
    "bench": ("bench",),
    "config": ("project", "production"),
    "league": ("league", "keeping"),
    "locale": ("journeys",),
    "proxy": ("production",),
    "scoring": ("scoring",),
    "static": ("scripts", "browser"),
    "stats": ("stats",),
    "templates": ("browser", "journeys"),
    "tournaments": ("tournaments",),
}
"""Test folders by the product folder they cover."""

IN_THE_BACKGROUND = ("background", "config", "services", "tasks")
"""Path parts of changes that require a torture run."""


def changed() -> list[str]:
    return _git("diff", "--name-only", _base())


def _base() -> str:
    if named := os.environ.get("BASE"):
        return named
    head, *_ = _git("rev-parse", "HEAD")
    if (origin := _git("merge-base", "HEAD", "origin/main")) and origin[0] != head:
        return origin[0]
    moment, *_ = _git("log", "-1", "--format=%ct")
    older = _git("rev-list", "-1", f"--before={int(moment) - 12 * 3600}", "HEAD")
    return older[0] if older else head


def _git(*words: str) -> list[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.splitlines()


def files_about(path: str, tests: Iterable[str]) -> Iterator[str]:
    """Yield the test files for a changed file: those that share a name with it, else all of its folder."""
    parts = Path(path).with_suffix("").parts
    if parts[0] == "tests":
        helped = str(Path(path).parent) + "/"
        yield from [path] if path in tests else [each for each in tests if each.startswith(helped) and len(parts) > 2]
        return
    near = [each for each in tests if Path(each).parts[1] in FOLDERS.get(parts[0], ())]
    names = {name.removeprefix("test_") for name in parts[1:]}
    about = [
        each for each in near if names & {part.removeprefix("test_") for part in Path(each).with_suffix("").parts[2:]}
    ]
    yield from about or near


def chosen(paths: Iterable[str], costs: Mapping[str, float], most: float = MOST) -> tuple[list[str], list[str]]:
    """Return the test files whose long tests are run for a change, and those left out.

    `costs`: CPU seconds of each file's long tests, by path. Files are run whole, since their tests may depend on each other.
    Changed test files come first, then the cheapest.
    """
    paths = [*paths]
    due = {file for path in paths for file in files_about(path, costs)}
    run: list[str] = []
    left: list[str] = []
    for file in sorted(due, key=lambda file: (file not in paths, costs[file], file)):
        most -= costs[file]
        (run if most >= 0 else left).append(file)
    return run, left


def main() -> int:
    reads = argparse.ArgumentParser(prog="python -m tests.touched", description=__doc__)
    reads.add_argument("--torture", action="store_true", help="succeed if a torture is due; run nothing")
    paths = changed()
    if reads.parse_args().torture:
        return int(not any({*IN_THE_BACKGROUND} & {*Path(path).with_suffix("").parts} for path in paths))
    costs: defaultdict[str, float] = defaultdict(float)
    for (name, tier), cost in read(COSTS.read_text("utf-8")).items():
        if tier == LONG:
            costs[name.partition("::")[0]] += cost.total
    run, left = chosen(paths, costs)
    sys.stdout.write(f"{len(paths)} files changed: running the long tests of {len(run)} files about them. ")
    sys.stdout.write(f"{len(left)} more files wait for make test-long.\n")
    sys.stdout.flush()
    if not run:
        return 0
    line = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "--dist",
        "loadfile",
        "--tiers",
        LONG,
        "-m",
        "not timing",
        *run,
    ]
    return subprocess.run(line, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
