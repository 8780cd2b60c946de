"""Bundles style sheets and scripts with their imports into single files, so that pages load few files.

Sources remain plain ES and CSS modules. Without a build step: the finder bundles them, also for collectstatic.
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
"""The script that stays a file of its own, with all it imports: the results of a phone are there only once on a page."""

FOLDERS = ("css", "js")

SHEET = re.compile(r'^@import "([\w-]+\.css)";\n', re.MULTILINE)
IMPORT = re.compile(r'^import (?:\{([^}]*)\} from |\* as (\w+) from )?"\./([\w-]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(
    r"^export (?P<kept>(?:(?:async )?function\*? |class |const )(?:(?P<name>\w+)|\{(?P<names>[^}]*)\}))", re.MULTILINE
)
COMMENT = re.compile(r"^ *(?:/\*.*?\*/|//[^\n]*)\n", re.MULTILINE | re.DOTALL)
"""A comment on lines of its own, which is for those who read the sources."""

LEFT_OVER = re.compile(r'^(?:@import|export\b|import[ "{*]).*', re.MULTILINE)


def joined(source: Path) -> str:
    """Return the bundle of a style sheet or script.

    Raises ImproperlyConfigured for unsupported or circular imports.
    """
    return _style(source) if source.suffix == ".css" else _script(source)


def _style(source: Path) -> str:
    text = SHEET.sub(lambda found: _style(source.parent / found[1]), source.read_text("utf-8"))
    return _checked(text, source)


def _checked(text: str, source: Path) -> str:
    if left := LEFT_OVER.search(text):
        raise ImproperlyConfigured(
            f"{source.name} says {left[0]!r}, which cannot be joined; write it as its neighbours do."
        )
    return text


# --- Scripts ---------------------------------------------------------------------------------------------------------
# Each module becomes a block, and its exports an object named after it: $outboxStates for outbox-states.js. Names of
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
    """Return a module and all it imports, each after those that it needs itself."""
    if name in above:
        raise ImproperlyConfigured(f"{' > '.join([*above, name])}: these import each other; nobody can be first.")
    found: dict[str, None] = {}
    for _, _, other in IMPORT.findall((folder / name).read_text("utf-8")):
        found |= dict.fromkeys(_modules(folder, other, (*above, name)))
    return [*found, name]


def _from_shared(folder: Path, own: Iterable[str]) -> Iterator[str]:
    """Yield the line that brings what these modules need of the shared script."""
    needed = {other for name in own for *_, other in IMPORT.findall((folder / name).read_text("utf-8"))} - {*own}
    if needed:
        yield f'import {{ {", ".join(sorted(map(_space, needed)))} }} from "./{SHARED}";\n'


def _space(name: str) -> str:
    """Return the name of the object that holds a module's exports."""
    first, *rest = name.removesuffix(".js").split("-")
    return "$" + first + "".join(map(str.capitalize, rest))


def _block(source: Path) -> str:
    text = source.read_text("utf-8")
    body = COMMENT.sub("", EXPORT.sub(r"\g<kept>", IMPORT.sub(_taken, text)))
    names = ", ".join(_exported(text))
    return f"const {_space(source.name)} = {{}};\n{{\n{_checked(body, source)}Object.assign({_space(source.name)}, {{ {names} }});\n}}\n"


def _taken(found: re.Match[str]) -> str:
    """Return an import as it is written inside a block."""
    names, whole, module = found.groups()
    if whole:
        return f"const {whole} = {_space(module)};\n"
    return f"const {{{names.replace(' as ', ': ')}}} = {_space(module)};\n" if names else ""


def _exported(text: str) -> list[str]:
    found = [name for each in EXPORT.finditer(text) for name in (each["name"] or each["names"]).split(",")]
    return [name.rpartition(":")[2].strip() for name in found if name.strip()]


def _exports(source: Path, shared: Iterable[str]) -> Iterator[str]:
    """Yield exports of the bundle: those of its source, and shared ones for other scripts."""
    if names := _exported(source.read_text("utf-8")):
        yield f"export const {{ {', '.join(names)} }} = {_space(source.name)};\n"
    if shared:
        yield f"export {{ {', '.join(map(_space, shared))} }};\n"


# --- Where they are served from --------------------------------------------------------------------------------------


class JoinedStorage(FileSystemStorage):
    """The sources, with style sheets and scripts joined."""

    def path(self, name: str) -> str:
        """Return the path of a served file."""
        source = Path(super().path(name))
        is_ours = source.parent.name in FOLDERS and source.suffix in {".css", ".js"}
        if not is_ours or not source.is_file():
            return str(source)
        return str(_written(source) if settings.DEBUG else _written_once(source))


def _written(source: Path) -> Path:
    """Return a file with the bundle; unchanged bundles keep their file and time stamp."""
    target: Path = settings.VAR_DIR / "joined" / source.parent.name / source.name
    text = joined(source)
    if not target.is_file() or target.read_text("utf-8") != text:
        target.parent.mkdir(parents=True, exist_ok=True)
        # Several processes may write it at the same time.
        with NamedTemporaryFile("w", encoding="utf-8", dir=target.parent, delete=False) as half:
            half.write(text)
        os.chmod(half.name, 0o644)
        os.replace(half.name, target)
    return target


_written_once = cache(_written)


class JoiningFinder(FileSystemFinder):
    """Finds the files of static/, style sheets and scripts joined."""

    def __init__(self, app_names: Sequence[str] | None = None, *args: object, **kwargs: object) -> None:
        """Look where Django's own would, through another storage."""
        super().__init__(app_names, *args, **kwargs)
        for prefix, root in self.locations:
            storage = JoinedStorage(location=root)
            storage.prefix = prefix  # type: ignore[attr-defined]
            self.storages[root] = storage

    def find_location(self, root: str, path: str, prefix: str | None = None) -> str | None:
        """Return the path of a file, or None."""
        found = super().find_location(root, path, prefix)
        return self.storages[root].path(found) if found else None
