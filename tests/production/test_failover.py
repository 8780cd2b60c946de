"""A standby that was promoted takes over by an address that names both servers; libpq finds the one that can be written."""

import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.conftest import needs_postgresql
from tests.deadlines import wait_until
from tests.production.standbys import Web, own_pair, serving

pytestmark = [pytest.mark.long, needs_postgresql]

BACK_WITHIN = 30.0
"""Seconds after a promotion."""


@dataclass
class Phone(threading.Thread):
    """Sends results, each again until it is acknowledged."""

    web: Web
    is_over: threading.Event
    acknowledged: dict[str, float]

    def __post_init__(self) -> None:
        super().__init__()

    def __hash__(self) -> int:
        return id(self)

    def run(self) -> None:
        while not self.is_over.is_set():
            result, table = self.web.result(), self.web.table
            while True:
                answer = self.web.visitor().send(table, result)
                if answer.status == 200:
                    break
                assert answer.status in {0, 503}, answer
                time.sleep(0.5)
            self.acknowledged[result["client_key"]] = time.monotonic()
            time.sleep(0.3)


def test_a_promoted_standby_takes_over_while_results_are_sent(tmp_path: Path) -> None:
    acknowledged: dict[str, float] = {}
    is_over = threading.Event()
    with own_pair() as pair, serving(tmp_path, pair.both) as web:
        pair.ask(0, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        pair.ask(0, "SELECT pg_reload_conf()")
        assert wait_until(lambda: pair.ask(0, "SELECT sync_state FROM pg_stat_replication") == "sync")
        phones = [Phone(web, is_over, acknowledged) for _ in range(3)]
        for phone in phones:
            phone.start()
        try:
            assert wait_until(lambda: len(acknowledged) >= 10)
            pair.kill(pair.primary)
            gone = time.monotonic()
            answer = web.visitor().get("/l/camarade/")
            assert (answer.status, int(answer.headers["retry-after"]) > 0) == (503, True)
            pair.ask(1, "SELECT pg_promote()")
            promoted = time.monotonic()
            assert wait_until(lambda: sum(at > promoted for at in acknowledged.values()) >= 10, 2 * BACK_WITHIN)
        finally:
            is_over.set()
            for phone in phones:
                phone.join()
        assert min(at for at in acknowledged.values() if at > gone) - promoted < BACK_WITHIN
        keys = "', '".join(acknowledged)
        stored = f"SELECT COUNT(*) FROM league_hanchan WHERE client_key IN ('{keys}')"
        assert pair.ask(1, stored) == len(acknowledged), "one that was acknowledged is lost, or counts twice"
        assert web.visitor().get("/l/camarade/").status == 200
