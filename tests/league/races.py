import threading
from collections.abc import Callable
from typing import Any

from django.db import connection, connections

PATIENCE = 30
"""Seconds before the threads time out."""


def at_once(*works: Callable[[], object]) -> list[Any]:
    """Run all functions at the same time; return what each returned or raised."""
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
    with connection.cursor() as cursor:
        # Inside a transaction, pg_stat_activity would repeat its first answer.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        # Other tests may run in parallel, in other databases.
        cursor.execute(
            "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
        )
        return bool(cursor.fetchone()[0])
