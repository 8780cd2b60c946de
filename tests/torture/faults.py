import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from random import Random

import psycopg
from redis import RedisError

from tests.deadlines import wait_until
from tests.production.parts import send
from tests.torture.altered import BEFORE_ACK, IN_TASK
from tests.torture.stack import Stack

HANGS = (2.0, 6.0)
"""Seconds for which a part is frozen, or a disk is full."""

DIES_WITHIN = 20.0
"""Seconds after which a worker that should die at its next task has found none."""

REFRESH, JOB = "league.refresh_standings", "league.run_job"

Act = Callable[[Stack, Random], int]


def _kill_worker_of(part: str, stack: Stack, dice: Random) -> int:
    workers = stack.parts[part].workers()
    return send(signal.SIGKILL, [dice.choice(workers)]) if workers else 0


def _kill_top_of(part: str, stack: Stack, dice: Random) -> int:
    """Kill the parent process only; its children notice, or are left behind."""
    return send(signal.SIGKILL, stack.parts[part].processes()[:1])


def _kill_all_of(part: str, stack: Stack, dice: Random) -> int:
    return int(send(signal.SIGKILL, stack.parts[part].processes()) > 0)


def _dies_in_task(task: str, stack: Stack, dice: Random) -> int:
    return _taken(stack, stack.flag(IN_TASK.format(task), str(dice.randrange(1, 25))))


def _dies_before_ack(task: str, stack: Stack, dice: Random) -> int:
    return _taken(stack, stack.flag(BEFORE_ACK.format(task)))


def _taken(stack: Stack, flag: Path) -> int:
    if wait_until(lambda: not flag.exists(), DIES_WITHIN):
        return 1
    with suppress(FileNotFoundError):
        flag.unlink()
        return 0
    return 1


def _kill_backend(stack: Stack, dice: Random) -> int:
    """Kill one backend of the site; PostgreSQL then ends all of them and recovers."""
    with suppress(psycopg.Error), psycopg.connect(stack.environment["DATABASE_URL"], connect_timeout=5) as connection:
        found = connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
        ).fetchall()
        if found:
            return send(signal.SIGKILL, [dice.choice(found)[0]])
    return 0


def _stop_database(stack: Stack, dice: Random) -> int:
    """Stop PostgreSQL like `pg_ctl stop -m immediate`; it recovers from its log."""
    part = stack.parts["database"]
    reached = send(signal.SIGQUIT, part.processes()[:1])
    part.reap()
    return reached


def _hang(part: str, stack: Stack, dice: Random) -> int:
    with stack.parts[part].frozen():
        time.sleep(dice.uniform(*HANGS))
    return 1


def _fill_redis(stack: Stack, dice: Random) -> int:
    changed = {"maxmemory-policy": "noeviction", "maxmemory": "1"}
    with suppress(RedisError), stack.redis() as redis:
        were = {name: redis.config_get(name)[name] for name in changed}
        for name, value in changed.items():
            redis.config_set(name, value)
        time.sleep(dice.uniform(*HANGS))
        for name, value in reversed(were.items()):
            redis.config_set(name, value)
        return 1
    return 0


def _redis_reads_only(stack: Stack, dice: Random) -> int:
    """Make Redis a replica of a missing server: it answers, but refuses writes."""
    with suppress(RedisError), stack.redis() as redis:
        redis.replicaof("127.0.0.1", 1)
        time.sleep(dice.uniform(*HANGS))
        redis.replicaof("no", "one")
        return 1
    return 0


def _fill_disk(stack: Stack, dice: Random) -> int:
    disk = stack.folder / "database"
    if not os.path.ismount(disk):
        sys.exit("The disk cannot be filled: this account may not mount one")
    ballast = disk / "ballast"
    deadline = time.monotonic() + dice.uniform(*HANGS)
    try:
        with ballast.open("wb", buffering=0) as file:
            while time.monotonic() < deadline:
                with suppress(OSError):
                    file.write(b"\0" * 4096 * 16)
                if os.statvfs(disk).f_bavail == 0:
                    time.sleep(0.05)
    finally:
        ballast.unlink()
    return 1


def _use_up_connections(stack: Stack, dice: Random) -> int:
    """Take every PostgreSQL connection, including the site's, and release them."""
    url, deadline = stack.environment["DATABASE_URL"], time.monotonic() + dice.uniform(*HANGS)
    with ExitStack() as taken:
        first = psycopg.connect(url, autocommit=True, connect_timeout=5)
        taken.callback(first.close)
        mine = [first.info.backend_pid]
        while time.monotonic() < deadline:
            try:
                more = psycopg.connect(url, connect_timeout=5)
            except psycopg.OperationalError:
                question = (
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend'"
                )
                first.execute(f"{question} AND NOT pid = ANY(%s)", [mine])
                continue
            taken.callback(more.close)
            mine.append(more.info.backend_pid)
    return 1


def _lose_marks_with_broker(stack: Stack, dice: Random) -> int:
    """Kill Redis and delete the marks of stale boards.

    This simulates marks stored with the messages instead of the facts.
    """
    with stack.parts["broker"].gone():
        deadline = time.monotonic() + 4
        while time.monotonic() < deadline:
            with suppress(psycopg.Error), psycopg.connect(stack.environment["DATABASE_URL"], connect_timeout=5) as line:
                line.execute("DELETE FROM league_staleperiod")
            time.sleep(0.02)
    return 1


KILLS: dict[str, Act] = {
    "kill web worker": partial(_kill_worker_of, "web"),
    "kill web master": partial(_kill_top_of, "web"),
    "kill board worker in task": partial(_dies_in_task, REFRESH),
    "kill board worker before ack": partial(_dies_before_ack, REFRESH),
    "kill job worker in task": partial(_dies_in_task, JOB),
    "kill job worker before ack": partial(_dies_before_ack, JOB),
    "kill task workers": lambda stack, dice: _kill_all_of(dice.choice(("worker", "jobs")), stack, dice),
    "kill task worker's master": lambda stack, dice: _kill_top_of(dice.choice(("worker", "jobs")), stack, dice),
    "kill beat": partial(_kill_all_of, "beat"),
    "kill Redis": partial(_kill_all_of, "broker"),
    "kill database backend": _kill_backend,
    "stop database at once": _stop_database,
    "kill database master": partial(_kill_top_of, "database"),
}
HANGING: dict[str, Act] = {f"hang {part}": partial(_hang, part) for part in ("web", "broker", "database")}
OTHERS: dict[str, Act] = {
    "Redis full": _fill_redis,
    "Redis read-only": _redis_reads_only,
    "disk full": _fill_disk,
    "connections used up": _use_up_connections,
    "marks lost with Redis": _lose_marks_with_broker,
}
ON_SQLITE: dict[str, Act] = {
    "kill web worker (SQLite)": partial(_kill_worker_of, "web"),
    "kill everything (SQLite)": partial(_kill_all_of, "web"),
    "hang web (SQLite)": partial(_hang, "web"),
}

FAULTS = KILLS | HANGING | OTHERS | ON_SQLITE
