import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.project.test_words import TABLES, tracked

CATALOGUE = ROOT / "locale" / "ja" / "LC_MESSAGES" / "django.po"
NOT_SOURCES = (".venv", "tests", "var", "bench", "docs", "staticfiles", ".git", "*_cache", "*.mo", ".hypothesis")
HEADER = '""'
BY_LANGUAGE = "tournaments/messages/needs.toml"
"""A table with all texts of one language after the other; test_needs speaks both."""


def said(*command: str | Path) -> str:
    return subprocess.run([*command], capture_output=True, text=True, check=True).stdout


def entries(catalogue: Path, *selection: str) -> set[str]:
    """Return the message ids that msgattrib selects, single-line or multi-line."""
    text = said("msgattrib", "--no-wrap", "--no-obsolete", *selection, catalogue)
    return set(re.findall(r'^msgid (.*(?:\n".*")*)', text, re.MULTILINE)) - {HEADER}


def test_every_message_is_translated() -> None:
    assert entries(CATALOGUE, "--untranslated") == set()


def texts_in(table: object) -> Iterator[Mapping[str, str]]:
    if isinstance(table, dict) and not table.keys().isdisjoint({"ja", "en"}):
        yield table
    elif isinstance(table, dict | list):
        for each in table.values() if isinstance(table, dict) else table:
            yield from texts_in(each)


def test_texts_in_tables_exist_in_both_languages_with_the_same_placeholders() -> None:
    files = {name for ending in TABLES for name in tracked(ending)} - {BY_LANGUAGE}
    tables = [tomllib.loads((ROOT / file).read_text("utf-8")) for file in files]
    texts = [text for table in tables for text in texts_in(table)]
    assert len(texts) > 500
    for text in texts:
        assert set(text) == {"ja", "en"}, text
        assert all(text.values()), text
        assert len({frozenset(re.findall(r"%\(\w+\)s", each)) for each in text.values()}) == 1, text


def test_no_translation_is_fuzzy() -> None:
    assert entries(CATALOGUE, "--only-fuzzy") == set()


@pytest.mark.long
def test_catalogue_matches_the_sources(tmp_path: Path) -> None:
    copy = tmp_path / "tenbo"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*NOT_SOURCES))
    command = [sys.executable, "-m", "django", "makemessages", "-l", "ja", "--no-location", "--no-wrap"]
    subprocess.run(command, cwd=copy, capture_output=True, text=True, check=True)
    written, needed = entries(CATALOGUE), entries(copy / CATALOGUE.relative_to(ROOT))
    assert needed - written == set(), "run: python manage.py makemessages -l ja --no-location --no-wrap"
    assert written - needed == set(), "sentences that nobody says any more"


def test_compiled_catalogue_is_current(tmp_path: Path) -> None:
    compiled = tmp_path / "django.mo"
    said("msgfmt", "--check", "-o", compiled, CATALOGUE)
    assert said("msgunfmt", compiled) == said("msgunfmt", CATALOGUE.with_suffix(".mo")), (
        "run: manage.py compilemessages"
    )
