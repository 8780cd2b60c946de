import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.core.exceptions import ImproperlyConfigured

from config.joining import SHARED, JoinedStorage, joined
from tests.browsers import find_node
from tests.conftest import ROOT

STATIC = ROOT / "static"
BLOCK = re.compile(r"^const (\$\w+) = \{\};$", re.MULTILINE)
LINKED = re.compile(r'(?:src|href)="\{% static "(js/[\w-]+\.js)" %\}"')
KEEPS_NOTHING = {"$device", "$pace", "$i18n", "$scores"}
"""Modules without state, which may be on a page twice."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        SHARED: 'import * as numbers from "./numbers.js";\n\nexport const counted = [];\n\n'
        "export function count() {\n  return counted.push(numbers.ONE);\n}\n",
        "numbers.js": "export const ONE = 1;\nexport const { TWO, three: THREE } = { TWO: 2, three: 3 };\nconst HIDDEN = 4;\n",
        "words.js": "const HIDDEN = 5;\n\nexport async function said(\n  number,\n) {\n  return `${number} of ${HIDDEN}`;\n}\n",
        "page.js": 'import "./greeting.js";\nimport {\n  THREE,\n  TWO as two,\n} from "./numbers.js";\n'
        f'import {{ count, counted }} from "./{SHARED}";\nimport {{ said }} from "./words.js";\n\n'
        "count();\ncount();\n"
        f'const later = await import("./{SHARED}");\nlater.count();\n'
        "console.log(await said(counted.length), two, THREE);\n",
        "greeting.js": '/* For those who\n   read it. */\n// And this.\nconsole.log("hello"); // Not this.\n',
    }.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def run(folder: Path, name: str) -> str:
    (folder / "package.json").write_text('{"type": "module"}', "utf-8")
    node = find_node()
    assert node
    return subprocess.run([node, str(folder / name)], capture_output=True, text=True, check=True).stdout


def test_joined_script_behaves_like_its_sources(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    served = tmp_path_factory.mktemp("served")
    for name in ("page.js", SHARED):
        (served / name).write_text(joined(folder / name), "utf-8")
    assert run(folder, "page.js") == run(served, "page.js") == "hello\n3 of 5 2 3\n"


def test_joined_script_has_no_comments(folder: Path) -> None:
    served = joined(folder / "page.js")
    assert "read it" not in served
    assert "And this" not in served
    assert "// Not this." in served


def test_script_without_imports_is_unchanged(folder: Path) -> None:
    assert joined(folder / "words.js") == (folder / "words.js").read_text("utf-8")


@pytest.mark.parametrize(
    ("name", "line", "said"),
    [
        ("page.js", 'import words from "./words.js";', r"page\.js says .* cannot be joined"),
        ("page.js", "import { said } from './words.js';", r"page\.js says .* cannot be joined"),
        ("page.js", 'export * from "./words.js";', r"page\.js says .* cannot be joined"),
        ("page.js", "export default 4;", r"page\.js says .* cannot be joined"),
        ("page.js", "export let four = 4;", r"page\.js says .* cannot be joined"),
        ("words.js", 'import "./page.js";', r"page\.js > words\.js > page\.js"),
    ],
)
def test_script_that_cannot_be_joined_is_reported(folder: Path, name: str, line: str, said: str) -> None:
    (folder / name).write_text(f'import "./greeting.js";\n{line}\n', "utf-8")
    with pytest.raises(ImproperlyConfigured, match=said):
        joined(folder / "page.js")


def test_joined_style_sheet_contains_its_imports_in_order(tmp_path: Path) -> None:
    (tmp_path / "all.css").write_text(
        '/* All. */\n\n@import "one.css";\n@import "two.css";\n\nb { top: 0; }\n', "utf-8"
    )
    (tmp_path / "one.css").write_text("i { top: 1px; }\n", "utf-8")
    (tmp_path / "two.css").write_text("u { top: 2px; }\n", "utf-8")
    lines = [line for line in joined(tmp_path / "all.css").splitlines() if line]
    assert lines == ["/* All. */", "i { top: 1px; }", "u { top: 2px; }", "b { top: 0; }"]
    (tmp_path / "two.css").write_text("@import url(one.css);\n", "utf-8")
    with pytest.raises(ImproperlyConfigured, match=r"two\.css says"):
        joined(tmp_path / "all.css")


def served(name: str) -> str:
    found = finders.find(name)
    assert found
    return Path(found).read_text("utf-8")


@pytest.mark.parametrize("path", sorted(STATIC.glob("css/*.css")), ids=lambda path: path.name)
def test_served_style_sheets_import_nothing(path: Path) -> None:
    assert "@import" not in served(f"css/{path.name}")


@pytest.mark.parametrize("path", sorted(STATIC.glob("js/*.js")), ids=lambda path: path.name)
def test_served_scripts_import_only_the_outbox(path: Path) -> None:
    assert re.findall(r'^import .*?"(.*?)";$', served(f"js/{path.name}"), re.MULTILINE) in ([], [f"./{SHARED}"])


@pytest.mark.parametrize(
    "template", [path for path in sorted(ROOT.glob("templates/**/*.html")) if LINKED.search(path.read_text("utf-8"))]
)
def test_no_page_loads_a_stateful_module_twice(template: Path) -> None:
    names = dict.fromkeys([*LINKED.findall(template.read_text("utf-8")), "js/app.js"])
    modules = [module for name in names for module in BLOCK.findall(served(name)) or [f"${Path(name).stem}"]]
    assert {module for module in modules if modules.count(module) > 1} <= KEEPS_NOTHING


def test_changed_script_is_joined_again(folder: Path, settings: Any) -> None:
    home = folder / "js"
    home.mkdir()
    for path in folder.glob("*.js"):
        path.rename(home / path.name)
    settings.DEBUG, settings.VAR_DIR = True, folder / "var"
    storage = JoinedStorage(location=folder)
    first = Path(storage.path("js/page.js"))
    before = first.stat().st_mtime_ns
    assert Path(storage.path("js/page.js")).stat().st_mtime_ns == before
    (home / "greeting.js").write_text('console.log("good evening");\n', "utf-8")
    assert '"good evening"' in Path(storage.path("js/page.js")).read_text("utf-8")
    assert [path.name for path in first.parent.iterdir()] == ["page.js"]
    assert storage.path("js/nothing.js") == str(home / "nothing.js")
