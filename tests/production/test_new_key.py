"""A site that gets a new key: nobody is logged out and no printed card dies while it believes the old one."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.deadlines import wait_until
from tests.processes import free_port, tied
from tests.production.browsing import Visitor

OLD, NEW = "the key of before is long enough to be one", "the key of today is long enough as well"

SETUP = """
from tests.league.factories import make_league, make_session, make_user
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link
league = make_league("keys", is_public=False)
make_user("aoki", league=league, role="owner")
print(code_of(issue_link(session=make_session(league), table=1, by=SYSTEM)))
"""


@contextmanager
def serving(folder: Path, port: int, **keys: str) -> Iterator[None]:
    """Run the web process with these keys until the end of the block."""
    with (folder / "web.log").open("ab") as log:
        line = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "2"]
        web = subprocess.Popen(tied(line), cwd=ROOT, env=settings_of(folder) | keys, stdout=log, stderr=log)
        try:
            is_up = partial(_is_up_or_over, web, Visitor(port, {}))
            assert wait_until(is_up, 120), (folder / "web.log").read_text()
            yield
        finally:
            web.terminate()
            web.wait(30)


def _is_up_or_over(web: subprocess.Popen[bytes], visitor: Visitor) -> bool:
    return web.poll() is not None or visitor.get("/healthz").status == 200


def settings_of(folder: Path) -> dict[str, str]:
    """Return the environment of a site on its own SQLite file, which takes its styles from where they lie."""
    named = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    return named | {"VAR_DIR": str(folder), "SECRET_KEY": OLD, "DEMO": "on"}


def manage(folder: Path, *words: str) -> str:
    line = [sys.executable, "manage.py", *words]
    done = subprocess.run(line, cwd=ROOT, env=settings_of(folder), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.merge
def test_a_new_key_ends_nothing_until_the_old_one_is_taken_out(tmp_path: Path) -> None:
    manage(tmp_path, "migrate", "--verbosity", "0")
    code = manage(tmp_path, "shell", "--verbosity", "0", "--command", SETUP).split()[-1]
    port = free_port()
    owner, away, stranger = (Visitor(port, {}) for _ in range(3))
    inside, table = "/l/keys/manage/", f"/e/{code}/"
    with serving(tmp_path, port):
        for each in (owner, away):
            each.log_in("aoki", "tenbo-test")
        assert (owner.get(inside).status, stranger.get(table).status) == (200, 200)
    with serving(tmp_path, port, SECRET_KEY=NEW, SECRET_KEY_FALLBACKS=OLD):
        assert (owner.get(inside).status, stranger.get(table).status) == (200, 200)
    with serving(tmp_path, port, SECRET_KEY=NEW):
        # Whoever came by while both keys were believed stays logged in; who did not, and the card of before, are out.
        assert (owner.get(inside).status, away.get(inside).status, stranger.get(table).status) == (200, 302, 404)
    assert code.split("-")[1] not in (tmp_path / "web.log").read_text()
