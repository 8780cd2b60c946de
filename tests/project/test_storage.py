import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.core.management import call_command
from django.test import override_settings

IMPORTS = re.compile(r"""(?:\bfrom\s*|\bimport\s*\(?\s*)["'](\.[^"']*)["']""")
HASHED = re.compile(r"\.[0-9a-f]{12}\.js$")


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("staticfiles")
    with override_settings(
        DEBUG=False,
        STATIC_ROOT=folder,
        STATICFILES_FINDERS=["config.joining.JoiningFinder"],
        STORAGES={**settings.STORAGES, "staticfiles": {"BACKEND": "config.storage.ModuleStorage"}},
    ):
        # The fonts are most of the bytes, and compressing them takes most of a minute.
        call_command("collectstatic", interactive=False, verbosity=0, ignore_patterns=["*.ttf"])
    return folder


def imports(collected: Path) -> list[tuple[Path, str]]:
    scripts = [path for path in collected.rglob("*.js") if HASHED.search(path.name)]
    return [(path, name) for path in scripts for name in IMPORTS.findall(path.read_text("utf-8"))]


def test_collected_scripts_import_existing_hashed_files(collected: Path) -> None:
    found = imports(collected)
    assert [(path.name, name) for path, name in found if not HASHED.search(name)] == []
    assert [(path.name, name) for path, name in found if not (path.parent / name).is_file()] == []


def test_imports_of_all_scripts_are_rewritten(collected: Path) -> None:
    served = [finders.find(f"js/{path.name}") for path in (settings.BASE_DIR / "static" / "js").glob("*.js")]
    assert len(imports(collected)) == sum(
        len(IMPORTS.findall(Path(path).read_text("utf-8"))) for path in served if path
    )
    names = {(HASHED.sub("", path.name), HASHED.sub("", name)) for path, name in imports(collected)}
    assert names >= {("table", "./outbox"), ("app", "./outbox"), ("handover-send", "../vendor/lean-qr/qr")}
