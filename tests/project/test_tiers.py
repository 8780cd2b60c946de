import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.costs import COSTS, SHARED, read

DUMPED = """
import json, pathlib, sys
import pytest

class Dump:
    def pytest_collection_finish(self, session):
        from tests.tiers import tier_of
        rows = [[item.nodeid, tier_of(item), "both_databases" in item.keywords] for item in session.items]
        pathlib.Path(sys.argv[1]).write_text(json.dumps(rows))

sys.exit(pytest.main(["--co", "-q", "-p", "no:cacheprovider", "tests"], plugins=[Dump()]))
"""


@pytest.mark.merge
def test_every_test_is_measured_in_the_tier_of_its_marks(tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    ended = subprocess.run([sys.executable, "-c", DUMPED, file], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-2000:]
    rows = json.loads(file.read_text("utf-8"))
    assert {(node.partition("[")[0], tier) for node, tier, _ in rows} == {
        (name, tier) for name, tier in read(COSTS.read_text("utf-8")) if not name.endswith(SHARED)
    }
    # Without the marks, SQLite would be tested less and no test would fail.
    assert sum(on_both for *_, on_both in rows) > 1_400
