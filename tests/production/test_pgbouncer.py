import getpass
import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.browsers import install
from tests.conftest import needs_postgresql
from tests.deadlines import wait_until
from tests.processes import end, free_port, listens, server_account, spawn
from tests.production.databases import new_database
from tests.production.places import OWNER, PASSWORD, Place, serving

pytestmark = [pytest.mark.long, needs_postgresql]

HANCHAN = int(os.environ.get("HANCHAN", "40"))
"""Number of hanchan to export; HANCHAN=400 for the long run."""

ROUNDS = 3

SERVER_CONNECTIONS = 3
"""Fewer connections than threads, so that threads share them."""


def find_pgbouncer() -> str | None:
    """Return pgbouncer's path, installing it if missing; Debian puts it on root's PATH only."""
    path = "/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"
    return (
        shutil.which("pgbouncer", path=path) or (install("pgbouncer") and shutil.which("pgbouncer", path=path)) or None
    )


@contextmanager
def pooling(program: str, folder: Path, database: str) -> Iterator[str]:
    server, port = urlsplit(database), free_port()
    account = server_account()
    folder.mkdir()
    (folder / "users.txt").write_text(f'"{server.username}" ""\n', "utf-8")
    (folder / "pgbouncer.ini").write_text(
        f"""
[databases]
* = host={server.hostname} port={server.port} user={server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
auth_file = {folder / "users.txt"}
pool_mode = transaction
default_pool_size = {SERVER_CONNECTIONS}
max_client_conn = 100
""",
        "utf-8",
    )
    for path in (folder, *folder.iterdir()):
        path.chmod(0o755)
    user = account.pw_name if account else getpass.getuser()
    process = spawn([program, "-u", user, folder / "pgbouncer.ini"], folder / "log", signal.SIGINT)
    try:
        assert wait_until(lambda: listens(port)), (folder / "log").read_text("utf-8")
        yield f"postgresql://{server.username}@127.0.0.1:{port}{server.path}"
    finally:
        end(process, signal.SIGINT)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    program = find_pgbouncer()
    if program is None:
        pytest.skip("no pgbouncer, and no way to install it: apt-get install pgbouncer")
    folder = tmp_path_factory.mktemp("pooled")
    # It runs as another user.
    for each in (folder, *list(folder.parents)[:2]):
        each.chmod(0o755)
    with (
        new_database("postgresql", folder) as database,
        pooling(program, folder / "pooler", database) as pooled,
        serving(folder, pooled, "", HANCHAN, DATABASE_POOLED="on") as place,
    ):
        yield place


def test_requests_share_pooled_connections(place: Place) -> None:
    owner = place.site.visitor(OWNER, PASSWORD)

    def reads() -> None:
        for page in ("/", "/l/camarade/", place.page, "/l/camarade/standings/all/state/", "/l/camarade/p/1/"):
            assert place.site.visitor().get(page).status == 200, page

    def exports() -> None:
        whole = owner.get("/l/camarade/manage/export/json/")
        assert sum(len(session["hanchan"]) for session in json.loads(whole.body)["sessions"]) >= HANCHAN
        assert owner.get("/l/camarade/manage/export/file/?format=csv").body.count(b"\n") > 4 * HANCHAN

    def sends() -> None:
        assert place.site.visitor().send(*place.result()).status == 200

    work: list[Callable[[], None]] = [reads, exports, sends, reads]
    with ThreadPoolExecutor(8) as pool:
        for done in [pool.submit(work[turn % len(work)]) for turn in range(len(work) * ROUNDS)]:
            done.result()
    assert_nothing_failed(place)
    assert place.lines("league.refresh_standings")


def test_commands_work_through_a_pooler(place: Place, tmp_path: Path) -> None:
    for line in (
        ["backup", f"{tmp_path}/backup.zip"],
        ["export_league", "camarade"],
        ["verify"],
        ["rebuild_standings"],
    ):
        place.site.manage(*line)
    assert_nothing_failed(place)


def assert_nothing_failed(place: Place) -> None:
    assert place.lines("ERROR", "Traceback", "does not exist") == []
