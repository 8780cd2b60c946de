import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

CORES = ["scoring.core", "league.core", "stats.core", "accounts.core", "tournaments.core"]
"""Core packages from the lowest up; each may import those before it."""


def imported(source: str, package: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield (node.module or "") if not node.level else f"{package}.{node.module or ''}"


def strangers(core: str, source: str) -> set[str]:
    """Return imports of a core module beyond the standard library and lower cores."""
    allowed = CORES[: CORES.index(core) + 1]
    return {
        module
        for module in imported(source, core)
        if module.partition(".")[0] not in sys.stdlib_module_names
        and not any(module == own or module.startswith(f"{own}.") for own in allowed)
    }


@pytest.mark.parametrize("core", CORES)
def test_core_is_plain_python(core: str) -> None:
    files = sorted(Path(ROOT, *core.split(".")).rglob("*.py"))
    assert files
    for file in files:
        assert strangers(core, file.read_text("utf-8")) == set(), file


def test_scoring_runs_without_third_party_packages() -> None:
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import scoring.__main__",
    ]
    subprocess.run(command, check=True, capture_output=True)


PAGES_THAT_IMPORT_PAGES: dict[str, list[str]] = {}
"""Known exceptions; lines may only be removed."""


def test_import_contracts_cover_all_views_without_exceptions() -> None:
    settings = tomllib.loads(Path(ROOT, "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    contracts = {contract["name"]: contract for contract in settings["contracts"]}
    kept = [contract for contract in contracts.values() if contract["type"] == "independence"]
    guarded = {module for contract in kept for module in contract["modules"]}
    packages = {
        file.parent
        for app in ("accounts", "league", "stats", "tournaments")
        for file in Path(ROOT, app, "views").rglob("*.py")
    }
    assert guarded == {".".join((*folder.relative_to(ROOT).parts, "*")) for folder in packages}
    assert contracts["Other apps do not know the league's pages"]["forbidden_modules"] == ["league.views"]
    excused = {name: contract["ignore_imports"] for name, contract in contracts.items() if "ignore_imports" in contract}
    assert excused == PAGES_THAT_IMPORT_PAGES
