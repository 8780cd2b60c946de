"""The servers of the tests are real, and leave nothing behind."""

import json
import os
import socket
import subprocess
import sys

import pytest
from django.db import connection
from redis import Redis

from tests.conftest import ROOT, wait_until


@pytest.mark.django_db
def test_database_is_a_real_postgresql() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT version()")
        assert cursor.fetchone()[0].startswith("PostgreSQL")


def test_broker_is_a_real_redis() -> None:
    with Redis.from_url(os.environ["REDIS_URL"]) as broker:
        broker.set("a key of the tests", "点棒", ex=60)
        assert broker.get("a key of the tests") == "点棒".encode()


def listens(port: int) -> bool:
    """Return whether anybody does on this loopback port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


BRING_UP = """
import json, os, sys, time
from urllib.parse import urlsplit
import psycopg
from tests import services
services.start()
with psycopg.connect(os.environ["DATABASE_URL"]) as database:
    version = database.execute("SHOW server_version").fetchone()[0]
print(json.dumps([version, *(urlsplit(os.environ[name]).port for name in ("DATABASE_URL", "REDIS_URL"))]), flush=True)
time.sleep(60)
"""


def test_wheels_stand_in_for_missing_servers_and_a_killed_run_leaves_none() -> None:
    environment = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    with subprocess.Popen(
        [sys.executable, "-c", BRING_UP], cwd=ROOT, env=environment | {"SERVICES": "wheel"}, stdout=subprocess.PIPE
    ) as run:
        assert run.stdout
        version, *ports = json.loads(run.stdout.readline())
        assert version.startswith("17.")
        assert all(listens(port) for port in ports)
        run.kill()
    assert wait_until(lambda: not any(listens(port) for port in ports))
