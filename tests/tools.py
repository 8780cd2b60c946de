"""Programs that tests and checks need besides Python; `python -m tests.tools` installs those missing.

`python -m tests.tools gettext` installs only those for the checks.
"""

import ctypes.util
import os
import shutil
import subprocess
import sys
from contextlib import suppress

from tests.browsers import bring_browser, install, use_own_node


def main(arguments: list[str]) -> None:
    if not shutil.which("msgfmt") and not install("gettext"):
        sys.exit("The checks need gettext; install it with: apt-get install gettext")
    if arguments == ["gettext"]:
        return
    _bring_servers()
    bring_browser()
    use_own_node()
    if not _has_pango() and not install("libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0"):
        sys.exit("Printed sheets need Pango; install it with: apt-get install libpango-1.0-0 libpangoft2-1.0-0")
    if not ctypes.util.find_library("atomic") and not shutil.which("node") and not install("libatomic1"):
        sys.exit("The browser's driver needs a library; install it with: apt-get install libatomic1")
    if not _has_japanese_font():
        install("fonts-noto-cjk")  # only the look of the pages depends on it


def _bring_servers() -> None:
    if not find_nginx() and not install("nginx-light"):
        sys.exit("The tests start the proxy of compose.yaml; install it with: apt-get install nginx-light")
    if not shutil.which("pg_dump") and not install("postgresql"):
        sys.exit("Backups are made by PostgreSQL's own programs; install them with: apt-get install postgresql")


def find_nginx() -> str | None:
    """Return nginx's path; Debian puts it on root's PATH only."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


PANGO = ("gobject-2.0", "pango-1.0", "pangoft2-1.0", "harfbuzz", "harfbuzz-subset", "fontconfig")


def _has_pango() -> bool:
    """Return whether WeasyPrint finds its libraries.

    Outside Debian this needs a separate process.
    """
    with suppress(OSError):
        return all(ctypes.CDLL(f"lib{name}.so.{1 if name == 'fontconfig' else 0}") for name in PANGO)
    return subprocess.run([sys.executable, "-c", "import weasyprint"], capture_output=True, check=False).returncode == 0


def _has_japanese_font() -> bool:
    if not shutil.which("fc-list"):
        return False
    return bool(subprocess.run(["fc-list", ":lang=ja"], capture_output=True, check=False).stdout.strip())


if __name__ == "__main__":
    main(sys.argv[1:])
