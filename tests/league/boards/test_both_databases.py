"""The core of the suite once more on SQLite, the engine of `make run`."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.budget import full_only
from tests.conftest import ROOT

FEWEST = 90
"""So many tests at least are meant to run on both; fewer would mean that the marks went missing."""


NOT_HERE = (": only PostgreSQL does this", ": only with BUDGET=full")
"""Why a test may be skipped."""


@full_only
def test_the_core_of_the_suite_holds_on_sqlite_too(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-m", "both_databases", "-q", "-rs", "-p", "no:cacheprovider", "tests"]
    # What is searched at random is searched for mistakes of ours, on PostgreSQL and in full; here the engine is tried.
    without_servers = {
        "BUDGET": "desk",
        "DATABASE_URL": f"sqlite:///{tmp_path / 'tenbo.sqlite3'}",
        "REDIS_URL": "",
        "VAR_DIR": str(tmp_path),
    }
    ended = subprocess.run(
        command, cwd=ROOT, env=os.environ | without_servers, capture_output=True, text=True, check=False, timeout=2400
    )
    assert ended.returncode == 0, ended.stdout[-4000:] + ended.stderr[-2000:]
    passed = re.search(r"(\d+) passed", ended.stdout)
    assert passed, ended.stdout
    assert int(passed[1]) >= FEWEST
    skipped = [line for line in ended.stdout.splitlines() if line.startswith("SKIPPED")]
    assert [line for line in skipped if not line.endswith(NOT_HERE)] == []
