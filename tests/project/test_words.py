"""One word, one meaning: in the names of classes, in docstrings, and between the vocabulary page and the code."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import ROOT

EXCEPTIONS = {
    "Meta": "Django's own name for the options inside a model, a form or a table",
    "Command": "Django finds a command of manage.py by this name; its word is the name of the file",
}
"""Names that may be defined more than once, each with the reason. An enum of choices inside its model is read with the
model's name in front (`Session.State`), and needs no place here."""

DEFINITIONS = (ast.ClassDef, ast.FunctionDef)

CHOICES = {"TextChoices", "IntegerChoices"}

VOCABULARY = ROOT / "docs" / "vocabulary.md"


def apps() -> list[str]:
    """Return the packages that hold Tenbo's meanings: every app, those that are still to come included."""
    return sorted(path.parent.name for path in ROOT.glob("*/apps.py"))


def sources(*packages: str) -> Iterator[tuple[Path, ast.Module]]:
    """Yield every module of the packages with its tree; migrations tell history and are left out."""
    for package in packages:
        yield from parsed(package)


@cache
def parsed(package: str) -> list[tuple[Path, ast.Module]]:
    paths = sorted((ROOT / package).rglob("*.py"))
    return [(path, ast.parse(path.read_text("utf-8"))) for path in paths if "migrations" not in path.parts]


# --- Classes ---------------------------------------------------------------------------------------------------------


def public_classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    """Yield the classes that other modules may name, without enums of choices inside their model."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node
            yield from (inner for inner in node.body if isinstance(inner, ast.ClassDef) and not is_choices(inner))


def is_choices(node: ast.ClassDef) -> bool:
    """Return whether a class is one of Django's enums of choices."""
    return any(isinstance(base, ast.Attribute) and base.attr in CHOICES for base in node.bases)


def defined_twice(trees: Iterable[tuple[str, ast.Module]]) -> dict[str, list[str]]:
    """Return the class names that mean more than one thing, and where."""
    places = defaultdict(list)
    for place, tree in trees:
        for node in public_classes(tree):
            places[node.name].append(f"{place}:{node.lineno}")
    return {name: found for name, found in places.items() if len(found) > 1 and name not in EXCEPTIONS}


@pytest.mark.long
def test_every_public_class_name_has_one_meaning() -> None:
    trees = [(str(path.relative_to(ROOT)), tree) for path, tree in sources(*apps())]
    assert len(trees) > 300
    assert defined_twice(trees) == {}


def test_second_meaning_is_noticed() -> None:
    league = ast.parse("class Entry: ...\nclass Session(Model):\n    class State(models.TextChoices): ...\n")
    tournaments = ast.parse("class Entry(Model):\n    class State(models.TextChoices): ...\n    class Meta: ...\n")
    assert defined_twice([("league", league), ("tournaments", tournaments)]) == {"Entry": ["league:1", "tournaments:1"]}


@pytest.mark.long
def test_every_exception_is_needed() -> None:
    names = [inner.name for _, tree in sources(*apps()) for inner in ast.walk(tree) if isinstance(inner, ast.ClassDef)]
    assert all(names.count(name) > 1 for name in EXCEPTIONS)


# --- Docstrings ------------------------------------------------------------------------------------------------------

SMALL = frozenset(
    {
        "a",
        "all",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "every",
        "for",
        "from",
        "has",
        "have",
        "in",
        "is",
        "it",
        "its",
        "of",
        "on",
        "one",
        "or",
        "return",
        "returns",
        "that",
        "the",
        "their",
        "they",
        "this",
        "to",
        "what",
        "whether",
        "which",
        "who",
        "with",
    }
)


def stems(text: str) -> set[str]:
    """Return the beginnings of the words that carry meaning, so that "Sessions." and `SessionAdmin` share one."""
    return {
        word.lower()[:5].removesuffix("s") for word in re.findall(r"[A-Za-z][a-z]*", text) if word.lower() not in SMALL
    }


def says_nothing(node: ast.ClassDef | ast.FunctionDef) -> bool:
    docstring = ast.get_docstring(node)
    return docstring is not None and stems(docstring) <= stems(node.name)


@pytest.mark.long
def test_docstrings_say_more_than_the_name() -> None:
    filler = []
    for path, tree in sources(*apps(), "config"):
        for node in ast.walk(tree):
            if isinstance(node, DEFINITIONS) and says_nothing(node):
                filler.append(f"{path.relative_to(ROOT)}:{node.lineno} {ast.get_docstring(node)}")
    assert filler == []


def test_filler_is_noticed() -> None:
    filler = ast.parse(
        'class SessionAdmin:\n    """Sessions."""\n\ndef is_open():\n    """Return whether it is open."""\n'
    )
    worth = ast.parse('def is_open():\n    """Return whether results can be entered."""\n\ndef is_known(): ...\n')
    assert [says_nothing(node) for node in filler.body if isinstance(node, DEFINITIONS)] == [True, True]
    assert [says_nothing(node) for node in worth.body if isinstance(node, DEFINITIONS)] == [False, False]


# --- The vocabulary page ---------------------------------------------------------------------------------------------


def retired_words() -> set[str]:
    table = VOCABULARY.read_text("utf-8").split("## Retired\n")[1]
    return set(re.findall(r"`(\w+)`", " ".join(re.findall(r"\| ([^|]*) \|$", table, re.MULTILINE))))


def named(path: Path, tree: ast.Module) -> Iterator[str]:
    """Yield every name that a module gives: its own, and those of its classes, functions, arguments and fields."""
    yield path.stem
    for node in ast.walk(tree):
        if isinstance(node, DEFINITIONS):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def parts(name: str) -> set[str]:
    return {name, *(part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))}


@pytest.mark.long
def test_retired_words_do_not_come_back() -> None:
    retired = retired_words()
    assert len(retired) > 10
    found = {
        f"{path.relative_to(ROOT)}: {name}"
        for path, tree in sources(*apps())
        for name in named(path, tree)
        if parts(name) & retired
    }
    assert found == set()


def test_retired_word_is_noticed() -> None:
    assert parts("desk_of_scorer") & {"desk"}
    assert parts("EntryDesk") & {"desk"}
    assert not parts("desktop") & {"desk"}
