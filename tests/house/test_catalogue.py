"""Every sentence exists in Japanese, and the compiled catalogue is the one that was written."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "locale" / "ja" / "LC_MESSAGES" / "django.po"
IGNORED = (".venv", "tests", "var", "node_modules", "bench", "staticfiles")


def entries(*arguments: str) -> list[str]:
    """Return the message ids that msgattrib selects, the header left out."""
    command = ["msgattrib", "--no-wrap", *arguments, str(CATALOGUE)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line for line in text.splitlines() if line.startswith("msgid ") and line != 'msgid ""']


def test_no_sentence_is_missing() -> None:
    assert entries("--untranslated", "--no-obsolete") == []


def test_no_sentence_is_fuzzy() -> None:
    assert entries("--only-fuzzy", "--no-obsolete") == []


def test_catalogue_knows_every_sentence_of_the_sources(tmp_path: Path) -> None:
    copy = tmp_path / "tenbo"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*IGNORED, ".git", "*_cache", "*.mo"))
    before = set(entries("--no-obsolete"))
    command = [sys.executable, "-m", "django", "makemessages", "-l", "ja", "--no-location", "--no-wrap"]
    subprocess.run(command, cwd=copy, capture_output=True, text=True, check=True)
    fresh = copy / "locale" / "ja" / "LC_MESSAGES" / "django.po"
    listed = subprocess.run(
        ["msgattrib", "--no-wrap", "--no-obsolete", str(fresh)], capture_output=True, text=True, check=True
    )
    after = {line for line in listed.stdout.splitlines() if line.startswith("msgid ") and line != 'msgid ""'}
    assert after - before == set(), "run: python manage.py makemessages -l ja --no-location --no-wrap"
    assert before - after == set(), "sentences that nobody says any more"


def test_compiled_catalogue_is_current(tmp_path: Path) -> None:
    compiled = tmp_path / "django.mo"
    subprocess.run(["msgfmt", "--check", "-o", str(compiled), str(CATALOGUE)], check=True, capture_output=True)
    assert compiled.read_bytes() == CATALOGUE.with_suffix(".mo").read_bytes(), "run: python manage.py compilemessages"
