"""Several pieces of work in the same moment, each with a database connection of its own."""

import threading
from collections.abc import Callable
from typing import Any

from django.db import connection, connections

PATIENCE = 30
"""Seconds for which they may wait for each other."""


def at_once(*works: Callable[[], object]) -> list[Any]:
    """Return what each piece of work returned or raised, all begun at the same moment."""
    barrier = threading.Barrier(len(works))
    outcomes: list[object] = [None] * len(works)

    def run(number: int, work: Callable[[], object]) -> None:
        try:
            barrier.wait(10)
            outcomes[number] = work()
        except Exception as error:  # noqa: BLE001
            outcomes[number] = error
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(works)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    return outcomes


def somebody_waits_for_a_lock() -> bool:
    """Return whether anybody waits for a row that another transaction holds, on PostgreSQL."""
    with connection.cursor() as cursor:
        # Inside a transaction the first answer would be given for ever.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        # Other tests may run in parallel, in other databases.
        cursor.execute(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return bool(cursor.fetchone()[0])
