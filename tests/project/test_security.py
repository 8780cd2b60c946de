import ast
import re
from functools import cache

import pytest

from tests.conftest import ROOT

LEDGER = (ROOT / "docs/security.md").read_text("utf-8")
NAMED = sorted({*re.findall(r"`(tests/[\w/.]+(?:::\w+)?)`", LEDGER)})
ROWS = re.findall(r"^\| ([\d., –]+) \| (\d) \| ([^|]+) \| ([^|]+) \|$", LEDGER, re.MULTILINE)


@cache
def found_in(path: str) -> set[str]:
    tree = ast.parse((ROOT / path).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


@pytest.mark.parametrize("named", NAMED)
def test_tests_named_in_the_security_ledger_exist(named: str) -> None:
    path, _, name = named.partition("::")
    assert found_in(path)
    assert not name or name in found_in(path)


def test_security_ledger_is_complete() -> None:
    assert [int(number) for number in re.findall(r"^### V(\d+) ", LEDGER, re.MULTILINE)] == [*range(1, 18)]
    lines = [line for line in LEDGER.splitlines() if re.match(r"\| \d", line) and line.count("|") == 5]
    assert len(lines) == len(ROWS) > 120
    assert all(answer.strip() for *_others, answer in ROWS)


def test_inapplicable_requirements_have_a_reason() -> None:
    reasons = [answer for *_others, answer in ROWS if answer.startswith("n/a")]
    assert all(re.match(r"n/a( for Python;| until|:) ?\w", reason) for reason in reasons), reasons
