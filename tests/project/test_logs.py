import io
import logging
import logging.config
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from config.logs import QuietFormatter
from tests.conftest import ROOT
from tests.processes import free_port, tied

CODE = "1f-abcdefghijklmnopqrstuvwxyz"


SECRET = CODE.partition("-")[2]


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (f"/e/{CODE}/", "/e/…/"),
        (f"/en/e/{CODE}/done/12/?x=1", "/en/e/…/done/12/?x=1"),
        (f"https://tenbo.example/e/{CODE}", "https://tenbo.example/e/…"),
        (f"/en/live/{SECRET}/all.csv", "/en/live/…/all.csv"),
        *((f"/en/{place}/12{CODE}/", f"/en/{place}/…/") for place in ("register", "registration", "check-in")),
        *((f"/en/{place}/{SECRET}/", f"/en/{place}/…/") for place in ("a", "join")),
        ("/l/e/", "/l/e/"),
    ],
)
def test_logged_paths_hide_secret_codes(path: str, shown: str) -> None:
    record = logging.LogRecord("django.request", logging.WARNING, __file__, 1, "Not Found: %s", (path,), None)
    assert QuietFormatter("%(message)s").format(record) == f"Not Found: {shown}"


def test_logged_tracebacks_hide_secret_codes() -> None:
    message = f"no table at /e/{CODE}/"
    try:
        raise LookupError(message)
    except LookupError:
        record = logging.LogRecord("django", logging.ERROR, __file__, 1, "failed", (), sys.exc_info())
    assert CODE not in QuietFormatter("%(message)s").format(record)


@pytest.mark.django_db
def test_django_logs_hide_secret_codes() -> None:
    logging.config.dictConfig(settings.LOGGING)
    for name in ("django", "django.server"):
        log = logging.getLogger(name)
        assert log.handlers
        assert all(isinstance(handler.formatter, QuietFormatter) for handler in log.handlers)
    written = io.StringIO()
    (handler,) = logging.getLogger("django").handlers
    assert isinstance(handler, logging.StreamHandler)
    before = handler.setStream(written)
    Client().get(f"/nowhere/e/{CODE}/")
    handler.setStream(before)
    assert "Not Found: /nowhere/e/…" in written.getvalue()


@pytest.mark.long
def test_server_logs_hide_secret_codes(tmp_path: Path) -> None:
    port = free_port()
    server = ["gunicorn", "--bind", f"127.0.0.1:{port}", "--access-logfile", "-", "--logger-class"]
    application = "--pythonpath", str(tmp_path), "config.logs.QuietLogger", "echo:application"
    (tmp_path / "echo.py").write_text("def application(_, start):\n    start('404 Gone', [])\n    return []\n")
    command = tied([sys.executable, "-m", *server, application[2], *application[:2], application[3]])
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as run:
        address = f"http://127.0.0.1:{port}/e/{CODE}/"
        _until_answered(urllib.request.Request(address, headers={"Referer": address}))
        run.terminate()
        assert run.stdout
        log = run.stdout.read()
    assert "GET /e/…/" in log
    assert CODE not in log


def _until_answered(asked: urllib.request.Request) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(asked, timeout=5)
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
