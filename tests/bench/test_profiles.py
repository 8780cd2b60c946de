"""What a missed goal says for itself: measured, never a sentence that stands ready."""

import os
import subprocess
import sys

import pytest
from django.db import connection

from bench.profiles import BESIDES, database_server, family, grown, most_memory, seen, shared_out
from bench.race import Row
from bench.visiting import HELPERS, one_process
from tests.conftest import needs_postgresql

MISSED, MET = Row("work", "", "", 2.0, 1.0), Row("work", "", "", 1.0, 1.0)

BUSY = """
import sys, time
while time.process_time() < 0.3: pass
print("done", flush=True)
sys.stdin.read()
"""


def ask(rows: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM generate_series(1, {rows})")
        cursor.execute("SELECT 1")


def test_memory_is_what_the_work_held_and_not_what_was_held_before() -> None:
    assert len(b"x" * 120_000_000) == 120_000_000
    held: list[bytes] = []
    assert 50_000 < most_memory(lambda: held.append(b"y" * 60_000_000)) < 90_000
    assert 50_000 < most_memory(lambda: len(b"z" * 60_000_000)) < 90_000
    assert most_memory(lambda: None) < 20_000


@needs_postgresql
@pytest.mark.django_db
def test_a_missed_goal_names_the_statements_that_the_database_worked_for() -> None:
    head, dearest, *_ = shared_out(MISSED, lambda: ask(2_000_000)).why
    assert "% database in 2 statements, of " in head
    assert dearest.endswith("% 1 x SELECT count(*) FROM generate_series(?, ...)")
    assert shared_out(MET, lambda: ask(1)).why == ()


@needs_postgresql
@pytest.mark.django_db
def test_what_grows_is_told_of_the_youngest_and_of_the_oldest_league() -> None:
    row = grown(MISSED, {100: lambda: ask(1), 1_000: lambda: ask(1), 10_000: lambda: ask(3_000_000)})
    assert row.why[0].startswith("100 hanchan: ")
    assert row.why[1].startswith("10,000 hanchan: ")
    assert any(line.endswith(": SELECT count(*) FROM generate_series(?, ...)") for line in row.why)
    assert grown(MET, {}).why == ()


@needs_postgresql
@pytest.mark.django_db
def test_shares_add_up_to_the_whole() -> None:
    found = seen(lambda: ask(1_000_000))
    assert sum(found.each.values()) == pytest.approx(found.database)
    assert found.whole == pytest.approx(found.python + found.database)
    assert BESIDES in found.each


@needs_postgresql
@pytest.mark.django_db
def test_looking_while_the_database_works_alone_leaves_it_alone() -> None:
    def helpers() -> tuple[str, ...]:
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT {', '.join(f'current_setting({name!r})' for name in HELPERS)}")
            told: tuple[str, ...] = cursor.fetchone()
            return told

    usual = helpers()
    with one_process():
        seen(lambda: ask(1))
        assert helpers() == ("0", "0")
    assert helpers() == usual != ("0", "0")


@pytest.mark.long
def test_a_family_of_processes_has_what_its_children_took_and_those_that_are_gone() -> None:
    before = family(os.getpid())
    child = subprocess.Popen([sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stdout.readline() == b"done\n"
    while_it_lives = family(os.getpid())
    child.communicate()
    assert while_it_lives - before >= 0.25
    assert family(os.getpid()) - before >= 0.25


@needs_postgresql
@pytest.mark.django_db
def test_all_connections_are_of_the_family_of_the_database() -> None:
    before = family(database_server())
    ask(3_000_000)
    assert family(database_server()) - before >= 0.05
