"""The database of every version there was comes forward: nothing that its export said is lost, and all of it follows."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.budget import varied
from tests.keeping.sites import exports, managed
from tests.production.databases import ENGINES, new_database

SITES = sorted(Path(__file__).parent.glob("*.zip"))


def lost(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield what an older file said and a newer one says no more, or otherwise; a newer one may say more."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key, value in before.items():
            if key in after:
                yield from lost(value, after[key], f"{path}/{key}")
            else:
                yield f"{path}/{key} is gone"
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from lost(one, other, f"{path}/{number}")
    elif before != after:
        yield f"{path}: {before!r} is {after!r}"


@pytest.mark.parametrize("site", SITES, ids=lambda path: path.stem)
@varied("engine", ENGINES)
def test_a_site_of_an_earlier_version_comes_forward(site: Path, engine: str, tmp_path: Path) -> None:
    said = json.loads(gzip.decompress(site.with_suffix(".json.gz").read_bytes()))
    with new_database(engine, tmp_path) as database:
        managed(database, "restore", site)
        assert "[ ]" not in managed(database, "showmigrations")
        says = exports(database)
        told = managed(database, "verify", "--quiet")
    assert says.keys() == said.keys()
    for slug, file in said.items():
        assert list(lost(json.loads(file), json.loads(says[slug]))) == []
    assert told.count("differences") == 0


def test_there_is_a_site_of_each_version() -> None:
    assert len(SITES) >= 2
    assert all(site.with_suffix(".json.gz").is_file() for site in SITES)


def test_what_is_lost_is_noticed() -> None:
    before = {"a": [1, {"b": 2}], "c": 3}
    assert list(lost(before, {"a": [1, {"b": 2, "d": 4}], "c": 3, "e": 5})) == []
    assert list(lost(before, {"a": [1, {"b": 5}]})) == ["/a/1/b: 2 is 5", "/c is gone"]
    assert list(lost(before, {"a": [1], "c": 3})) == ["/a: [1, {'b': 2}] is [1]"]
