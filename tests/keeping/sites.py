import os
import subprocess
import sys
from typing import Any, AnyStr

from tests.conftest import ROOT

BEGIN = """
import django
django.setup()
"""


def manage(database: str, *args: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return _run(database, environment, "manage.py", *args, text=True)


def managed(database: str, *args: object, **environment: str) -> str:
    return _output(manage(database, *args, **environment))


def piped(database: str, *args: str, given: bytes = b"") -> bytes:
    done: subprocess.CompletedProcess[bytes] = _run(database, {}, "manage.py", *args, input=given)
    return _output(done)


def told(database: str, script: str, *args: object) -> str:
    done: subprocess.CompletedProcess[str] = _run(database, {}, "-c", BEGIN + script, *args, text=True)
    return _output(done)


def _run(database: str, more: dict[str, str], *line: object, **how: Any) -> subprocess.CompletedProcess[Any]:
    settings = {"DATABASE_URL": database, "REDIS_URL": "", "DJANGO_SETTINGS_MODULE": "config.settings", "DEBUG": "on"}
    command = [sys.executable, *map(str, line)]
    return subprocess.run(command, cwd=ROOT, env=os.environ | settings | more, capture_output=True, check=False, **how)


def _output(done: subprocess.CompletedProcess[AnyStr]) -> AnyStr:
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
