"""The headers of the league's templates name their variables' classes where these are."""

import re
from importlib import import_module
from pathlib import Path

from tests.conftest import ROOT

NAMED = re.compile(r"\b((?:core|forms|http|selectors|services|tables|views)(?:\.[a-z_]+)+)\.([A-Z]\w+)")


def test_every_class_that_a_header_names_exists() -> None:
    templates = Path(ROOT, "templates", "league")
    headers = {path: path.read_text("utf-8") for path in templates.rglob("*.html")}
    named = {(path.name, *found) for path, text in headers.items() for found in NAMED.findall(text)}
    assert named
    missing = [each for each in named if not hasattr(import_module(f"league.{each[1]}"), each[2])]
    assert not missing
