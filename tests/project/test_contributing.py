"""CONTRIBUTING says where things are; pyproject enforces it. There is one truth."""

import re
import tomllib
from itertools import pairwise
from typing import Any

import pytest

from tests.conftest import ROOT

CONTRACTS: dict[str, dict[str, Any]] = {
    contract["name"]: contract
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
}
INSIDE = sorted(name for name in CONTRACTS if name.startswith("Inside the "))


def section() -> list[str]:
    """Return the lines of "Where things are", empty ones left out."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    return [line for line in text.split("## Where things are\n")[1].split("\n## ")[0].splitlines() if line.strip()]


def said() -> tuple[list[set[str]], list[set[str]]]:
    """Return the arrows that CONTRIBUTING draws: the apps, and the layers inside each of them."""
    lines = section()
    fence = lines.index("```")
    apps, *layers = lines[fence + 1 : lines.index("```", fence + 1)]
    return layers_of(apps.split(">")), layers_of(" ".join(layers).strip("> ").split(">"))


def layers_of(lines: list[str]) -> list[set[str]]:
    """Return layers with the modules that share each; brackets around optional ones are dropped."""
    return [set(re.findall(r"\w+", line)) for line in lines]


def test_where_things_are_takes_ten_lines() -> None:
    assert len(section()) <= 10


def test_apps_stand_as_the_contract_says() -> None:
    apps, _ = said()
    assert apps == layers_of(CONTRACTS["Packages look downwards only"]["layers"])


@pytest.mark.parametrize("contract", INSIDE)
def test_layers_stand_as_the_contract_says(contract: str) -> None:
    _, layers = said()
    height = {name: -level for level, names in enumerate(layers) for name in names}
    enforced = layers_of(CONTRACTS[contract]["layers"])
    assert {name for names in enforced for name in names} <= set(height)
    levels = [{height[name] for name in names} for names in enforced]
    assert all(min(upper) > max(lower) for upper, lower in pairwise(levels))


def test_every_layer_that_is_named_is_enforced_somewhere() -> None:
    _, layers = said()
    enforced = {name for contract in INSIDE for names in layers_of(CONTRACTS[contract]["layers"]) for name in names}
    assert {name for names in layers for name in names} == enforced
