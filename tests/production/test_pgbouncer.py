"""Everything that Tenbo does goes through a real pgbouncer, which gives each transaction another connection."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conftest import ROOT, needs_postgresql
from tests.production.browsing import Visitor
from tests.production.databases import new_database
from tests.production.poolers import find_pgbouncer, pooling
from tests.production.standbys import OWNER, PASSWORD, Web, serving

pytestmark = [pytest.mark.long, needs_postgresql]

HANCHAN = int(os.environ.get("HANCHAN", "40"))
"""So many are exported; HANCHAN=400 for the long form."""

ROUNDS = 3

COMMANDS = """
import sys
import django
django.setup()
from io import StringIO
from django.core.management import call_command
for line in (["backup", sys.argv[1]], ["export_league", "camarade"], ["verify"], ["rebuild_standings"]):
    call_command(*line, stdout=StringIO())
"""
"""Of one moment, with cursors, with locks and with limits of their own."""


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Web]:
    program = find_pgbouncer()
    if program is None:
        pytest.skip("no pgbouncer, and no way to install it: apt-get install pgbouncer")
    folder = tmp_path_factory.mktemp("pooled")
    # Its processes are somebody else's.
    for each in (folder, *list(folder.parents)[:2]):
        each.chmod(0o755)
    with (
        new_database("postgresql", folder) as database,
        pooling(program, folder / "pooler", database) as pooled,
        serving(folder, pooled, HANCHAN, DATABASE_POOLED="on") as web,
    ):
        yield web


def test_eight_threads_share_three_connections(web: Web) -> None:
    """Pages, results, whole leagues as files and work in the background, all at once."""
    owner = web.visitor()
    owner.log_in(OWNER, PASSWORD)

    def reads() -> None:
        for page in ("/", "/l/camarade/", web.page, "/l/camarade/standings/all/state/", "/l/camarade/p/1/"):
            assert web.visitor().get(page).status == 200, page

    def exports() -> None:
        whole = visitor_like(owner).get("/l/camarade/manage/export/json/")
        assert sum(len(session["hanchan"]) for session in json.loads(whole.body)["sessions"]) >= HANCHAN
        lines = visitor_like(owner).get("/l/camarade/manage/export/file/?format=csv").body.count(b"\n")
        assert lines > 4 * HANCHAN

    def sends() -> None:
        assert web.visitor().send(web.table, web.result()).status == 200

    work: list[Callable[[], None]] = [reads, exports, sends, reads]
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(work[turn % len(work)]) for turn in range(len(work) * ROUNDS)]:
            done.result()
    assert_nothing_failed(web)


def test_commands_go_through_a_pooler(web: Web, tmp_path: object) -> None:
    line = [sys.executable, "-c", COMMANDS, f"{tmp_path}/backup.zip"]
    done = subprocess.run(line, cwd=ROOT, env=web.environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert_nothing_failed(web)


def visitor_like(other: Visitor) -> Visitor:
    """Return the same person on another connection."""
    visitor = Visitor(other.port, other.headers)
    visitor.cookies = dict(other.cookies)
    return visitor


def assert_nothing_failed(web: Web) -> None:
    """Whatever was done in the background went well, too."""
    assert [*web.lines("ERROR"), *web.lines("Traceback"), *web.lines("does not exist")] == []
    assert web.lines("league.refresh_standings")
