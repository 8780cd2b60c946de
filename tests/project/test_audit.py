import json

import pytest

from tests.audit import UNASKED, verdict

SAFE = {"name": "django", "version": "5.2.19", "vulns": []}
HOLE = {"name": "pillow", "version": "12.0.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["12.0.1"]}]}
OPEN = {"name": "gunicorn", "version": "27.0.0", "vulns": [{"id": "PYSEC-2", "fix_versions": []}]}
UNKNOWN = {"name": "segno", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("told", "status", "said"),
    [
        pytest.param("", 0, UNASKED, id="nobody answered"),
        pytest.param("<html>proxy</html>", 0, UNASKED, id="somebody else answered"),
        pytest.param([UNKNOWN], 0, UNASKED, id="the service knows nothing"),
        pytest.param([SAFE], 0, "1 libraries, none known to be vulnerable.", id="all is well"),
        pytest.param([SAFE, UNKNOWN], 0, "Not known to the service, so not checked: segno.", id="one unknown"),
        pytest.param([SAFE, HOLE], 1, "pillow 12.0.0: PYSEC-1, mended in 12.0.1.", id="a hole that was mended"),
        pytest.param([OPEN], 1, "gunicorn 27.0.0: PYSEC-2, mended in no release yet.", id="a hole that is open"),
    ],
)
def test_audit_fails_only_for_known_vulnerabilities(told: object, status: int, said: str) -> None:
    text = told if isinstance(told, str) else json.dumps({"dependencies": told, "fixes": []})
    assert verdict(text) == (status, [said])
