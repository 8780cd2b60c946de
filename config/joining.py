"""Bundles style sheets and scripts with their imports into single files, so that pages load few files.

Sources are plain ES and CSS modules without a build step: the static files finder bundles them, also for collectstatic.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path
from tempfile import NamedTemporaryFile

from django.conf import settings
from django.contrib.staticfiles.finders import FileSystemFinder
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage

SHARED = "outbox.js"
"""The script that stays a separate file with its imports, because a page must have only one outbox."""

FOLDERS = ("css", "js")

SHEET = re.compile(r'^@import "([\w-]+\.css)";\n', re.MULTILINE)
IMPORT = re.compile(r'^import (?:\{([^}]*)\} from |\* as (\w+) from )?"\./([\w-]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(
    r"^export (?P<kept>(?:(?:async )?function\*? |class |const )(?:(?P<name>\w+)|\{(?P<names>[^}]*)\}))", re.MULTILINE
)
COMMENT = re.compile(r"^ *(?:/\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
"""Comments on lines of their own, which are stripped."""

LEFT_OVER = re.compile(r'^(?:@import|export\b|import[ "{*]).*', re.MULTILINE)


def joined(source: Path) -> str:
    """Return the bundle of a style sheet or script.

    Raise ImproperlyConfigured for unsupported or circular imports.
    """
    return _style(source) if source.suffix == ".css" else _script(source)


def _style(source: Path) -> str:
    text = SHEET.sub(lambda found: _style(source.parent / found[1]), source.read_text("utf-8"))
    return _checked(text, source)


def _checked(text: str, source: Path) -> str:
    if left := LEFT_OVER.search(text):
        raise ImproperlyConfigured(
            f"{source.name} says {left[0]!r}, which cannot be joined; write it like the lines around it."
        )
    return text


# Each module becomes a block, and its exports an object named after it: $outboxStates for outbox-states.js. So names of
# different modules cannot collide, and sources keep their own names.


def _script(source: Path) -> str:
    text = source.read_text("utf-8")
    if not IMPORT.search(text):
        return text  # Includes scripts that are not modules.
    folder, modules = source.parent, _modules(source.parent, source.name)
    shared = _modules(folder, SHARED) if SHARED in modules[:-1] else []
    own = [name for name in modules if name not in shared]
    blocks = [_block(folder / name) for name in own]
    return "".join([*_from_shared(folder, own), *blocks, *_exports(source, own if source.name == SHARED else ())])


def _modules(folder: Path, name: str, above: tuple[str, ...] = ()) -> list[str]:
    """Return a module and all its imports, dependencies first."""
    if name in above:
        raise ImproperlyConfigured(f"{' > '.join([*above, name])}: these import each other, so none can be first.")
    found: dict[str, None] = {}
    for _, _, other in IMPORT.findall((folder / name).read_text("utf-8")):
        found |= dict.fromkeys(_modules(folder, other, (*above, name)))
    return [*found, name]


def _from_shared(folder: Path, own: Iterable[str]) -> Iterator[str]:
    """Yield the import statement for what these modules need from the shared script."""
    needed = {other for name in own for *_, other in IMPORT.findall((folder / name).read_text("utf-8"))} - {*own}
    if needed:
        yield f'import {{ {", ".join(sorted(map(_space, needed)))} }} from "./{SHARED}";\n'


def _space(name: str) -> str:
    """Return the variable name of a module's exports object."""
    first, *rest = name.removesuffix(".js").split("-")
    return "$" + first + "".join(map(str.capitalize, rest))


def _block(source: Path) -> str:
    text = source.read_text("utf-8")
    body = COMMENT.sub("", EXPORT.sub(r"\g<kept>", IMPORT.sub(_taken, text)))
    names = ", ".join(_exported(text))
    return f"const {_space(source.name)} = {{}};\n{{\n{_checked(body, source)}Object.assign({_space(source.name)}, {{ {names} }});\n}}\n"


def _taken(found: re.Match[str]) -> str:
    """Return an import statement rewritten for use inside a block."""
    names, whole, module = found.groups()
    if whole:
        return f"const {whole} = {_space(module)};\n"
    return f"const {{{names.replace(' as ', ': ')}}} = {_space(module)};\n" if names else ""


def _exported(text: str) -> list[str]:
    found = [name for each in EXPORT.finditer(text) for name in (each["name"] or each["names"]).split(",")]
    return [name.rpartition(":")[2].strip() for name in found if name.strip()]


def _exports(source: Path, shared: Iterable[str]) -> Iterator[str]:
    """Yield the bundle's exports: those of its source, plus exports objects that other scripts need."""
    if names := _exported(source.read_text("utf-8")):
        yield f"export const {{ {', '.join(names)} }} = {_space(source.name)};\n"
    if shared:
        yield f"export {{ {', '.join(map(_space, shared))} }};\n"


class JoinedStorage(FileSystemStorage):
    """The source files, with style sheets and scripts replaced by their bundles."""

    def path(self, name: str) -> str:
        source = Path(super().path(name))
        is_ours = source.parent.name in FOLDERS and source.suffix in {".css", ".js"}
        if not is_ours or not source.is_file():
            return str(source)
        return str(_written(source) if settings.DEBUG else _written_once(source))


def _written(source: Path) -> Path:
    """Write the bundle to a file and return its path; an unchanged bundle keeps its file and timestamp."""
    target: Path = settings.VAR_DIR / "joined" / source.parent.name / source.name
    text = joined(source)
    if not target.is_file() or target.read_text("utf-8") != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Several processes may write it concurrently.
        with NamedTemporaryFile("w", encoding="utf-8", dir=target.parent, delete=False) as half:
            half.write(text)
        os.chmod(half.name, 0o644)
        os.replace(half.name, target)
    return target


_written_once = cache(_written)


class JoiningFinder(FileSystemFinder):
    """Finds files in static/, with style sheets and scripts bundled."""

    def __init__(self, app_names: Sequence[str] | None = None, *args: object, **kwargs: object) -> None:
        """Use JoinedStorage in place of Django's storage."""
        super().__init__(app_names, *args, **kwargs)
        for prefix, root in self.locations:
            storage = JoinedStorage(location=root)
            storage.prefix = prefix  # type: ignore[attr-defined]
            self.storages[root] = storage

    def find_location(self, root: str, path: str, prefix: str | None = None) -> str | None:
        found = super().find_location(root, path, prefix)
        return self.storages[root].path(found) if found else None
