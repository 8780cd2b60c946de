"""All texts are translated to Japanese, and the compiled catalogue is up to date."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

CATALOGUE = ROOT / "locale" / "ja" / "LC_MESSAGES" / "django.po"
NOT_SOURCES = (".venv", "tests", "var", "bench", "docs", "staticfiles", ".git", "*_cache", "*.mo", ".hypothesis")
HEADER = '""'


def said(*command: str | Path) -> str:
    return subprocess.run([*command], capture_output=True, text=True, check=True).stdout


def entries(catalogue: Path, *selection: str) -> set[str]:
    """Return the message ids that msgattrib selects, single-line or multi-line."""
    text = said("msgattrib", "--no-wrap", "--no-obsolete", *selection, catalogue)
    return set(re.findall(r'^msgid (.*(?:\n".*")*)', text, re.MULTILINE)) - {HEADER}


def test_every_message_is_translated() -> None:
    assert entries(CATALOGUE, "--untranslated") == set()


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
