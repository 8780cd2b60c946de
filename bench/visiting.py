"""A visitor of the site within this process: the whole middleware, nothing on top, and what an answer cost."""

import io
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections, connection, transaction
from django.test.utils import CaptureQueriesContext


@dataclass(frozen=True)
class Answer:
    """What an address answered."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@cache
def _application() -> WSGIHandler:
    return get_wsgi_application()


def get(address: str, *, cookie: str = "", **headers: str) -> Answer:
    """Return what an address answers; `headers` as WSGI names them, such as HTTP_IF_NONE_MATCH."""
    path, _, query = address.partition("?")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": path,
        "QUERY_STRING": query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": "127.0.0.1",
        "HTTP_COOKIE": cookie,
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": io.StringIO(),
        **headers,
    }
    told: list[Any] = []

    def start(status: str, headers: list[tuple[str, str]], *_: object) -> Callable[[bytes], object]:
        told.extend((status, headers))
        return told.append

    answer = _application()(environ, start)
    body = b"".join(answer)
    getattr(answer, "close", lambda: None)()
    return Answer(int(told[0].split()[0]), {name.lower(): value for name, value in told[1]}, body)


def page(address: str) -> Answer:
    """Return a page. Raises RuntimeError unless there is one."""
    answer = get(address)
    if answer.status != 200:
        message = f"{address} answered {answer.status}"
        raise RuntimeError(message)
    return answer


def queries(work: Callable[[], object]) -> int:
    """Return how many questions a piece of work asks the database."""
    return len(statements(work))


def statements(work: Callable[[], object]) -> list[str]:
    """Return the questions that a piece of work asks the database, one after the other."""
    with CaptureQueriesContext(connection) as captured:
        work()
    return [alike(query["sql"]) for query in captured.captured_queries]


def cpu() -> float:
    """Return the seconds of CPU so far of this process and of the one in the database that works for it."""
    return time.process_time() + seconds_of(backend())


def backend() -> Path:
    """Return the process in the database that works for this one, as the kernel tells of it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return Path("/proc") / str(cursor.fetchone()[0])


def seconds_of(process: Path) -> float:
    """Return the seconds of CPU that a process of one thread has taken."""
    try:
        return int((process / "schedstat").read_text("utf-8").split()[0]) / 1e9
    except OSError:
        # A kernel without these figures counts ticks, of which a hundred are a second.
        fields = (process / "stat").read_text("utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


HELPERS = ("max_parallel_workers_per_gather", "max_parallel_maintenance_workers")
"""How many processes PostgreSQL may have help with a statement."""


@contextmanager
def one_process() -> Iterator[None]:
    """Have the database do everything in the process whose CPU is read, and keep that one."""
    connection.ensure_connection()
    connection.close_at = None
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {', '.join(f'current_setting({name!r})' for name in HELPERS)}")
        before = cursor.fetchone()
        cursor.execute("; ".join(f"SET {name} = 0" for name in HELPERS))
        try:
            yield
        finally:
            # As it was: this may be within another one.
            cursor.execute("; ".join(f"SET {name} = {value}" for name, value in zip(HELPERS, before, strict=True)))


MANY = re.compile(r"\(%s(?:, %s)+\)")

ROWS_TOUCHED = """
    SELECT SUM(pg_stat_get_xact_tuples_returned(oid) + pg_stat_get_xact_tuples_inserted(oid)
               + pg_stat_get_xact_tuples_updated(oid) + pg_stat_get_xact_tuples_deleted(oid))
    FROM pg_class WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace
"""


@contextmanager
def _connection_kept() -> Iterator[None]:
    """Let requests begin and end without giving up a connection that is in the middle of a transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        yield
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


def rows_touched(work: Callable[[], object]) -> Counter[str]:
    """Return how many rows and index entries the database reads or writes for each statement of a piece of work, exactly.

    Meanwhile the database takes the way with the fewest rows, wherever they lie: finding a page is said to cost nothing,
    and no table is read from end to end, as it would be while it is small.
    """
    touched: Counter[str] = Counter()
    with _connection_kept(), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off; SET LOCAL random_page_cost = 0; SET LOCAL seq_page_cost = 0")

        def now() -> int:
            # Not through Django's cursor, which is being watched.
            told = cursor.connection.execute(ROWS_TOUCHED).fetchone()
            return int(told[0])

        begun = now()

        def watch(execute: Callable[..., object], sql: str, params: object, many: object, context: object) -> object:
            before = now()
            try:
                return execute(sql, params, many, context)
            finally:
                touched[alike(sql)] += now() - before

        with connection.execute_wrapper(watch):
            work()
        touched["streams and COPY"] += now() - begun - touched.total()
    return touched


def alike(sql: str) -> str:
    """Return a statement in one line, lists of any length alike."""
    return MANY.sub("(%s, ...)", " ".join(sql.split()))
