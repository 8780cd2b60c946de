"""Migrates forwards, and is killed in the middle of one migration after the other; says how often in which."""

import itertools
import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, connections  # noqa: E402
from django.db.migrations import Migration  # noqa: E402
from django.db.migrations.executor import MigrationExecutor  # noqa: E402

OURS = frozenset({"accounts", "league", "stats", "tournaments"})

STRIDE = 5
"""Statements between two kills; an odd number, since they come in pairs: an index is dropped, then made."""


def die(*_: object) -> None:
    """End as a process does that is killed: at once, with nothing tidied up."""
    os.kill(os.getpid(), signal.SIGKILL)


def is_killed(when: Callable[[], object], *target: str) -> bool:
    """Return whether a process that migrates was killed, as `when` sees to in it. If it was not, it must end well."""
    if not (child := os.fork()):
        code = 1
        try:
            when()
            call_command("migrate", *target, verbosity=0)
            code = 0
        except Exception:  # noqa: BLE001 - whatever it was, the one who waits is told
            traceback.print_exc()
        finally:
            sys.stderr.flush()
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return True
    if os.waitstatus_to_exitcode(status):
        sys.exit("It cannot go on.")
    return False


def die_in(key: tuple[str, str], statements: int | None = None) -> None:
    """Be killed after so many statements of a migration, or after all of them, before anything is written down about it."""
    apply, counts = Migration.apply, itertools.count(1)

    def counting(execute: Callable[..., Any], *asked: Any) -> Any:
        answer = execute(*asked)
        if next(counts) == statements:
            die()
        return answer

    def applied(self: Any, *args: Any, **options: Any) -> Any:
        if (self.app_label, self.name) != key:
            return apply(self, *args, **options)
        with connection.execute_wrapper(counting):
            state = apply(self, *args, **options)
        return state if statements else die()

    Migration.apply = applied  # type: ignore[method-assign]


def kills_in(migration: Migration) -> int:
    """Migrate to this one, which is to come next; return how often that was killed before it was done.

    One that is a transaction is killed at its end, others after their first statement, then after a few more, and so on.
    """
    key, kills = (migration.app_label, migration.name), 0
    while not migration.atomic and is_killed(partial(die_in, key, kills * STRIDE + 1), *key):
        kills += 1
    return kills or int(is_killed(partial(die_in, key), *key))


def main() -> None:
    """Go forwards with as many kills as there are places to be killed in.

    Transactions are all alike: of those the last of each app is killed.
    """
    executor = MigrationExecutor(connection)
    leaves = executor.loader.graph.leaf_nodes()
    plan = [each for each, _ in executor.migration_plan(leaves) if each.app_label in OURS]
    connections.close_all()
    kills = {str(each): kills_in(each) for each in plan if not each.atomic or (each.app_label, each.name) in leaves}
    is_killed(lambda: None)
    sys.stdout.write(json.dumps(kills))


main()
