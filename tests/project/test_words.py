import ast
import io
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from tests.conftest import ROOT

TELLS = re.compile(
    r"nobod|somebod|everybod|\bwhoever\b|\banew\b|\bmend(s|ed|ing)?\b|\bby (itself|themselves)\b|\bso many\b|"
    r"\btak(e|es|en|ing) (it |them )?back\b|\bleaderboard|\bof before\b|\bwhat (is|was) (no|not)\b|\bsays nothing of\b",
    re.IGNORECASE,
)
"""Phrases that sound translated; CONTRIBUTING lists what to write instead."""

ENGLISH = re.compile(r"▲|\bwasei\b|\bhanchans\b|\bwall\b|\btaken as it is\b|\bgoes on to\b", re.IGNORECASE)
JAPANESE = re.compile("：|？|～|聴牌|卓組み|スコア表|最高スコア|4着回避率|達成|だれ|つくる|つくり|もう何も開きません")
"""Words that the site no longer uses, by language."""

FIXED = re.compile(r"`anew`|`nobody`|\"nobody\"|'nobody'|remedy.*nobody")
"""Values in files and databases, which keep their names."""


TABLES = ("/messages/*.toml", "/messages.toml", "/tables/*.toml", "/rules/*.toml")


@cache
def catalogue(key: str) -> list[str]:
    """Return all texts of a language: `msgid` or `msgstr`, from the catalogue and from tables of texts."""
    language = {"msgid": "en", "msgstr": "ja"}[key]
    tables = "".join((ROOT / name).read_text("utf-8") for ending in TABLES for name in tracked(ending))
    po = (ROOT / "locale/ja/LC_MESSAGES/django.po").read_text("utf-8")
    found = re.findall(rf'^{key}(?:_plural|\[\d\])? ((?:".*"\n)+)', po, re.MULTILINE)
    texts = ["".join(re.findall(r'^"(.*)"$', each, re.MULTILINE)) for each in found]
    return texts + re.findall(rf'\b{language} = "([^"]*)"', tables)


@cache
def tracked(ending: str) -> list[str]:
    listed = subprocess.run(["git", "ls-files", f"*{ending}"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in listed.stdout.split() if "/migrations/" not in name]


def prose(name: str) -> Iterator[str]:
    source = (ROOT / name).read_text("utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.name.replace("_", " ")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def paragraphs(name: str) -> Iterator[str]:
    for line in (ROOT / name).read_text("utf-8").splitlines():
        yield re.sub(r"`[^`]*`", "", line)


@pytest.mark.parametrize(("key", "retired"), [("msgid", ENGLISH), ("msgid", TELLS), ("msgstr", JAPANESE)])
def test_site_uses_current_words(key: str, retired: re.Pattern[str]) -> None:
    assert [text for text in catalogue(key) if retired.search(text)] == []


@pytest.mark.merge
@pytest.mark.parametrize(("ending", "read"), [(".md", paragraphs), (".py", prose)])
def test_documents_and_code_use_plain_words(ending: str, read: Callable[[str], Iterator[str]]) -> None:
    own = __file__.removeprefix(f"{ROOT}/")
    found = {name: [text for text in read(name) if TELLS.search(FIXED.sub("", text))] for name in tracked(ending)}
    assert {name: texts for name, texts in found.items() if texts and name != own} == {}


def test_glossary_has_the_words_of_the_site() -> None:
    site = "\n".join(catalogue("msgstr"))
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|", (ROOT / "docs/glossary.md").read_text("utf-8"), re.MULTILINE)
    missing = [word for _, words in rows[2:] for word in words.split(", ") if word not in site]
    assert len(rows) > 40
    assert missing == []


@pytest.mark.merge
def test_public_classes_have_one_meaning() -> None:
    """Class names are unique across apps, except Django's own: `Command`, `Meta`."""
    names = Counter(
        node.name
        for name in tracked(".py")
        if not name.startswith(("tests/", "bench/"))
        for node in ast.parse((ROOT / name).read_text("utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in names.items() if count > 1} <= {"Command"}
