import re
from collections.abc import Iterator
from pathlib import Path

import allauth
from django.contrib.auth import views as sign_in
from django.views import csrf, defaults

from tests.conftest import ROOT

TEMPLATES = ROOT / "templates"
MAX_LINE_LENGTH = 160

DJANGO = [Path(str(module.__file__)) for module in (sign_in, csrf, defaults)]
"""Django modules that name the templates which Tenbo overrides."""

ALLAUTH = Path(allauth.__file__).parent / "templates"
"""Allauth composes template names, so its own templates show which ones Tenbo overrides."""


def sources() -> Iterator[str]:
    for app in ("accounts", "config", "league", "stats", "tournaments"):
        yield from (path.read_text("utf-8") for path in (ROOT / app).rglob("*.py"))
    yield from (path.read_text("utf-8") for path in (*TEMPLATES.rglob("*.html"), *DJANGO))


TEXTS = {str(path.relative_to(TEMPLATES)): path.read_text("utf-8") for path in sorted(TEMPLATES.rglob("*.html"))}


def test_template_lines_are_short() -> None:
    lines = (
        (f"{name}:{number}", line) for name, text in TEXTS.items() for number, line in enumerate(text.split("\n"), 1)
    )
    assert [place for place, line in lines if len(line) > MAX_LINE_LENGTH] == []


def test_forms_get_their_token_where_they_are_included_with_only() -> None:
    included = re.compile(r'{% include "([^"]+)"((?:(?! %}).)* only) %}')
    parts = [(name, *found) for name, text in TEXTS.items() for found in included.findall(text)]
    left = {name for name, part, given in parts if "{% csrf_token %}" in TEXTS[part] and "csrf_token=" not in given}
    assert left == {"league/attendance/link.html", "league/entry/receipt.html"}, (
        "only those have readers without a log-in"
    )


def test_every_template_is_used() -> None:
    """By full name, or by the rest if a view uses f"folder/{name}.html"."""
    named = set(re.findall(r'"([^"\n]*)"', "\n".join(sources())))
    folders = {re.sub(r"/{\w+}\.html$", "", name) for name in named if re.search(r"/{\w+}\.html$", name)}
    named |= {f"{folder}/{name}.html" for folder in folders for name in named}
    unnamed = [
        name
        for path in sorted(TEMPLATES.rglob("*.*"))
        if (name := str(path.relative_to(TEMPLATES))) not in named and not (ALLAUTH / name).exists()
    ]
    assert unnamed == []
