import re
import subprocess
from pathlib import Path

import pytest

from tests.browsers import find_node
from tests.conftest import ROOT

FOLDER = Path(__file__).parent


@pytest.mark.long
def test_scripts_decide_what_they_should() -> None:
    node = find_node()
    assert node, "No Node; run: python -m tests.tools"
    files = sorted(str(path) for path in FOLDER.glob("*.test.mjs"))
    run = subprocess.run(
        [node, "--test", "--test-reporter=tap", *files], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
    counts = dict(re.findall(r"^# (\w+) (\d+)$", run.stdout, re.MULTILINE))
    assert int(counts["pass"]) == int(counts["tests"]) > len(files), run.stdout
