"""Measure what each test costs: a pytest plugin enabled by `--costs FILE`.

Costs are CPU seconds of the process tree: the test process, PostgreSQL, Redis, Chromium and other children. They are scaled
by the speed of a loop that runs alongside, so that a busy or slow machine gives the same figures. The cost of module and
session fixtures is not part of any test; it is stored per file.
"""

import json
import os
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.template.loader import get_template

from tests.tiers import tier_of

ROOT = Path(__file__).resolve().parent.parent

TICK = 1 / os.sysconf("SC_CLK_TCK")


def tree_seconds() -> float:
    """Return the CPU seconds of this process and all its descendants, running or ended."""
    spent = os.times()
    return time.process_time() + spent.children_user + spent.children_system + sum(map(_spent_in, _below(os.getpid())))


def _below(process: int) -> Iterator[int]:
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return
    for thread in threads:
        try:
            children = Path(f"/proc/{process}/task/{thread}/children").read_text("ascii").split()
        except OSError:
            continue
        for child in map(int, children):
            yield child
            yield from _below(child)


def _spent_in(process: int) -> float:
    try:
        told = Path(f"/proc/{process}/stat").read_text("utf-8", "replace")
    except OSError:
        return 0.0
    # After the name, which may contain anything: user, system, and the same of ended children.
    return sum(map(int, told.rpartition(")")[2].split()[11:15])) * TICK


QUIET_LOOP = 0.0300
"""CPU seconds of the loop on the reference machine: an ordinary rented one, otherwise idle."""


def slowness() -> float:
    """Return how many times slower the loop runs now than on the reference machine."""
    begun = time.process_time()
    total = 0
    for number in range(1_000_000):
        total += number & 7
    return (time.process_time() - begun) / QUIET_LOOP


def warm_up() -> None:
    import_module("config.urls")
    for path in (ROOT / "templates").rglob("*.html"):
        get_template(str(path.relative_to(ROOT / "templates")))


class Meter:
    """Record the cost of each test, without the fixtures that it shares with others."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.shared = 0.0
        self.slowness, self.looked_at = slowness(), time.monotonic()

    def pytest_collection_finish(self) -> None:
        """Load templates and URLs now, so that the first test that requests a page does not pay for them."""
        warm_up()

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
    ) -> Iterator[None]:
        if fixturedef.scope == "function" or self.shared < 0:
            return (yield)
        before, kept = tree_seconds(), self.shared
        self.shared = -1.0
        try:
            return (yield)
        finally:
            self.shared = kept + tree_seconds() - before

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        if time.monotonic() > self.looked_at + 10:
            self.slowness, self.looked_at = slowness(), time.monotonic()
        self.shared, before = 0.0, tree_seconds()
        try:
            return (yield)
        finally:
            spent = tree_seconds() - before
            row = {
                "test": item.nodeid,
                "tier": tier_of(item),
                # A process that ends without being waited for is missing from the sum.
                "seconds": round(max(0.0, spent - self.shared) / self.slowness, 4),
                "shared": round(self.shared / self.slowness, 4),
                "slowness": round(self.slowness, 3),
            }
            with self.file.open("a", encoding="utf-8") as rows:
                rows.write(json.dumps(row) + "\n")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--costs", type=Path, help="append what each test costs to this file")


def pytest_configure(config: pytest.Config) -> None:
    if file := config.getoption("costs"):
        config.pluginmanager.register(Meter(file))
