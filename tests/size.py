"""Size of the code: `python -m tests.size` or `make size`. Fails if a number exceeds its pin (tests/size_pins.toml).

Lines, tables and settings are counted from the sources. The rest is measured on a small SQLite database: which of our files
run while a result is stored and a board is read, and how many of our frames are on the stack below a view. Work done once
per process (imports, persistent caches) has been done by then and does not count.
"""

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PINS = ROOT / "tests" / "size_pins.toml"
APPS = ("accounts", "league", "scoring", "stats", "tournaments")

SETTINGS = """
from config import environment
names, text = set(), environment.text
environment.text = lambda name, default="": names.add(name) or text(name, default)
import config.settings
print(*sorted(names))
"""


def main() -> int:
    static_only = "--static" in sys.argv
    numbers = static_numbers(told=not static_only)
    if not static_only:
        numbers |= trips()
    pins: dict[str, int] = tomllib.loads(PINS.read_text("utf-8"))
    above = {name for name, number in numbers.items() if number > pins[name]}
    for name, number in numbers.items():
        if not static_only or name in above:
            say(f"{number:7}  {name}" + (f", above its pin of {pins[name]}" if name in above else f" ({pins[name]})"))
    return 1 if above else 0


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


def static_numbers(*, told: bool) -> dict[str, int]:
    product, tests = Counter[str](), Counter[str]()
    files = subprocess.run(["git", "ls-files", "*.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in files.split():
        path = ROOT / name
        if "migrations" in path.parts or not path.exists():
            continue
        lines = path.read_bytes().count(b"\n")
        first, *rest = name.split("/")
        if first == "tests":
            tests["/".join(["tests", *rest[:1]]) if len(rest) > 1 else "tests"] += lines
        else:
            product["/".join([first, *rest[:1]]) if len(rest) > 1 else first] += lines
    if told:
        for folder, lines in sorted((product + tests).items()):
            say(f"{lines:7}  {folder}")
    models = "\n".join(path.read_text("utf-8") for app in APPS for path in (ROOT / app).glob("migrations/0*.py"))
    return {
        "product lines": sum(product.values()),
        "test lines": sum(tests.values()),
        "tables": len(re.findall(r"migrations\.CreateModel\(", models)) + len(re.findall(r"ManyToManyField\(", models)),
        "settings": len(settings_read()),
        "adrs": sum(path.name[:1].isdigit() for path in (ROOT / "docs" / "adr").glob("*.md")),
    }


@cache
def settings_read() -> set[str]:
    given = {"SECRET_KEY": "long enough to be tried by nobody", "DATABASE_URL": "postgresql://tenbo@database/tenbo"}
    command = [sys.executable, "-c", SETTINGS]
    return {*subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True, check=True).stdout.split()}


@dataclass
class Entered:
    """Our code that ran: files with called functions, and our frames on the stack below the view."""

    view: CodeType | None = None
    files: set[str] = field(default_factory=set)
    frames: list[str] = field(default_factory=list)

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call" or not (name := ours(frame)):
            return
        if frame.f_code.co_name != "<module>":
            self.files.add(name)
        if frame.f_code is self.view and not self.frames:
            below = frame.f_back
            while below is not None:
                if name := ours(below):
                    self.frames.append(f"{name} {below.f_code.co_qualname if sys.version_info >= (3, 11) else ''}")
                below = below.f_back


_ours: dict[str, str] = {}
ROOTS = tuple(f"{ROOT / name}/" for name in (*APPS, "config", "bench"))


def ours(frame: FrameType) -> str:
    path = frame.f_code.co_filename
    if path not in _ours:
        _ours[path] = str(Path(path).relative_to(ROOT)) if path.startswith(ROOTS) else ""
    return _ours[path]


def entered(trip: Callable[[], Any], view: Any = None) -> Entered:
    while hasattr(view, "__wrapped__"):
        view = view.__wrapped__
    found = Entered(view and view.__code__)
    sys.setprofile(found)
    try:
        trip()
    finally:
        sys.setprofile(None)
    return found


def trips() -> dict[str, int]:
    """Return the number of our files that run in each scenario, and the database triggers involved."""
    folder = tempfile.TemporaryDirectory(prefix="tenbo-size-")
    os.environ |= {"DEBUG": "on", "SECRET_KEY": "only-to-measure", "VAR_DIR": folder.name}
    os.environ |= {"DATABASE_URL": "", "REDIS_URL": "", "DJANGO_SETTINGS_MODULE": "config.settings"}
    import django

    django.setup()
    from django.db import connection
    from django.test.utils import setup_test_environment

    from league import background

    setup_test_environment(debug=False)
    connection.creation.create_test_db(verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM sqlite_master WHERE type = 'trigger'")
        (triggers,) = cursor.fetchone()
    # Background messages would add to the count.
    with background.unsent():
        found = walks()
    if "--files" in sys.argv:
        for name, walk in found.items():
            say(f"\n{name}\n  " + "\n  ".join(sorted(walk.files)))
        say("\nframes\n  " + "\n  ".join(found["store"].frames))
    numbers = {f"{name} files": len(walk.files) for name, walk in found.items()}
    return {"triggers": triggers} | numbers | {"frames": max(len(walk.frames) for walk in found.values())}


def walks() -> dict[str, Entered]:
    """Run each scenario once to warm up and once to count, checking the responses."""
    from datetime import UTC, datetime
    from uuid import uuid4

    from django.core.cache import caches
    from django.test import Client
    from django.urls import resolve, reverse

    from league.services.boards import refresh_league
    from tests.league.factories import logged_in, make_league, make_players, make_session

    league = make_league()
    players = make_players(league, 8)
    session = make_session(league, league.day_of(datetime.now(UTC)))
    scorer = logged_in(league, "scorer")
    enter = reverse("league:enter_session", args=[league.slug, session.pk])
    board = reverse("league:standings", args=[league.slug, "all"])
    typed = {f"player_{seat}": str(player.pk) for seat, player in enumerate(players[:4])}

    def store(number: int) -> None:
        raw = {f"raw_{seat}": str(250 + (number, -number, 2 * number, -2 * number)[seat]) for seat in range(4)}
        sent = typed | raw | {"client_key": str(uuid4()), "sticks_left": "0", "for_round": str(number), "do": "save"}
        answer = scorer.post(enter, sent | {"table": "1"}, headers={"Accept": "application/json"})
        assert answer.status_code == 200, answer.content
        assert session.hanchan.count() == number, answer.content

    def render(known: str = "") -> str:
        answer = Client().get(board, headers={"If-None-Match": known} if known else {})
        assert answer.status_code == (304 if known else 200), answer.status_code
        return str(answer.headers["ETag"])

    def stored_and_refreshed(number: int) -> None:
        store(number)
        refresh_league(league.pk)
        league.refresh_from_db()
        for each in caches.all():
            each.clear()

    stored_and_refreshed(1)
    tag = render()
    render(tag)
    storing = entered(lambda: store(2), resolve(enter).func)
    stored_and_refreshed(3)
    rendering = entered(render, resolve(board).func)
    tag = render()
    return {"store": storing, "board": rendering, "unchanged": entered(lambda: render(tag))}


if __name__ == "__main__":
    sys.exit(main())
