import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import psycopg
import pytest

from tests.conftest import needs_postgresql
from tests.deadlines import wait_until
from tests.postgresql import TEMPLATE, address, prepare, reachable_binaries, serve
from tests.processes import free_port, run, server_account
from tests.production.parts import Part
from tests.production.places import Place, Result, serving
from tests.production.servers import open_folder

pytestmark = [pytest.mark.long, needs_postgresql]

BACK_WITHIN = 30.0
"""Maximum seconds without answers after a promotion."""


@contextmanager
def own_pair(folder: Path, ports: tuple[int, int]) -> Iterator[Part]:
    homes = folder / "primary", folder / "standby"
    primary, standby = (
        Part(home.name, partial(serve, home, port), signal.SIGINT) for home, port in zip(homes, ports, strict=True)
    )
    prepare(homes[0], ports[0])
    primary.start()
    # More WAL than usual test servers write.
    ask(ports[0], f"ALTER DATABASE {TEMPLATE} SET synchronous_commit = on")
    homes[1].mkdir()
    account = server_account()
    if account:
        os.chown(homes[1], account.pw_uid, account.pw_gid)
    program = reachable_binaries(homes[0]) / "pg_basebackup"
    how = ["-R", "-X", "stream", "-c", "fast", "-C", "-S", "standby"]
    run([program, "-d", address(ports[0]), "-D", homes[1] / "data", *how], account=account)
    standby.start()
    try:
        yield primary
    finally:
        for part in (primary, standby):
            part.stop()


def ask(port: int, question: str) -> object:
    with psycopg.connect(address(port, TEMPLATE), autocommit=True) as database:
        answer = database.execute(question.encode())
        row = answer.fetchone() if answer.description else None
    return row[0] if row else None


def send(place: Place, is_over: threading.Event, acknowledged: list[tuple[Result, float]]) -> None:
    while not is_over.is_set():
        result = place.result()
        while (answer := place.site.visitor().send(*result)).status != 200:
            assert answer.status in {0, 503}, answer
            time.sleep(0.5)
        acknowledged.append((result, time.monotonic()))
        time.sleep(0.3)


def test_promoted_standby_takes_over_without_losing_results(tmp_path: Path) -> None:
    acknowledged: list[tuple[Result, float]] = []
    is_over, ports = threading.Event(), (free_port(), free_port())
    both = f"postgresql://tenbo@127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}/{TEMPLATE}"
    with (
        open_folder("tenbo-standby-") as folder,
        own_pair(folder, ports) as primary,
        serving(tmp_path, both, os.environ["REDIS_URL"]) as place,
        ThreadPoolExecutor(3) as pool,
    ):
        ask(ports[0], "ALTER SYSTEM SET synchronous_standby_names = '*'")
        ask(ports[0], "SELECT pg_reload_conf()")
        assert wait_until(lambda: ask(ports[0], "SELECT sync_state FROM pg_stat_replication") == "sync")
        phones = [pool.submit(send, place, is_over, acknowledged) for _ in range(3)]
        try:
            assert wait_until(lambda: len(acknowledged) >= 10)
            primary.stop(signal.SIGKILL)
            gone = time.monotonic()
            answer = place.site.visitor().get("/l/camarade/")
            assert (answer.status, int(answer.headers["retry-after"]) > 0) == (503, True)
            ask(ports[1], "SELECT pg_promote()")
            promoted = time.monotonic()
            assert wait_until(lambda: sum(at > promoted for _, at in acknowledged) >= 10, 2 * BACK_WITHIN)
        finally:
            is_over.set()
        for phone in phones:
            phone.result()
        assert min(at for _, at in acknowledged if at > gone) - promoted < BACK_WITHIN
        keys = ", ".join(f"'{fields['client_key']}'" for (_, fields), _ in acknowledged)
        stored = ask(ports[1], f"SELECT COUNT(*) FROM league_hanchan WHERE client_key IN ({keys})")
        assert stored == len(acknowledged), "one that was acknowledged is lost, or counts twice"
        assert place.site.visitor().get("/l/camarade/").status == 200
