"""What the tests need from the machine beside Python; `python -m tests.tools` brings what is missing."""

import ctypes.util
import os
import shutil
import subprocess

from tests.browsers import bring, find_browser


def main() -> None:
    """Bring gettext, a browser and a Japanese font where they are missing."""
    if not shutil.which("msgfmt"):
        bring("gettext", ["gettext"])
    if not find_browser():
        bring("a Chromium", ["chromium"])
    if not _has_japanese_font():
        bring("a Japanese font", ["fonts-noto-cjk"])
    if not ctypes.util.find_library("atomic") and not os.environ.get("PLAYWRIGHT_NODEJS_PATH"):
        bring("libatomic", ["libatomic1"])


def _has_japanese_font() -> bool:
    if not shutil.which("fc-list"):
        return False
    return bool(subprocess.run(["fc-list", ":lang=ja"], capture_output=True, check=False).stdout.strip())


if __name__ == "__main__":
    main()
